internal import Basics
internal import Containers
internal import Files
internal import ImageReading
internal import Resampling
internal import ViewportGeometry

/// What a model has made of a tile: rows, columns and channels, of one type.
struct TileArray {
    /// The type and the channels, which all tiles have in common.
    struct Form: Equatable, CustomStringConvertible {
        let kind: NPYHeader.Kind
        let channels: Int

        var description: String { "\(kind), \(channels.counted("channel"))" }
    }

    let form: Form
    /// The rows that were read, their columns, and channels.
    let values: [Double]

    /// Reads an array of NumPy, or the stored samples of a PNG.
    ///
    /// - Parameter rows: the rows to read; nil for all.
    /// - Throws: `StitchError.mismatch`.
    init(
        _ bytes: [UInt8], named name: String, _ size: PixelSize<OutputGrid>, rows: Range<Int>? = nil
    ) throws {
        let rows = rows ?? 0..<size.height
        do {
            if bytes.starts(with: NPYHeader.signature) {
                self = try TileArray(npy: bytes, size, rows)
            } else {
                self = try TileArray(png: bytes, name, size, rows)
            }
        } catch let error as InvalidText {
            throw StitchError.mismatch(name, error.description)
        }
    }

    private init(
        npy bytes: [UInt8], _ size: PixelSize<OutputGrid>, _ read: Range<Int>
    ) throws(InvalidText) {
        let header = try NPYHeader(bytes)
        var (shape, strides) = (header.shape, header.strides)
        // A batch of one.
        while shape.count > 3, shape[0] == 1 {
            shape.removeFirst()
            strides.removeFirst()
        }
        let (rows, columns) = (size.height, size.width)
        // The steps for the next row, column and channel.
        let steps: [Int]
        let channels: Int
        switch shape.count {
        case 2 where shape == [rows, columns]: (channels, steps) = (1, strides + [0])
        case 3 where Array(shape.prefix(2)) == [rows, columns] && shape[2] > 0:
            (channels, steps) = (shape[2], strides)
        case 3 where Array(shape.suffix(2)) == [rows, columns] && shape[0] > 0:
            (channels, steps) = (shape[0], [strides[1], strides[2], strides[0]])
        default:
            let given = header.shape.map { "\($0)" }.joined(separator: ", ")
            throw InvalidText(
                "has the shape (\(given)); a tile has (\(rows), \(columns)), with channels before or behind")
        }
        let width = header.kind.byteCount
        guard channels <= 4096, bytes.count - header.length >= rows * columns * channels * width else {
            throw InvalidText("has fewer samples than its shape")
        }
        form = Form(kind: header.kind, channels: channels)
        let first = header.length
        values = Self.values(header.kind, bytes, read.count * columns * channels) { index in
            let (pixel, channel) = index.quotientAndRemainder(dividingBy: channels)
            let (row, column) = pixel.quotientAndRemainder(dividingBy: columns)
            return first + ((read.lowerBound + row) * steps[0] + column * steps[1] + channel * steps[2])
                * width
        }
    }

    private init(
        png bytes: [UInt8], _ name: String, _ size: PixelSize<OutputGrid>, _ read: Range<Int>
    ) throws {
        guard bytes.count > 33, FileType(head: Array(bytes.prefix(33)))?.name == "png" else {
            throw InvalidText("is neither an array of NumPy nor a PNG")
        }
        // Others are expanded to colors or gray values, which are not the numbers that were saved.
        guard bytes[25] != 3, bytes[24] >= 8 else {
            throw InvalidText(
                bytes[25] == 3
                    ? "has a palette; save it as gray, with the number of the class in each pixel"
                    : "has \(bytes[24]) bits per sample; save 8 or 16")
        }
        var options = OpenOptions()
        options.appliesOrientation = false
        let file = try ImageFile(bytes: bytes, name: name, options: options)
        guard file.storedSize.width == size.width, file.storedSize.height == size.height else {
            throw InvalidText("has \(file.storedSize) pixels, and a tile \(size)")
        }
        let samples = try StoredSamples(file)
        let stored = try samples.bytes(
            PixelRect(x: 0, y: read.lowerBound, width: size.width, height: read.count))
        let width = samples.layout.type.bytes
        form = Form(kind: .uint(width), channels: samples.layout.bands)
        values = Self.values(form.kind, stored, stored.count / width) { $0 * width }
    }

    private static func values(
        _ kind: NPYHeader.Kind, _ bytes: [UInt8], _ count: Int, _ place: (Int) -> Int
    ) -> [Double] {
        func bits(_ offset: Int, _ width: Int) -> UInt64 {
            var bits: UInt64 = 0
            for byte in 0..<width { bits |= UInt64(bytes[offset + byte]) << UInt64(8 * byte) }
            return bits
        }
        func map(_ width: Int, _ value: (UInt64) -> Double) -> [Double] {
            var values = [Double](repeating: 0, count: count)
            for index in 0..<count { values[index] = value(bits(place(index), width)) }
            return values
        }
        return switch kind {
        case .bool: map(1) { $0 == 0 ? 0 : 1 }
        case .uint(let width): map(width) { Double($0) }
        case .int(let width):
            map(width) {
                Double(Int64(truncatingIfNeeded: $0 << UInt64(64 - 8 * width)) >> Int64(64 - 8 * width))
            }
        case .float(2): map(2) { Self.half(UInt16(truncatingIfNeeded: $0)) }
        case .float(4): map(4) { Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0))) }
        case .float: map(8) { Double(bitPattern: $0) }
        }
    }

    /// A number of IEEE 754's binary16; Swift has the type on some processors only.
    static func half(_ bits: UInt16) -> Double {
        let (exponent, fraction) = (Int(bits >> 10) & 31, Double(bits & 1023))
        let size: Double =
            switch exponent {
            case 0: fraction * 0x1p-24
            case 31: fraction == 0 ? .infinity : .nan
            default: (1 + fraction / 1024) * Double(sign: .plus, exponent: exponent - 15, significand: 1)
            }
        return bits >> 15 == 0 ? size : -size
    }
}
