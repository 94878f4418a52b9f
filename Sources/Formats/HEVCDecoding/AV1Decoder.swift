private import Platform

/// A decoded frame: samples of 8 to 12 bits, without gaps between rows.
package struct AV1Picture: Sendable {
    package let width: Int
    package let height: Int
    /// The bits of a sample.
    package let depth: Int
    /// Whether a sample of color serves two pixels of a row, and of a column.
    package let halves: (x: Bool, y: Bool)
    /// Luma, blue and red, each row by row; luma alone without colors.
    package let planes: [[UInt16]]

    /// The width of a row of color.
    package var chromaWidth: Int { halves.x ? (width + 1) / 2 : width }
}

/// Why a frame was not decoded.
package enum AV1DecodingError: Error, Equatable {
    /// dav1d is not installed.
    case unavailable
    /// The data has another kind of samples, or no frame.
    case unsupported
    /// The library reported an error, by its number.
    case library(Int32)
}

/// Decodes sequences of AV1 with dav1d.
///
/// May be called on any thread, and on several concurrently: each call has its own decoder.
package enum AV1Decoder {
    /// Whether the library is installed.
    package static var isAvailable: Bool { AV1Library.shared != nil }

    /// Decodes frames one after the other.
    ///
    /// - Parameters:
    ///   - mostPixels: the most pixels of a frame.
    ///   - sample: returns the data of the next frame; nil at the end.
    ///   - frame: receives each frame; returns whether more are wanted.
    /// - Throws: `AV1DecodingError`, and what the closures throw.
    package static func decode(
        mostPixels: Int, sample: () throws -> [UInt8]?, frame: (AV1Picture) throws -> Bool
    ) throws {
        guard let library = AV1Library.shared else { throw AV1DecodingError.unavailable }
        guard let decoder = unsafe library.open(mostPixels: mostPixels) else {
            throw AV1DecodingError.unavailable
        }
        // Nothing uses the decoder after this call.
        defer { unsafe library.close(decoder) }
        while let data = try sample() {
            var isSent = false
            while !isSent {
                isSent = try unsafe library.send(data, to: decoder)
                var isDrained = false
                while let picture = try unsafe library.picture(of: decoder) {
                    isDrained = true
                    guard try frame(picture) else { return }
                }
                // A decoder that takes nothing has something to give.
                guard isSent || isDrained else { throw AV1DecodingError.unsupported }
            }
        }
        while let picture = try unsafe library.picture(of: decoder) {
            guard try frame(picture) else { return }
        }
    }
}

/// The functions of the shared library dav1d, which is loaded when the first frame is decoded.
///
/// Programs need it neither to build nor to start. Its structures are blocks of memory here that are larger than those of
/// any version; the members that are used have been in the same places since version 1.0 (2022).
///
/// Source: https://code.videolan.org/videolan/dav1d
@safe private struct AV1Library: Sendable {
    typealias Decoder = OpaquePointer
    private typealias Block = UnsafeMutableRawPointer

    private let setDefaults: @convention(c) @Sendable (Block) -> Void
    private let openDecoder: @convention(c) @Sendable (UnsafeMutablePointer<Decoder?>, Block) -> Int32
    private let closeDecoder: @convention(c) @Sendable (UnsafeMutablePointer<Decoder?>) -> Void
    private let createData: @convention(c) @Sendable (Block, Int) -> UnsafeMutablePointer<UInt8>?
    private let releaseData: @convention(c) @Sendable (Block) -> Void
    private let sendData: @convention(c) @Sendable (Decoder, Block) -> Int32
    private let getPicture: @convention(c) @Sendable (Decoder, Block) -> Int32
    private let releasePicture: @convention(c) @Sendable (Block) -> Void

    /// The library; nil where it is not installed.
    static let shared = AV1Library()

    #if canImport(Darwin)
    private static let names = ["libdav1d.7.dylib", "libdav1d.6.dylib"].flatMap {
        [$0, "/opt/homebrew/lib/\($0)", "/usr/local/lib/\($0)"]
    }
    #else
    private static let names = ["libdav1d.so.7", "libdav1d.so.6"]
    #endif

    /// Larger than the structures, which have 96, 72 and 264 bytes in version 1.0.
    private static let blockSize = 4096
    private static let wantsMore = -Int32(EAGAIN)

    private init?() {
        // Never closed, so the functions stay valid.
        let libraries = unsafe Self.names.lazy.compactMap { unsafe dlopen($0, RTLD_NOW) }
        guard let library = unsafe libraries.first,
            let setDefaults: @convention(c) @Sendable (Block) -> Void = unsafe Self.function(
                "dav1d_default_settings", of: library),
            let openDecoder: @convention(c) @Sendable (UnsafeMutablePointer<Decoder?>, Block) -> Int32 =
                unsafe Self.function("dav1d_open", of: library),
            let closeDecoder: @convention(c) @Sendable (UnsafeMutablePointer<Decoder?>) -> Void =
                unsafe Self.function("dav1d_close", of: library),
            let createData: @convention(c) @Sendable (Block, Int) -> UnsafeMutablePointer<UInt8>? =
                unsafe Self.function("dav1d_data_create", of: library),
            let releaseData: @convention(c) @Sendable (Block) -> Void = unsafe Self.function(
                "dav1d_data_unref", of: library),
            let sendData: @convention(c) @Sendable (Decoder, Block) -> Int32 = unsafe Self.function(
                "dav1d_send_data", of: library),
            let getPicture: @convention(c) @Sendable (Decoder, Block) -> Int32 = unsafe Self.function(
                "dav1d_get_picture", of: library),
            let releasePicture: @convention(c) @Sendable (Block) -> Void = unsafe Self.function(
                "dav1d_picture_unref", of: library)
        else { return nil }
        (unsafe self.setDefaults, unsafe self.openDecoder) = unsafe (setDefaults, openDecoder)
        (unsafe self.closeDecoder, unsafe self.createData) = unsafe (closeDecoder, createData)
        (unsafe self.releaseData, unsafe self.sendData) = unsafe (releaseData, sendData)
        (unsafe self.getPicture, unsafe self.releasePicture) = unsafe (getPicture, releasePicture)
    }

    @unsafe private static func function<Function>(
        _ name: String, of library: UnsafeMutableRawPointer
    ) -> Function? {
        // The type that callers name is that of the header.
        unsafe dlsym(library, name).map { unsafe unsafeBitCast($0, to: Function.self) }
    }

    /// Calls a function with a block of zeros.
    @unsafe private func withBlock<R>(_ body: (Block) throws -> R) rethrows -> R {
        let block = Block.allocate(byteCount: Self.blockSize, alignment: 16)
        defer { unsafe block.deallocate() }
        unsafe block.initializeMemory(as: UInt8.self, repeating: 0, count: Self.blockSize)
        return try unsafe body(block)
    }

    /// Returns a decoder that gives each frame as soon as it has its data.
    @unsafe func open(mostPixels: Int) -> Decoder? {
        unsafe withBlock { settings in
            unsafe setDefaults(settings)
            // The most frames that are held back, and the most pixels of one.
            unsafe settings.storeBytes(of: 1, toByteOffset: 4, as: Int32.self)
            unsafe settings.storeBytes(
                of: UInt32(clamping: mostPixels), toByteOffset: 20, as: UInt32.self)
            var decoder: Decoder?
            return unsafe openDecoder(&decoder, settings) == 0 ? decoder : nil
        }
    }

    @unsafe func close(_ decoder: Decoder) {
        var decoder: Decoder? = unsafe decoder
        unsafe closeDecoder(&decoder)
    }

    /// Returns whether the decoder took the data; otherwise pictures have to be taken first.
    @unsafe func send(_ bytes: [UInt8], to decoder: Decoder) throws -> Bool {
        guard !bytes.isEmpty else { throw AV1DecodingError.unsupported }
        return try unsafe withBlock { data in
            guard let start = unsafe createData(data, bytes.count) else { throw AV1DecodingError.unsupported }
            // The library has as many bytes, and keeps them with the data.
            unsafe bytes.withUnsafeBytes { source in
                unsafe UnsafeMutableRawPointer(start).copyMemory(
                    from: source.baseAddress!, byteCount: source.count)
            }
            let code = unsafe sendData(decoder, data)
            if code == 0 { return true }
            unsafe releaseData(data)
            guard code == Self.wantsMore else { throw AV1DecodingError.library(code) }
            return false
        }
    }

    /// Returns the next picture; nil where more data is needed.
    @unsafe func picture(of decoder: Decoder) throws -> AV1Picture? {
        try unsafe withBlock { block in
            let code = unsafe getPicture(decoder, block)
            guard code != Self.wantsMore else { return nil }
            guard code == 0 else { throw AV1DecodingError.library(code) }
            defer { unsafe releasePicture(block) }
            let numbers = [56, 60, 64, 68].map {
                unsafe Int(block.load(fromByteOffset: $0, as: Int32.self))
            }
            let (width, height, layout, depth) = (numbers[0], numbers[1], numbers[2], numbers[3])
            guard width > 0, height > 0, (0...3).contains(layout), (8...16).contains(depth) else {
                throw AV1DecodingError.unsupported
            }
            let halves = (x: layout == 1 || layout == 2, y: layout == 1)
            let chroma = (halves.x ? (width + 1) / 2 : width, halves.y ? (height + 1) / 2 : height)
            var planes: [[UInt16]] = []
            for plane in 0..<(layout == 0 ? 1 : 3) {
                let start = unsafe block.load(fromByteOffset: 16 + 8 * plane, as: UnsafeRawPointer?.self)
                let stride = unsafe block.load(fromByteOffset: plane == 0 ? 40 : 48, as: Int.self)
                let size = plane == 0 ? (width, height) : chroma
                guard let start = unsafe start, abs(stride) >= size.0 * (depth > 8 ? 2 : 1) else {
                    throw AV1DecodingError.unsupported
                }
                planes.append(unsafe Self.samples(start, stride, size.0, size.1, isWide: depth > 8))
            }
            return AV1Picture(width: width, height: height, depth: depth, halves: halves, planes: planes)
        }
    }

    /// Copies a plane of `height` rows of `width` samples, `stride` bytes apart, which stay until the picture is released.
    @unsafe private static func samples(
        _ start: UnsafeRawPointer, _ stride: Int, _ width: Int, _ height: Int, isWide: Bool
    ) -> [UInt16] {
        unsafe [UInt16](unsafeUninitializedCapacity: width * height) { buffer, count in
            for y in 0..<height {
                let row = unsafe start + y * stride
                for x in 0..<width {
                    let sample =
                        isWide
                        ? unsafe row.load(fromByteOffset: 2 * x, as: UInt16.self)
                        : UInt16(unsafe row.load(fromByteOffset: x, as: UInt8.self))
                    unsafe buffer.initializeElement(at: y * width + x, to: sample)
                }
            }
            count = width * height
        }
    }
}
