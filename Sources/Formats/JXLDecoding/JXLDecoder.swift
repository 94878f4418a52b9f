/// Why a picture was not decoded.
package enum JXLDecodingError: Error, Equatable {
    /// libjxl is not installed.
    case unavailable
    /// The file ends before its first picture does.
    case truncated
    /// The data is damaged, or has another size than was asked for.
    case undecodable
}

/// Decodes JPEG XL with libjxl.
///
/// The decoder gets the whole file at once: version 0.7 fails at many large files that come in small pieces, as those of
/// libvips 8.14 do. May be called on any thread, and on several concurrently: each call has its own decoder.
package enum JXLDecoder {
    /// A sample of the result, by the number of its type in libjxl.
    package enum Sample: UInt32, Sendable {
        case float32 = 0
        case uint8 = 2
        case uint16 = 3
    }

    /// Whether the library is installed.
    package static var isAvailable: Bool { JXLLibrary.shared != nil }

    // Numbers of decode.h.
    private static let (success, needsInput, needsBuffer): (UInt32, UInt32, UInt32) = (0, 2, 5)
    private static let wholePicture: UInt32 = 0x1000

    /// Decodes the first picture: rows from the top, samples interleaved, alpha last and straight.
    ///
    /// - Parameters:
    ///   - count: the bytes of all samples.
    ///   - bands: 1 to 4, alpha included.
    /// - Throws: `JXLDecodingError`, also where the picture has another number of bytes.
    package static func decode(
        _ file: [UInt8], bands: Int, sample: Sample, count: Int, threads: Int
    ) throws(JXLDecodingError) -> [UInt8] {
        guard let library = JXLLibrary.shared else { throw .unavailable }
        guard (1...4).contains(bands), let decoder = unsafe library.newDecoder(nil) else {
            throw .undecodable
        }
        let runner = unsafe library.threads.flatMap { unsafe $0.new(nil, max(1, threads)) }
        // Nothing uses the decoder after this call, nor the runner after the decoder.
        defer {
            unsafe library.freeDecoder(decoder)
            if let runner = unsafe runner { unsafe library.threads?.free(runner) }
        }
        if unsafe runner != nil {
            guard unsafe library.setRunner(decoder, library.threads?.run, runner) == success else {
                throw .undecodable
            }
        }
        guard unsafe library.subscribe(decoder, Int32(wholePicture)) == success,
            unsafe library.unpremultiply(decoder, 1) == success
        else { throw .undecodable }
        var format = JXLLibrary.PixelFormat(channels: UInt32(bands), type: sample.rawValue)
        var failure: JXLDecodingError?
        // Both arrays outlive the decoder's use of them, and it writes exactly `count` bytes.
        let samples = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            failure = unsafe file.withUnsafeBufferPointer { bytes in
                unsafe run(decoder, library, bytes, &format, buffer)
            }
            if failure != nil { unsafe buffer.initialize(repeating: 0) }
            initialized = count
        }
        if let failure { throw failure }
        return samples
    }

    /// Returns the failure; nil where the buffer has the picture.
    private static func run(
        _ decoder: JXLLibrary.Decoder, _ library: JXLLibrary, _ bytes: UnsafeBufferPointer<UInt8>,
        _ format: inout JXLLibrary.PixelFormat, _ buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> JXLDecodingError? {
        guard unsafe library.setInput(decoder, bytes.baseAddress, bytes.count) == success,
            let start = buffer.baseAddress
        else { return .undecodable }
        // The input is not closed: then a file that ends early could not be told from a damaged one.
        var hasBuffer = false
        while true {
            switch unsafe library.process(decoder) {
            case needsBuffer:
                var size = 0
                guard unsafe library.bufferSize(decoder, &format, &size) == success,
                    size == buffer.count,
                    unsafe library.setBuffer(decoder, &format, start, size) == success
                else { return .undecodable }
                hasBuffer = true
            case wholePicture: return hasBuffer ? nil : .undecodable
            case needsInput: return .truncated
            default: return .undecodable
            }
        }
    }
}
