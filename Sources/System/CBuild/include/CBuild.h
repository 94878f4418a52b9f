#pragma once
#include <stdint.h>

/// Returns the first ten hexadecimal digits of the commit that the package is built from; 0 if it is unknown.
uint64_t viewport_build_commit(void);
