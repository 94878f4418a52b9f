#ifndef TEST_WIDTH_H
#define TEST_WIDTH_H

/// The name of the variable that limits how many tests Swift Testing runs at a time.
extern const char *const test_width_variable;

#endif
