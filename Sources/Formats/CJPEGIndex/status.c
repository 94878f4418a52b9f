#include "viewport_jpeg_index.h"

const char *vji_status_name(vji_status status) {
    switch (status) {
    case VJI_OK: return "VJI_OK";
    case VJI_INVALID_ARGUMENT: return "VJI_INVALID_ARGUMENT";
    case VJI_OUTSIDE: return "VJI_OUTSIDE";
    case VJI_READ_FAILED: return "VJI_READ_FAILED";
    case VJI_UNSUPPORTED: return "VJI_UNSUPPORTED";
    case VJI_DAMAGED: return "VJI_DAMAGED";
    case VJI_STALE_INDEX: return "VJI_STALE_INDEX";
    case VJI_BUFFER_TOO_SMALL: return "VJI_BUFFER_TOO_SMALL";
    }
    return "unknown";
}
