// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import CVips

// libvips' functions as its headers declare them, found when libvips is first needed: see `LibVips`.
//
// The names are C's and stand before those of the header, so that calls read, and are checked, as calls of C.
// On Linux a function that is not in this list cannot be linked: add it.

typealias CText = UnsafePointer<CChar>
typealias CImage = UnsafeMutablePointer<CVips.VipsImage>
typealias CRegion = UnsafeMutablePointer<CVips.VipsRegion>
typealias COperation = UnsafeMutablePointer<CVips.VipsOperation>
typealias CAddress = UnsafeMutableRawPointer

// Library

let vips_init: @convention(c) @Sendable (CText?) -> Int32 = unsafe LibVips.function("vips_init")
let vips_block_untrusted_set: @convention(c) @Sendable (gboolean) -> Void = unsafe LibVips.function(
    "vips_block_untrusted_set")
let vips_cache_drop_all: @convention(c) @Sendable () -> Void = unsafe LibVips.function("vips_cache_drop_all")
let vips_cache_set_max: @convention(c) @Sendable (Int32) -> Void = unsafe LibVips.function(
    "vips_cache_set_max")
let vips_concurrency_set: @convention(c) @Sendable (Int32) -> Void = unsafe LibVips.function(
    "vips_concurrency_set")
let vips_error_buffer_copy: @convention(c) @Sendable () -> UnsafeMutablePointer<CChar>? =
    unsafe LibVips.function("vips_error_buffer_copy")

let vips_version: @convention(c) @Sendable (Int32) -> Int32 = unsafe LibVips.function("vips_version")

// GModule, on which libvips depends

let g_module_open: @convention(c) @Sendable (CText?, UInt32) -> CAddress? = unsafe LibVips.function(
    "g_module_open")

// Types and values

let vips_array_double_get_type: @convention(c) @Sendable () -> GType = unsafe LibVips.function(
    "vips_array_double_get_type")
let vips_array_image_get_type: @convention(c) @Sendable () -> GType = unsafe LibVips.function(
    "vips_array_image_get_type")
let vips_blob_get_type: @convention(c) @Sendable () -> GType = unsafe LibVips.function("vips_blob_get_type")
let vips_coding_get_type: @convention(c) @Sendable () -> GType = unsafe LibVips.function(
    "vips_coding_get_type")
let vips_image_get_type: @convention(c) @Sendable () -> GType = unsafe LibVips.function("vips_image_get_type")
let vips_source_get_type: @convention(c) @Sendable () -> GType = unsafe LibVips.function(
    "vips_source_get_type")
let vips_source_custom_new: @convention(c) @Sendable () -> UnsafeMutablePointer<VipsSourceCustom>? =
    unsafe LibVips.function("vips_source_custom_new")
let vips_interpretation_get_type: @convention(c) @Sendable () -> GType = unsafe LibVips.function(
    "vips_interpretation_get_type")
let vips_enum_from_nick: @convention(c) @Sendable (CText?, GType, CText?) -> Int32 = unsafe LibVips.function(
    "vips_enum_from_nick")
let vips_enum_nick: @convention(c) @Sendable (GType, Int32) -> CText = unsafe LibVips.function(
    "vips_enum_nick")
let vips_area_unref: @convention(c) @Sendable (UnsafeMutablePointer<VipsArea>?) -> Void =
    unsafe LibVips.function("vips_area_unref")
let vips_blob_copy: @convention(c) @Sendable (UnsafeRawPointer?, Int) -> UnsafeMutablePointer<VipsBlob>? =
    unsafe LibVips.function("vips_blob_copy")
let vips_value_get_array_image:
    @convention(c) @Sendable (UnsafePointer<GValue>?, UnsafeMutablePointer<Int32>?) -> UnsafeMutablePointer<
        CImage?
    >? = unsafe LibVips.function("vips_value_get_array_image")
let vips_value_get_blob:
    @convention(c) @Sendable (UnsafePointer<GValue>?, UnsafeMutablePointer<Int>?) -> CAddress? =
        unsafe LibVips.function("vips_value_get_blob")
let vips_value_set_array_double:
    @convention(c) @Sendable (UnsafeMutablePointer<GValue>?, UnsafePointer<Double>?, Int32) -> Void =
        unsafe LibVips.function("vips_value_set_array_double")
let vips_value_set_array_image: @convention(c) @Sendable (UnsafeMutablePointer<GValue>?, Int32) -> Void =
    unsafe LibVips.function("vips_value_set_array_image")

// Operations

let vips_operation_new: @convention(c) @Sendable (CText?) -> COperation? = unsafe LibVips.function(
    "vips_operation_new")
let vips_operation_get_flags: @convention(c) @Sendable (COperation?) -> VipsOperationFlags =
    unsafe LibVips.function("vips_operation_get_flags")
let vips_object_build: @convention(c) @Sendable (UnsafeMutablePointer<VipsObject>?) -> Int32 =
    unsafe LibVips.function("vips_object_build")
let vips_object_unref_outputs: @convention(c) @Sendable (UnsafeMutablePointer<VipsObject>?) -> Void =
    unsafe LibVips.function("vips_object_unref_outputs")

// Files

let vips_filename_suffix_match: @convention(c) @Sendable (CText?, UnsafeMutablePointer<CText?>?) -> Int32 =
    unsafe LibVips.function("vips_filename_suffix_match")
let vips_foreign_flags: @convention(c) @Sendable (CText?, CText?) -> VipsForeignFlags =
    unsafe LibVips.function("vips_foreign_flags")
let vips_foreign_map: @convention(c) @Sendable (CText?, VipsSListMap2Fn?, CAddress?, CAddress?) -> CAddress? =
    unsafe LibVips.function("vips_foreign_map")
let vips_image_new_from_file_raw: @convention(c) @Sendable (CText?, Int32, Int32, Int32, guint64) -> CImage? =
    unsafe LibVips.function("vips_image_new_from_file_raw")

// Images

let vips_image_new: @convention(c) @Sendable () -> CImage? = unsafe LibVips.function("vips_image_new")
let vips_image_new_from_memory_copy:
    @convention(c) @Sendable (UnsafeRawPointer?, Int, Int32, Int32, Int32, VipsBandFormat) -> CImage? =
        unsafe LibVips.function("vips_image_new_from_memory_copy")
let vips_image_write_to_memory: @convention(c) @Sendable (CImage?, UnsafeMutablePointer<Int>?) -> CAddress? =
    unsafe LibVips.function("vips_image_write_to_memory")
let vips_image_get_width: @convention(c) @Sendable (CImage?) -> Int32 = unsafe LibVips.function(
    "vips_image_get_width")
let vips_image_get_height: @convention(c) @Sendable (CImage?) -> Int32 = unsafe LibVips.function(
    "vips_image_get_height")
let vips_image_get_xoffset: @convention(c) @Sendable (CImage?) -> Int32 = unsafe LibVips.function(
    "vips_image_get_xoffset")
let vips_image_get_yoffset: @convention(c) @Sendable (CImage?) -> Int32 = unsafe LibVips.function(
    "vips_image_get_yoffset")
let vips_image_get_bands: @convention(c) @Sendable (CImage?) -> Int32 = unsafe LibVips.function(
    "vips_image_get_bands")
let vips_image_get_format: @convention(c) @Sendable (CImage?) -> VipsBandFormat = unsafe LibVips.function(
    "vips_image_get_format")
let vips_image_get_coding: @convention(c) @Sendable (CImage?) -> VipsCoding = unsafe LibVips.function(
    "vips_image_get_coding")
let vips_image_guess_interpretation: @convention(c) @Sendable (CImage?) -> VipsInterpretation =
    unsafe LibVips.function("vips_image_guess_interpretation")
let vips_image_hasalpha: @convention(c) @Sendable (CImage?) -> gboolean = unsafe LibVips.function(
    "vips_image_hasalpha")
let vips_image_init_fields:
    @convention(c) @Sendable (
        CImage?, Int32, Int32, Int32, VipsBandFormat, VipsCoding, VipsInterpretation, Double, Double
    ) -> Void = unsafe LibVips.function("vips_image_init_fields")
let vips_image_pipeline_array:
    @convention(c) @Sendable (CImage?, VipsDemandStyle, UnsafeMutablePointer<CImage?>?) -> Int32 =
        unsafe LibVips.function("vips_image_pipeline_array")
let vips_image_generate:
    @convention(c) @Sendable (CImage?, VipsStartFn?, VipsGenerateFn?, VipsStopFn?, CAddress?, CAddress?) ->
        Int32 = unsafe LibVips.function("vips_image_generate")
let vips_image_set_progress: @convention(c) @Sendable (CImage?, gboolean) -> Void = unsafe LibVips.function(
    "vips_image_set_progress")
let vips_image_set_kill: @convention(c) @Sendable (CImage?, gboolean) -> Void = unsafe LibVips.function(
    "vips_image_set_kill")
let vips_region_new: @convention(c) @Sendable (CImage?) -> CRegion? = unsafe LibVips.function(
    "vips_region_new")
let vips_region_prepare: @convention(c) @Sendable (CRegion?, UnsafePointer<CVips.VipsRect>?) -> Int32 =
    unsafe LibVips.function("vips_region_prepare")
let vips_region_black: @convention(c) @Sendable (CRegion?) -> Void = unsafe LibVips.function(
    "vips_region_black")
let vips_region_region:
    @convention(c) @Sendable (CRegion?, CRegion?, UnsafePointer<CVips.VipsRect>?, Int32, Int32) -> Int32 =
        unsafe LibVips.function("vips_region_region")
let vips_start_one: @convention(c) @Sendable (CImage?, CAddress?, CAddress?) -> CAddress? =
    unsafe LibVips.function("vips_start_one")
let vips_stop_one: @convention(c) @Sendable (CAddress?, CAddress?, CAddress?) -> Int32 =
    unsafe LibVips.function("vips_stop_one")

// Metadata

let vips_image_get_typeof: @convention(c) @Sendable (CImage?, CText?) -> GType = unsafe LibVips.function(
    "vips_image_get_typeof")
let vips_image_get_fields:
    @convention(c) @Sendable (CImage?) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
        unsafe LibVips.function("vips_image_get_fields")
let vips_image_get: @convention(c) @Sendable (CImage?, CText?, UnsafeMutablePointer<GValue>?) -> Int32 =
    unsafe LibVips.function("vips_image_get")
let vips_image_set: @convention(c) @Sendable (CImage?, CText?, UnsafeMutablePointer<GValue>?) -> Void =
    unsafe LibVips.function("vips_image_set")
let vips_image_get_int: @convention(c) @Sendable (CImage?, CText?, UnsafeMutablePointer<Int32>?) -> Int32 =
    unsafe LibVips.function("vips_image_get_int")
let vips_image_get_string:
    @convention(c) @Sendable (CImage?, CText?, UnsafeMutablePointer<CText?>?) -> Int32 =
        unsafe LibVips.function("vips_image_get_string")
let vips_image_get_blob:
    @convention(c) @Sendable (
        CImage?, CText?, UnsafeMutablePointer<UnsafeRawPointer?>?, UnsafeMutablePointer<Int>?
    ) -> Int32 = unsafe LibVips.function("vips_image_get_blob")
let vips_image_get_array_int:
    @convention(c) @Sendable (
        CImage?, CText?, UnsafeMutablePointer<UnsafeMutablePointer<Int32>?>?, UnsafeMutablePointer<Int32>?
    ) -> Int32 = unsafe LibVips.function("vips_image_get_array_int")
let vips_image_set_int: @convention(c) @Sendable (CImage?, CText?, Int32) -> Void = unsafe LibVips.function(
    "vips_image_set_int")
let vips_image_set_array_int:
    @convention(c) @Sendable (CImage?, CText?, UnsafePointer<Int32>?, Int32) -> Void =
        unsafe LibVips.function("vips_image_set_array_int")
let vips_image_set_blob_copy: @convention(c) @Sendable (CImage?, CText?, UnsafeRawPointer?, Int) -> Void =
    unsafe LibVips.function("vips_image_set_blob_copy")
let vips_image_remove: @convention(c) @Sendable (CImage?, CText?) -> gboolean = unsafe LibVips.function(
    "vips_image_remove")
