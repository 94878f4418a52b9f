// What libvips and GObject offer only as macros or varargs, as functions that Swift can call.
#ifndef CVIPS_SHIM_H
#define CVIPS_SHIM_H

#include <vips/vips.h>

static inline GType cvips_type_boolean(void) { return G_TYPE_BOOLEAN; }
static inline GType cvips_type_int(void) { return G_TYPE_INT; }
static inline GType cvips_type_double(void) { return G_TYPE_DOUBLE; }
static inline GType cvips_type_string(void) { return G_TYPE_STRING; }

// The type of a property of an object, or 0 where there is none of that name.
static inline GType cvips_property_type(gpointer object, const char *name) {
    GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(object), name);
    return spec ? spec->value_type : 0;
}

static inline int cvips_type_is_enum(GType type) { return G_TYPE_IS_ENUM(type); }
static inline int cvips_type_is_flags(GType type) { return G_TYPE_IS_FLAGS(type); }

// The bytes of a prepared region at a pixel: VIPS_REGION_ADDR, without a call of libvips.
static inline void *cvips_region_addr(VipsRegion *region, int x, int y, size_t pixel_bytes) {
    return region->data + (size_t) (y - region->valid.top) * region->bpl
        + (size_t) (x - region->valid.left) * pixel_bytes;
}

#ifdef __linux__
// glibc declares dladdr only for programs of GNU's dialect of C.
struct cvips_place { const char *file; void *base; const char *symbol; void *address; };
int cvips_dladdr(const void *address, struct cvips_place *place) __asm__("dladdr");

// The path of the library that holds an address; NULL where none does.
static inline const char *cvips_library_path(const void *address) {
    struct cvips_place place;
    return cvips_dladdr(address, &place) ? place.file : NULL;
}
#else
static inline const char *cvips_library_path(const void *address) { return NULL; }
#endif

#endif
