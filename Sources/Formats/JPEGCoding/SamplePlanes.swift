private import CTurboJPEG

/// The samples of an image, component by component, each of which has its own rows without gaps.
///
/// Components are luma and two of chroma, which may have fewer samples; or gray; or red, green and blue.
package struct SamplePlanes: Sendable {
    /// The samples of a row of the first plane, and its rows.
    package let width: Int
    package let height: Int
    /// The planes: 1 or 3.
    package let count: Int
    /// The samples of the first plane across and down one sample of the others.
    package let sampling: (across: Int, down: Int)
    /// All planes, one after another.
    package var samples: [UInt8]

    /// Creates black planes.
    ///
    /// - Precondition: `width` and `height` are multiples of the sampling.
    package init(width: Int, height: Int, count: Int, sampling: (across: Int, down: Int)) {
        precondition(width > 0 && width % sampling.across == 0 && height % sampling.down == 0)
        precondition(count == 1 || count == 3, "gray or color")
        (self.width, self.height, self.count, self.sampling) = (width, height, count, sampling)
        let chroma = width / sampling.across * (height / sampling.down)
        samples = [UInt8](repeating: 0, count: width * height + (count - 1) * chroma)
    }

    /// Returns the size of a plane.
    package func size(of plane: Int) -> (width: Int, height: Int) {
        plane == 0 ? (width, height) : (width / sampling.across, height / sampling.down)
    }

    /// Returns the samples of a row of a plane, as a range of `samples`.
    package func row(_ y: Int, of plane: Int) -> Range<Int> {
        let size = size(of: plane)
        let start = plane == 0 ? 0 : width * height + (plane - 1) * size.width * size.height
        return (start + y * size.width)..<(start + (y + 1) * size.width)
    }

    /// The index in `samples` of each plane's first sample from a row and a column of the first plane on.
    func starts(row: Int = 0, column: Int = 0) -> [Int] {
        (0..<count).map { plane in
            let divisor = plane == 0 ? (across: 1, down: 1) : sampling
            return self.row(row / divisor.down, of: plane).lowerBound + column / divisor.across
        }
    }
}

/// Encodes squares of planes as JPEGs that share their tables, with the standard's Huffman tables.
@safe package struct JPEGTileEncoder: ~Copyable {
    /// The tables of all tiles: a JPEG without a picture.
    package let tables: [UInt8]
    private let side: Int
    private let count: Int
    private let sampling: (across: Int, down: Int)
    private let capacity: Int
    // Owned: made in init, freed in deinit.
    private let encoder: UnsafeMutablePointer<cjpeg_encoder>

    /// - Parameters:
    ///   - side: The side of a tile: whole MCUs.
    ///   - count: The planes: 1 or 3.
    ///   - isRGB: Whether they are red, green and blue.
    ///   - quality: 1 to 100.
    /// - Throws: `JPEGEncodingError` if memory for an encoder cannot be allocated.
    package init(
        side: Int, count: Int, sampling: (across: Int, down: Int), isRGB: Bool, quality: Int
    ) throws(JPEGEncodingError) {
        guard let encoder = unsafe cjpeg_encoder_new(nil) else {
            throw JPEGEncodingError(reason: "no memory")
        }
        let isPrepared =
            unsafe cjpeg_encoder_prepare_tiles(
                encoder, Int32(side), Int32(count), Int32(sampling.across), Int32(sampling.down),
                isRGB ? 1 : 0, Int32(min(max(quality, 1), 100))) == 1
        // As TurboJPEG's tjBufSize: twice the samples, and headers.
        let capacity = side * side * 2 * (count == 1 ? 1 : 3) + 4096
        // libjpeg writes at most `capacity` bytes.
        let tables = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = isPrepared ? unsafe cjpeg_encoder_write_tables(encoder, buffer.baseAddress, capacity) : 0
        }
        guard !tables.isEmpty else {
            let context = unsafe JPEGContext(encoder.pointee.context)
            unsafe cjpeg_encoder_free(encoder)
            throw JPEGEncodingError(context)
        }
        (self.side, self.count, self.sampling) = (side, count, sampling)
        self.capacity = capacity
        self.tables = tables
        unsafe self.encoder = encoder
    }

    deinit {
        // The encoder is private and not used after this.
        unsafe cjpeg_encoder_free(encoder)
    }

    /// Returns the tile that begins at a column of the first plane, without its tables.
    ///
    /// - Precondition: the planes have the sampling of the encoder, as many rows as a tile, and the tile's columns.
    package func tile(of planes: SamplePlanes, column: Int) throws(JPEGEncodingError) -> [UInt8] {
        precondition(planes.height == side && column >= 0 && column + side <= planes.width)
        precondition(planes.sampling == sampling && planes.count == count)
        let starts = planes.starts(column: column)
        let strides = starts.indices.map { planes.size(of: $0).width }
        // libjpeg reads the tile's samples, which exist, and writes at most `capacity` bytes before this returns.
        let file = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = unsafe planes.samples.withUnsafeBufferPointer { samples in
                unsafe cjpeg_encoder_write_tile(
                    encoder, buffer.baseAddress, capacity, samples.baseAddress, starts, strides)
            }
        }
        guard !file.isEmpty else { throw JPEGEncodingError(unsafe JPEGContext(encoder.pointee.context)) }
        // Its memory has room for the largest tile.
        return Array(file[...])
    }
}
