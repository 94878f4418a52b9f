internal import Containers
internal import Platform

/// Decompression of the boxes of JPEG XL that are compressed with Brotli, by libbrotlidec.
///
/// The library is loaded when the first such box is read; every libjxl needs it, so it is where files of JPEG XL are shown.
enum Brotli {
    private typealias Decompress =
        @convention(c) @Sendable (
            Int, UnsafePointer<UInt8>?, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UInt8>?
        ) -> Int32

    #if canImport(Darwin)
    private static let names = [
        "libbrotlidec.1.dylib", "/opt/homebrew/lib/libbrotlidec.1.dylib",
        "/usr/local/lib/libbrotlidec.1.dylib",
    ]
    #else
    private static let names = ["libbrotlidec.so.1"]
    #endif

    // Never closed, so the function stays valid; the type is that of the header.
    private static let decompress: Decompress? = unsafe names.lazy.compactMap { unsafe dlopen($0, RTLD_NOW) }
        .first.flatMap { unsafe dlsym($0, "BrotliDecoderDecompress") }
        .map { unsafe unsafeBitCast($0, to: Decompress.self) }

    /// Returns the content of a stream; nil if it is damaged or longer than a limit, or if the library is missing.
    static func inflated(_ bytes: FileBytes, limit: Int) -> [UInt8]? {
        guard let decompress = unsafe decompress, bytes.count <= limit else { return nil }
        let input = bytes.array
        var capacity = min(limit, max(1 << 16, 8 * input.count))
        while true {
            var isWhole = false
            // The function writes at most the count that it is given, and sets it to what it wrote.
            let output = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                count = capacity
                // The array lends its memory for this call only.
                let result = unsafe input.withUnsafeBufferPointer {
                    unsafe decompress($0.count, $0.baseAddress, &count, output.baseAddress)
                }
                isWhole = result == 1
                if !isWhole { count = 0 }
            }
            if isWhole { return output }
            // It does not tell a damaged stream from a long one.
            guard capacity < limit else { return nil }
            capacity = min(limit, 8 * capacity)
        }
    }
}
