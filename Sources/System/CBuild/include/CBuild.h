#pragma once
#include <stdint.h>

/// The version of the package; CHANGELOG.md has its changes.
#define VIEWPORT_VERSION "0.2.0"

/// Returns the first ten hexadecimal digits of the commit that the package is built from; 0 if it is unknown.
uint64_t viewport_build_commit(void);
