/// A decoded still picture: 8-bit samples of 4:2:0, without gaps between rows.
package struct HEVCPicture: Sendable {
    package let width: Int
    package let height: Int
    /// One sample per pixel.
    package let luma: [UInt8]
    /// One sample per two by two pixels.
    package let blue: [UInt8]
    package let red: [UInt8]
    /// The range and the matrix that the stream states, by the numbers of ITU-T H.273.
    package let isFullRange: Bool
    package let matrix: Int

    /// The width of a row of `blue` and `red`.
    package var chromaWidth: Int { (width + 1) / 2 }
}

/// Why a picture was not decoded.
package enum HEVCDecodingError: Error, Equatable {
    /// libde265 is not installed.
    case unavailable
    /// The data is damaged, or has a feature that this decoder leaves to others.
    case unsupported
    /// The library reported an error or a warning, by its number.
    case library(Int32)
}

/// Decodes still pictures of HEVC with libde265.
///
/// May be called on any thread, and on several concurrently: each call has its own decoder.
package enum HEVCDecoder {
    /// Whether the library is installed.
    package static var isAvailable: Bool { HEVCLibrary.shared != nil }

    /// Decodes one picture.
    ///
    /// - Parameter data: units, each after its length.
    /// - Throws: `HEVCDecodingError`, also for damage that the library would repair or hide.
    package static func decode(
        _ data: [UInt8], _ configuration: HEVCConfiguration
    ) throws(HEVCDecodingError) -> HEVCPicture {
        guard let library = HEVCLibrary.shared else { throw .unavailable }
        guard let units = configuration.units(of: data), data.count <= Int32.max,
            let context = unsafe library.newDecoder()
        else { throw .unsupported }
        // Nothing uses the decoder or its image after this call.
        defer { _ = unsafe library.freeDecoder(context) }
        for set in configuration.parameterSets { try unsafe push(set, set.indices, context, library) }
        for unit in units { try unsafe push(data, unit, context, library) }
        try check(unsafe library.flush(context))
        var more: Int32 = 1
        while more != 0 {
            more = 0
            // Writes one number.
            try check(unsafe library.decode(context, &more))
            guard let image = unsafe library.nextPicture(context) else { continue }
            let warning = unsafe library.warning(context)
            // The library conceals damage, and warns of it.
            guard warning == 0 else { throw .library(warning) }
            return try unsafe picture(image, library)
        }
        throw .unsupported
    }

    /// Copies a unit into the decoder.
    @unsafe private static func push(
        _ bytes: [UInt8], _ range: Range<Int>, _ context: HEVCLibrary.Context, _ library: HEVCLibrary
    ) throws(HEVCDecodingError) {
        // The library copies the bytes of the range, which is inside of the array, before it returns.
        try check(
            unsafe bytes.withUnsafeBytes { bytes in
                let unit = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
                return unsafe library.pushUnit(context, unit.baseAddress, Int32(unit.count), 0, nil)
            })
    }

    private static func check(_ code: Int32) throws(HEVCDecodingError) {
        guard code == 0 else { throw .library(code) }
    }

    @unsafe private static func picture(
        _ image: HEVCLibrary.Image, _ library: HEVCLibrary
    ) throws(HEVCDecodingError) -> HEVCPicture {
        let (width, height) = unsafe (Int(library.width(image, 0)), Int(library.height(image, 0)))
        guard unsafe library.chroma(image) == 1, width > 0, height > 0 else { throw .unsupported }
        let half = ((width + 1) / 2, (height + 1) / 2)
        return try unsafe HEVCPicture(
            width: width, height: height, luma: plane(0, width, height, image, library),
            blue: plane(1, half.0, half.1, image, library),
            red: plane(2, half.0, half.1, image, library),
            isFullRange: library.isFullRange(image) != 0, matrix: Int(library.matrix(image)))
    }

    /// Copies a plane without the gaps between its rows.
    @unsafe private static func plane(
        _ channel: Int32, _ width: Int, _ height: Int, _ image: HEVCLibrary.Image, _ library: HEVCLibrary
    ) throws(HEVCDecodingError) -> [UInt8] {
        guard unsafe Int(library.width(image, channel)) == width,
            unsafe Int(library.height(image, channel)) == height, unsafe library.depth(image, channel) == 8
        else { throw .unsupported }
        var stride: Int32 = 0
        guard let start = unsafe library.plane(image, channel, &stride), Int(stride) >= width else {
            throw .unsupported
        }
        // The plane has `height` rows of `width` samples, `stride` bytes apart, until the decoder is freed.
        return unsafe [UInt8](unsafeUninitializedCapacity: width * height) { buffer, count in
            for y in 0..<height {
                let row = unsafe UnsafeBufferPointer(start: start + y * Int(stride), count: width)
                _ = unsafe buffer[(y * width)..<((y + 1) * width)].initialize(fromContentsOf: row)
            }
            count = width * height
        }
    }
}
