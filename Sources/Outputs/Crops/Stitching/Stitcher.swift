internal import Basics
package import Files
internal import ViewportGeometry
internal import Vips

/// Joins what a model has made of the tiles of a grid to one picture for each image, without seams.
///
/// Where tiles overlap, values are means with the weights of the grid, or with `takesNearest` those of the tile whose edge is
/// farthest. Some rows are in memory at a time, and the tiles that reach into them one by one.
package struct Stitcher: Sendable {
    package enum Format: String, CaseIterable, Sendable {
        case npy, png, tif
    }

    private let grid: CropGrid
    private let tiles: TileFiles
    private let form: TileArray.Form
    /// Whether values are those of one tile each, as numbers of classes must be.
    private let takesNearest: Bool
    private let fill: Double?
    private let threads: Int

    /// The most memory for the sums of some rows.
    private static let stripBytes = 1 << 25

    /// - Parameters:
    ///   - takesNearest: whether overlapping values are not mixed.
    ///   - fill: the value where tiles are missing; nil refuses that.
    /// - Throws: `StitchError`.
    package init(
        _ grid: CropGrid, _ tiles: TileFiles, takesNearest: Bool, fill: Double?, threads: Int
    ) throws {
        (self.grid, self.tiles, self.takesNearest, self.fill) = (grid, tiles, takesNearest, fill)
        self.threads = threads
        let missing = tiles.missing
        guard missing.isEmpty || fill != nil && tiles.first != nil else {
            throw StitchError.missing(missing, of: tiles.missingCount, count: grid.count)
        }
        guard let first = tiles.first, let content = try tiles.contents(first) else {
            throw StitchError.missing([], of: 0, count: 0)
        }
        form = try TileArray(content.bytes, named: content.name, grid.size).form
    }

    /// The type of the joined values: that of the tiles, and floats for means of other types than 8 and 16 bits.
    ///
    /// Numbers of classes become 16 bits in pictures.
    private func kind(in format: Format) -> NPYHeader.Kind {
        switch form.kind {
        case .uint(1), .uint(2): form.kind
        case .bool where takesNearest: .uint(1)
        case .uint, .int: !takesNearest ? .float(4) : format == .npy ? form.kind : .uint(2)
        case .float(8): .float(8)
        case .bool, .float: .float(4)
        }
    }

    private var channels: Int { form.channels }

    /// Writes the picture of an image.
    ///
    /// - Throws: `StitchError`, and what `progress` throws.
    package func write(
        _ picture: Int, as format: Format, to output: Output,
        progress: @escaping @Sendable (Double) throws -> Void
    ) throws {
        let kind = kind(in: format)
        let hidden = try writing(output) { () throws(FileError) in try output.hiddenPath() }
        // Pictures are made of rows that are written first; a NumPy file is its rows.
        let raw =
            format == .npy
            ? hidden : try writing(output) { () throws(FileError) in try output.hiddenPath("rows-") }
        defer {
            OutputFile.remove(hidden)
            OutputFile.remove(raw)
        }
        let size = grid.pictures[picture].size
        let rows = try writing(output) { () throws(FileError) in try RowFile(raw, isOutput: format == .npy) }
        if format == .npy {
            let shape = [size.height, size.width] + (channels > 1 ? [channels] : [])
            try writing(output) { () throws(FileError) in try rows.append(NPYHeader(kind, shape).bytes) }
        }
        try join(picture, kind, progress) { bytes in
            try writing(output) { () throws(FileError) in try rows.append(bytes) }
        }
        try writing(output) { () throws(FileError) in try rows.flush() }
        if format != .npy { try save(raw, picture, as: format, to: hidden) }
        try writing(output) { () throws(FileError) in
            try Folder.synchronize(hidden)
            try output.publish(hidden)
        }
    }

    private func writing<R>(_ output: Output, _ body: () throws(FileError) -> R) throws(StitchError) -> R {
        do throws(FileError) {
            return try body()
        } catch {
            throw .unwritable(output.path, error)
        }
    }

    /// Throws where a format cannot keep the values.
    package func check(_ format: Format) throws(StitchError) {
        switch (format, kind(in: format)) {
        case (.npy, _), (.png, .uint(1)), (.png, .uint(2)), (.tif, .uint(1)), (.tif, .uint(2)),
            (.tif, .float(4)):
            break
        default:
            throw .unfit(
                "\(format.rawValue) cannot keep \(kind(in: format)) values; write \(format == .png ? "tif or " : "")npy, or for numbers of classes give --nearest"
            )
        }
        guard format != .png || channels <= 4 else {
            throw .unfit("png cannot keep \(channels) channels; write tif or npy")
        }
    }

    // MARK: Joining

    /// Passes on the joined rows.
    private func join(
        _ number: Int, _ kind: NPYHeader.Kind, _ progress: @escaping @Sendable (Double) throws -> Void,
        _ use: ([UInt8]) throws -> Void
    ) throws {
        let picture = grid.pictures[number]
        let height = picture.size.height
        let rowBytes = picture.size.width * (channels + 1) * 8
        let rows = min(max(1, Self.stripBytes / rowBytes / (threads + 1)), grid.size.height)
        let count = (height + rows - 1) / rows
        var done = 0
        try OrderedWork.run(count, threads: threads) { index in
            try strip(picture, index * rows..<min((index + 1) * rows, height), kind)
        } use: { bytes in
            try use(bytes)
            done += 1
            try progress(Double(done) / Double(count))
        }
    }

    /// Returns some rows.
    private func strip(_ picture: CropGrid.Picture, _ rows: Range<Int>, _ kind: NPYHeader.Kind) throws
        -> [UInt8]
    {
        let (width, channels) = (picture.size.width, form.channels)
        var values = [Double](repeating: 0, count: rows.count * width * channels)
        var total = [Double](repeating: 0, count: rows.count * width)
        let (across, down) = (grid.weights(grid.size.width), grid.weights(grid.size.height))
        for (row, top) in picture.tops.enumerated() {
            let part = rows.clamped(to: top..<min(top + grid.size.height, picture.size.height))
            guard !part.isEmpty else { continue }
            for (column, left) in picture.lefts.enumerated() {
                let number = picture.first + row * picture.lefts.count + column
                guard let content = try tiles.contents(number) else { continue }
                let tile = try TileArray(
                    content.bytes, named: content.name, grid.size,
                    rows: part.lowerBound - top..<part.upperBound - top)
                guard tile.form == form else {
                    throw StitchError.mismatch(
                        content.name, "has \(tile.form), and the first tile has \(form)")
                }
                let columns = min(grid.size.width, width - left)
                for y in part {
                    for x in 0..<columns {
                        let weight = down[y - top] * across[x]
                        let pixel = (y - rows.lowerBound) * width + left + x
                        let from = ((y - part.lowerBound) * grid.size.width + x) * channels
                        if takesNearest {
                            guard weight > total[pixel] else { continue }
                            total[pixel] = weight
                            for channel in 0..<channels {
                                values[pixel * channels + channel] = tile.values[from + channel]
                            }
                        } else {
                            total[pixel] += weight
                            for channel in 0..<channels {
                                // The mean so far: values that are equal stay as they are.
                                let (place, value) = (pixel * channels + channel, tile.values[from + channel])
                                guard value != values[place] else { continue }
                                values[place] += weight / total[pixel] * (value - values[place])
                            }
                        }
                    }
                }
            }
        }
        for pixel in total.indices where total[pixel] == 0 {
            for place in pixel * channels..<(pixel + 1) * channels { values[place] = fill ?? 0 }
        }
        if kind != form.kind, kind == .uint(2),
            let other = values.first(where: { !(0...65_535).contains($0) })
        {
            throw StitchError.unfit(
                "\(picture.path): has the value \(other); pictures keep 0 to 65535: write npy")
        }
        return Self.bytes(values, kind)
    }

    /// The samples of a type in little-endian order; whole numbers are rounded and kept in their range.
    static func bytes(_ values: [Double], _ kind: NPYHeader.Kind) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(values.count * kind.byteCount)
        func append(_ bits: UInt64) {
            for byte in 0..<kind.byteCount {
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * byte)))
            }
        }
        func whole(_ value: Double, _ least: Double, _ most: Double) -> Double {
            value.isNaN ? 0 : min(max(value.rounded(), least), most)
        }
        switch kind {
        case .bool: for value in values { append(value == 0 ? 0 : 1) }
        case .uint(let width):
            let most =
                width == 8 ? 0x1p64.nextDown : Double(sign: .plus, exponent: 8 * width, significand: 1) - 1
            for value in values { append(UInt64(whole(value, 0, most))) }
        case .int(let width):
            let most = Double(sign: .plus, exponent: 8 * width - 1, significand: 1)
            for value in values {
                append(UInt64(bitPattern: Int64(whole(value, -most, width == 8 ? most.nextDown : most - 1))))
            }
        case .float(4): for value in values { append(UInt64(Float(value).bitPattern)) }
        case .float: for value in values { append(value.bitPattern) }
        }
        return bytes
    }

    // MARK: Pictures

    /// Writes rows as a picture; a TIFF has tiles and all smaller levels.
    private func save(_ raw: String, _ number: Int, as format: Format, to path: String) throws {
        let size = grid.pictures[number].size
        let sample: SampleFormat =
            switch kind(in: format) {
            case .uint(1): .uint8
            case .uint(2): .uint16
            default: .float32
            }
        let isDeep = sample == .uint16
        let interpretation =
            switch channels {
            case 1, 2: isDeep ? "grey16" : "b-w"
            case 3, 4: sample == .float32 ? "multiband" : isDeep ? "rgb16" : "srgb"
            default: "multiband"
            }
        let image = try VipsImage.rawFile(
            raw, size: PixelSize(width: size.width, height: size.height), bands: channels, format: sample,
            interpretation: interpretation, threads: threads)
        if format == .png {
            try image.save(path, with: "pngsave", [:])
        } else {
            // Means of class numbers are no classes: levels take one of four.
            var arguments: [String: VipsArgument] = [
                "tile": .bool(true), "pyramid": .bool(true), "bigtiff": .bool(true),
                "compression": .name("deflate"), "tile-width": .int(256), "tile-height": .int(256),
            ]
            arguments["region-shrink"] = .name(takesNearest ? "nearest" : "mean")
            try image.save(path, with: "tiffsave", arguments)
        }
    }
}
