#pragma once

#include <isa-l/igzip_lib.h>

/// The memory of level 2: a macro of other macros, which Swift does not see.
enum { isal_level2_size = ISAL_DEF_LVL2_DEFAULT };
