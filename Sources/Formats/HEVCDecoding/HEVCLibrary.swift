private import Platform

/// The functions of the shared library libde265, which is loaded when the first picture is decoded.
///
/// Programs need it neither to build nor to start. The functions and types are those of de265.h, which have been the
/// same since version 0.6 (2014).
///
/// Source: https://github.com/strukturag/libde265
@safe struct HEVCLibrary: Sendable {
    // The signatures are those of the header. Contexts and images are opaque to callers.
    typealias Context = OpaquePointer
    typealias Image = OpaquePointer

    let newDecoder: @convention(c) @Sendable () -> Context?
    let freeDecoder: @convention(c) @Sendable (Context) -> Int32
    let pushUnit:
        @convention(c) @Sendable (Context, UnsafeRawPointer?, Int32, Int64, UnsafeMutableRawPointer?) -> Int32
    let flush: @convention(c) @Sendable (Context) -> Int32
    let decode: @convention(c) @Sendable (Context, UnsafeMutablePointer<Int32>) -> Int32
    let warning: @convention(c) @Sendable (Context) -> Int32
    let nextPicture: @convention(c) @Sendable (Context) -> Image?
    let plane: @convention(c) @Sendable (Image, Int32, UnsafeMutablePointer<Int32>) -> UnsafePointer<UInt8>?
    let width: @convention(c) @Sendable (Image, Int32) -> Int32
    let height: @convention(c) @Sendable (Image, Int32) -> Int32
    let depth: @convention(c) @Sendable (Image, Int32) -> Int32
    let chroma: @convention(c) @Sendable (Image) -> Int32
    let isFullRange: @convention(c) @Sendable (Image) -> Int32
    let matrix: @convention(c) @Sendable (Image) -> Int32

    /// The library; nil where it is not installed.
    static let shared = HEVCLibrary()

    #if canImport(Darwin)
    private static let names = [
        "libde265.0.dylib", "/opt/homebrew/lib/libde265.0.dylib", "/usr/local/lib/libde265.0.dylib",
    ]
    #else
    private static let names = ["libde265.so.0"]
    #endif

    private init?() {
        // Never closed, so the functions stay valid.
        let libraries = unsafe Self.names.lazy.compactMap { unsafe dlopen($0, RTLD_NOW) }
        guard let library = unsafe libraries.first,
            let start: @convention(c) () -> Int32 = unsafe Self.function("de265_init", of: library),
            start() == 0,
            let newDecoder: @convention(c) @Sendable () -> Context? = unsafe Self.function(
                "de265_new_decoder", of: library),
            let freeDecoder: @convention(c) @Sendable (Context) -> Int32 = unsafe Self.function(
                "de265_free_decoder", of: library),
            let pushUnit:
                @convention(c) @Sendable (
                    Context, UnsafeRawPointer?, Int32, Int64, UnsafeMutableRawPointer?
                ) -> Int32 = unsafe Self.function("de265_push_NAL", of: library),
            let flush: @convention(c) @Sendable (Context) -> Int32 = unsafe Self.function(
                "de265_flush_data", of: library),
            let decode: @convention(c) @Sendable (Context, UnsafeMutablePointer<Int32>) -> Int32 =
                unsafe Self.function("de265_decode", of: library),
            let warning: @convention(c) @Sendable (Context) -> Int32 = unsafe Self.function(
                "de265_get_warning", of: library),
            let nextPicture: @convention(c) @Sendable (Context) -> Image? = unsafe Self.function(
                "de265_get_next_picture", of: library),
            let plane:
                @convention(c) @Sendable (Image, Int32, UnsafeMutablePointer<Int32>) -> UnsafePointer<UInt8>?
                =
                unsafe Self.function("de265_get_image_plane", of: library),
            let width: @convention(c) @Sendable (Image, Int32) -> Int32 = unsafe Self.function(
                "de265_get_image_width", of: library),
            let height: @convention(c) @Sendable (Image, Int32) -> Int32 = unsafe Self.function(
                "de265_get_image_height", of: library),
            let depth: @convention(c) @Sendable (Image, Int32) -> Int32 = unsafe Self.function(
                "de265_get_bits_per_pixel", of: library),
            let chroma: @convention(c) @Sendable (Image) -> Int32 = unsafe Self.function(
                "de265_get_chroma_format", of: library),
            let isFullRange: @convention(c) @Sendable (Image) -> Int32 = unsafe Self.function(
                "de265_get_image_full_range_flag", of: library),
            let matrix: @convention(c) @Sendable (Image) -> Int32 = unsafe Self.function(
                "de265_get_image_matrix_coefficients", of: library)
        else { return nil }
        (unsafe self.newDecoder, unsafe self.freeDecoder, unsafe self.pushUnit) = unsafe (
            newDecoder, freeDecoder, pushUnit
        )
        (unsafe self.flush, unsafe self.decode, unsafe self.warning) = unsafe (flush, decode, warning)
        (unsafe self.nextPicture, unsafe self.plane) = unsafe (nextPicture, plane)
        (unsafe self.width, unsafe self.height, unsafe self.depth) = unsafe (width, height, depth)
        (unsafe self.chroma, unsafe self.isFullRange, unsafe self.matrix) = unsafe (
            chroma, isFullRange, matrix
        )
    }

    @unsafe private static func function<Function>(
        _ name: String, of library: UnsafeMutableRawPointer
    ) -> Function? {
        // The type that callers name is that of the header.
        unsafe dlsym(library, name).map { unsafe unsafeBitCast($0, to: Function.self) }
    }
}
