#include "CBuild.h"

// Package.swift defines both. Only this file is compiled again when they change.
#ifndef VIEWPORT_COMMIT
#define VIEWPORT_COMMIT 0
#endif
#ifndef VIEWPORT_HAS_CHANGES
#define VIEWPORT_HAS_CHANGES 0
#endif

uint64_t viewport_build_commit(void) { return VIEWPORT_COMMIT; }

bool viewport_build_has_changes(void) { return VIEWPORT_HAS_CHANGES; }
