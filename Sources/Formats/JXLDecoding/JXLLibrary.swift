private import Platform

/// The functions of the shared library libjxl, which is loaded when the first picture is decoded.
///
/// Programs need it neither to build nor to start. The functions and types are those of decode.h and
/// thread_parallel_runner.h, which have been the same since version 0.7 (2022).
///
/// Source: https://github.com/libjxl/libjxl
@safe struct JXLLibrary: Sendable {
    // The signatures are those of the headers. Decoders and runners are opaque to callers.
    typealias Decoder = OpaquePointer
    typealias Runner = UnsafeMutableRawPointer

    /// The layout of pixels, as the header declares it; functions get its address.
    struct PixelFormat {
        var channels: UInt32
        var type: UInt32
        /// 0 stands for the byte order of the machine.
        var byteOrder: UInt32 = 0
        var alignment = 0
    }

    let newDecoder: @convention(c) @Sendable (UnsafeRawPointer?) -> Decoder?
    let freeDecoder: @convention(c) @Sendable (Decoder) -> Void
    let subscribe: @convention(c) @Sendable (Decoder, Int32) -> UInt32
    let setInput: @convention(c) @Sendable (Decoder, UnsafePointer<UInt8>?, Int) -> UInt32
    let process: @convention(c) @Sendable (Decoder) -> UInt32
    let bufferSize: @convention(c) @Sendable (Decoder, UnsafeRawPointer, UnsafeMutablePointer<Int>) -> UInt32
    let setBuffer:
        @convention(c) @Sendable (Decoder, UnsafeRawPointer, UnsafeMutableRawPointer, Int) -> UInt32
    let unpremultiply: @convention(c) @Sendable (Decoder, Int32) -> UInt32
    let setRunner: @convention(c) @Sendable (Decoder, UnsafeMutableRawPointer?, Runner?) -> UInt32
    /// The runner of threads, which is in a library of its own; nil where that is not installed.
    let threads: Threads?

    @safe struct Threads: @unchecked Sendable {
        let new: @convention(c) @Sendable (UnsafeRawPointer?, Int) -> Runner?
        let free: @convention(c) @Sendable (Runner) -> Void
        /// A function of the library, which is never closed.
        let run: UnsafeMutableRawPointer
    }

    /// The library; nil where it is not installed.
    static let shared = JXLLibrary()

    private static func names(_ name: String) -> [String] {
        #if canImport(Darwin)
        ["\(name).dylib", "/opt/homebrew/lib/\(name).dylib", "/usr/local/lib/\(name).dylib"]
        #else
        (7...20).reversed().map { "\(name).so.0.\($0)" }
        #endif
    }

    /// Loads the first of some versions, but one that is loaded already before all others.
    private static func open(_ name: String) -> UnsafeMutableRawPointer? {
        let names = names(name)
        // Never closed, so the functions stay valid.
        let loaded = unsafe names.lazy.compactMap { unsafe dlopen($0, RTLD_NOW | RTLD_NOLOAD) }.first
        if let loaded = unsafe loaded { return unsafe loaded }
        return unsafe names.lazy.compactMap { unsafe dlopen($0, RTLD_NOW) }.first
    }

    private init?() {
        guard let library = unsafe Self.open("libjxl"),
            let newDecoder: @convention(c) @Sendable (UnsafeRawPointer?) -> Decoder? = unsafe Self.function(
                "JxlDecoderCreate", of: library),
            let freeDecoder: @convention(c) @Sendable (Decoder) -> Void = unsafe Self.function(
                "JxlDecoderDestroy", of: library),
            let subscribe: @convention(c) @Sendable (Decoder, Int32) -> UInt32 = unsafe Self.function(
                "JxlDecoderSubscribeEvents", of: library),
            let setInput: @convention(c) @Sendable (Decoder, UnsafePointer<UInt8>?, Int) -> UInt32 =
                unsafe Self.function("JxlDecoderSetInput", of: library),
            let process: @convention(c) @Sendable (Decoder) -> UInt32 = unsafe Self.function(
                "JxlDecoderProcessInput", of: library),
            let bufferSize:
                @convention(c) @Sendable (
                    Decoder, UnsafeRawPointer, UnsafeMutablePointer<Int>
                ) -> UInt32 = unsafe Self.function("JxlDecoderImageOutBufferSize", of: library),
            let setBuffer:
                @convention(c) @Sendable (
                    Decoder, UnsafeRawPointer, UnsafeMutableRawPointer, Int
                ) -> UInt32 = unsafe Self.function("JxlDecoderSetImageOutBuffer", of: library),
            let unpremultiply: @convention(c) @Sendable (Decoder, Int32) -> UInt32 = unsafe Self.function(
                "JxlDecoderSetUnpremultiplyAlpha", of: library),
            let setRunner: @convention(c) @Sendable (Decoder, UnsafeMutableRawPointer?, Runner?) -> UInt32 =
                unsafe Self.function("JxlDecoderSetParallelRunner", of: library)
        else { return nil }
        (unsafe self.newDecoder, unsafe self.freeDecoder) = unsafe (newDecoder, freeDecoder)
        (unsafe self.subscribe, unsafe self.process) = unsafe (subscribe, process)
        unsafe self.setInput = unsafe setInput
        (unsafe self.bufferSize, unsafe self.setBuffer) = unsafe (bufferSize, setBuffer)
        (unsafe self.unpremultiply, unsafe self.setRunner) = unsafe (unpremultiply, setRunner)
        threads = Self.threads
    }

    private static var threads: Threads? {
        guard let library = unsafe open("libjxl_threads"),
            let new: @convention(c) @Sendable (UnsafeRawPointer?, Int) -> Runner? = unsafe function(
                "JxlThreadParallelRunnerCreate", of: library),
            let free: @convention(c) @Sendable (Runner) -> Void = unsafe function(
                "JxlThreadParallelRunnerDestroy", of: library),
            let run = unsafe dlsym(library, "JxlThreadParallelRunner")
        else { return nil }
        return unsafe Threads(new: new, free: free, run: run)
    }

    @unsafe private static func function<Function>(
        _ name: String, of library: UnsafeMutableRawPointer
    ) -> Function? {
        // The type that callers name is that of the header.
        unsafe dlsym(library, name).map { unsafe unsafeBitCast($0, to: Function.self) }
    }
}
