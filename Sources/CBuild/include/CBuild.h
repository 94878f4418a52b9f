#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Returns the first ten hexadecimal digits of the commit that the package was built from; 0 if it is unknown.
uint64_t viewport_build_commit(void);

/// Returns whether the working copy had uncommitted changes.
bool viewport_build_has_changes(void);
