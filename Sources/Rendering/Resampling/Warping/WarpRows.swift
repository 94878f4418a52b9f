/// Rows of a picture in a ring, from which pixels are sampled at any position.
///
/// Columns may go around: the picture's last column is followed by its first, and rows beyond a pole continue on the other
/// side. Positions count in pixels from the corner of the picture.
package struct WarpRows: Sendable {
    /// What is known of the picture.
    package struct Picture: Sendable {
        package var width: Int
        package var height: Int
        /// Whether the last column is followed by the first.
        package var isCircle: Bool
        /// Whether the first and the last row are next to a pole.
        package var hasPole: (up: Bool, down: Bool)

        package init(width: Int, height: Int, isCircle: Bool, hasPole: (up: Bool, down: Bool)) {
            (self.width, self.height, self.isCircle, self.hasPole) = (width, height, isCircle, hasPole)
        }
    }

    package let picture: Picture
    /// The column that is stored first.
    package let start: Int
    /// The columns that are stored, from `start` on around the circle.
    package let width: Int
    /// The rows of the ring.
    let capacity: Int
    let layout: SampleLayout
    let light: LightTables?
    /// Samples of 8 bits as they are in the file, and four bytes more; empty for other layouts.
    private(set) var bytes: [UInt8] = []
    /// Samples, in light where that is wanted, colors multiplied by alpha; empty where there are bytes.
    private(set) var floats: [Float] = []

    /// - Parameters:
    ///   - start: the first column.
    ///   - width: the number of columns from there on.
    ///   - capacity: the rows that are in memory at a time.
    package init(
        _ picture: Picture, start: Int, width: Int, capacity: Int, layout: SampleLayout, light: LightTables?
    ) {
        precondition(width > 0 && width <= picture.width && capacity > 0 && layout.bands > 0)
        (self.picture, self.start, self.width, self.capacity) = (picture, start, width, capacity)
        (self.layout, self.light) = (layout, light)
        if isPacked {
            // A pixel is read as a word, also the last one.
            bytes = [UInt8](repeating: 0, count: width * capacity * layout.bands + 4)
        } else {
            floats = [Float](repeating: 0, count: width * capacity * layout.bands)
        }
    }

    /// Whether pixels are bytes, of which a word has at least one pixel.
    var isPacked: Bool { layout.type == .uint8 && layout.bands <= 4 && !layout.hasAlpha && light == nil }

    /// Returns the stored column of a column of the picture; nil where it is not stored.
    @inline(__always)
    func stored(_ column: Int) -> Int? {
        var at = column - start
        if at < 0, picture.isCircle { at += picture.width }
        return at >= 0 && at < width ? at : nil
    }

    /// Stores a part of a row.
    ///
    /// - Parameters:
    ///   - column: the column of the picture where it begins; all of its columns are stored ones.
    package mutating func put(_ row: RawSpan, row y: Int, column: Int) {
        let count = row.byteCount / layout.pixelBytes
        guard count > 0, let first = stored(column), first + count <= width else { return }
        let base = (y % capacity) * width + first
        guard isPacked else { return putFloats(row, at: base * layout.bands, count: count) }
        // Checked above; the bytes are as many as those of the pixels.
        unsafe row.withUnsafeBytes { input in
            unsafe bytes.withUnsafeMutableBytes { output in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: output[(base * layout.bands)...])
                unsafe rest.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: input[..<(count * layout.bands)]))
            }
        }
    }

    private mutating func putFloats(_ bytes: RawSpan, at base: Int, count: Int) {
        let (bands, type) = (layout.bands, layout.type)
        let greatest: Float = type == .uint8 ? 255 : type == .uint16 ? 65535 : 1
        let colors = layout.hasAlpha ? bands - 1 : bands
        // Samples of a row are aligned; the bytes are as many as its samples.
        unsafe bytes.withUnsafeBytes { input in
            func sample(_ number: Int) -> Float {
                switch type {
                case .uint8: Float(unsafe input[number])
                case .uint16: Float(unsafe input.loadUnaligned(fromByteOffset: 2 * number, as: UInt16.self))
                case .float32: unsafe input.loadUnaligned(fromByteOffset: 4 * number, as: Float.self)
                }
            }
            for pixel in 0..<count {
                let at = pixel * bands
                let alpha = layout.hasAlpha ? sample(at + colors) / greatest : 1
                for band in 0..<colors {
                    let value = sample(at + band)
                    floats[base + at + band] = (light.map { $0.decode[Int(value)] } ?? value) * alpha
                }
                if layout.hasAlpha { floats[base + at + colors] = alpha }
            }
        }
    }

    /// Returns where the pixel of a column and a row is stored: around the circle and over the poles, else the nearest one.
    @inline(__always)
    func index(_ column: Int, _ row: Int) -> Int {
        var (x, y) = (column, row)
        if y < 0 {
            if picture.hasPole.up, picture.isCircle {
                y = -1 - y
                x += picture.width / 2
            }
            y = max(0, min(y, picture.height - 1))
        } else if y >= picture.height {
            if picture.hasPole.down, picture.isCircle {
                y = 2 * picture.height - 1 - y
                x += picture.width / 2
            }
            y = max(0, min(y, picture.height - 1))
        }
        if picture.isCircle {
            x %= picture.width
            if x < 0 { x += picture.width }
        } else {
            x = max(0, min(x, picture.width - 1))
        }
        var at = x - start
        if at < 0, picture.isCircle { at += picture.width }
        return (y % capacity) * width + max(0, min(at, width - 1))
    }

    /// Whether a position is in the picture, or continues it.
    @inline(__always)
    func contains(_ x: Double, _ y: Double) -> Bool {
        (picture.isCircle || x >= 0 && x <= Double(picture.width)) && y >= 0 && y <= Double(picture.height)
    }
}
