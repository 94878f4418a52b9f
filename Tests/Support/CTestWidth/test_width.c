#include "test_width.h"

#include <stdlib.h>

const char *const test_width_variable = "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH";

/// Runs before Swift Testing reads its settings: else it starts hundreds of tests at once, each with its open files, and
/// none of them ends before its neighbors.
__attribute__((constructor)) static void limit_width(void) {
    setenv(test_width_variable, "32", 0);
}
