#include "viewport.h"

#include <CBuild.h>

#define NAME(status) case status: return #status

const char *viewport_status_name(viewport_status status) {
    switch (status) {
    NAME(VIEWPORT_OK);
    NAME(VIEWPORT_INVALID_ARGUMENT);
    NAME(VIEWPORT_OUTSIDE);
    NAME(VIEWPORT_READ_FAILED);
    NAME(VIEWPORT_UNSUPPORTED);
    NAME(VIEWPORT_DAMAGED);
    NAME(VIEWPORT_STALE_INDEX);
    NAME(VIEWPORT_BUFFER_TOO_SMALL);
    NAME(VIEWPORT_CHANGED);
    NAME(VIEWPORT_UNAVAILABLE);
    NAME(VIEWPORT_TOO_LARGE);
    NAME(VIEWPORT_CANCELLED);
    NAME(VIEWPORT_LIBRARY_MISSING);
    NAME(VIEWPORT_WRITE_FAILED);
    NAME(VIEWPORT_FORKED);
    }
    return "unknown";
}

const char *viewport_version(void) { return VIEWPORT_VERSION; }
