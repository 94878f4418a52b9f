internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry

/// The strips or tiles of a page of a TIFF, whatever their compression.
///
/// libtiff decodes some of them alone from a small TIFF in memory, which has the tags of the page.
///
/// Source: TIFF 6.0, sections 2, 8 and 15; BigTIFF.
struct TIFFParts: Sendable {
    let size: PixelSize<StoredGrid>
    /// The size of a tile; nil for strips.
    let tile: PixelSize<StoredGrid>?
    /// The rows of a part: the strips of an uncompressed picture are divided into parts of fewer rows.
    let rowsPerPart: Int
    /// The planes of samples that are stored one after the other.
    let planes: Int

    private let order: ByteOrder
    private let offsetSize: Int
    /// The tags that samples depend on.
    private let tags: [TIFFValue]
    private let offsets: Numbers
    private let counts: Numbers
    /// The rows of a stored strip, and the bytes of its rows where they are stored as they are.
    private let rowsPerStrip: Int
    private let rowBytes: Int?

    /// Integers in the file.
    private struct Numbers {
        var position: Int
        var size: Int

        /// Returns nil for another count, or where they are not inside of the file.
        init?(_ entry: TIFFDirectory.Entry?, count: Int, in file: OpenFile) {
            guard let entry, [3, 4, 16].contains(entry.type), entry.count == count, let size = entry.size,
                count <= file.count / size, entry.offset <= file.count - count * size
            else { return nil }
            (position, self.size) = (entry.offset, size)
        }

        func range(_ indices: Range<Int>) -> Range<Int> {
            (position + indices.lowerBound * size)..<(position + indices.upperBound * size)
        }
    }

    /// The most pixels of a side: libvips' limit.
    private static let longestSide = 10_000_000

    /// Returns nil for a page whose parts libtiff does not decode alone, or that leaves something out.
    ///
    /// - Parameter place: the position of the directory.
    init?(of file: OpenFile, at place: Int) {
        guard let block = TIFFBlock(tiff: FileBytes(file)) else { return nil }
        guard let directory = TIFFDirectory(block, at: place), directory.isWhole,
            let entries = try? directory.entries()
        else { return nil }
        func number(_ tag: UInt16) -> Int? { directory.int(tag) }
        let size = PixelSize<StoredGrid>(width: number(256) ?? 0, height: number(257) ?? 0)
        let compression = number(259) ?? 1
        // JPEGs of the old kind have their tables and their data anywhere in the file.
        guard !size.isEmpty, max(size.width, size.height) <= Self.longestSide, compression != 6 else {
            return nil
        }
        let isTiled = directory.has(322) || directory.has(324)
        let (samples, bits) = (number(277) ?? 1, number(258) ?? 1)
        guard (1...65535).contains(samples), (1...64).contains(bits) else { return nil }
        planes = number(284) == 2 ? samples : 1
        let strip = number(278).map { $0 == 0 ? size.height : min($0, size.height) } ?? size.height
        if isTiled {
            let tile = PixelSize<StoredGrid>(width: number(322) ?? 0, height: number(323) ?? 0)
            // libvips reads no planes of tiles.
            guard planes == 1, !tile.isEmpty, max(tile.width, tile.height) <= Self.longestSide else {
                return nil
            }
            self.tile = tile
        } else {
            tile = nil
        }
        (self.size, order, offsetSize) = (size, block.order, block.offsetSize)
        rowsPerStrip = tile?.height ?? strip
        let isPlain = !isTiled && compression == 1 && number(262) != 6
        let rowBits = size.width * bits * (planes == 1 ? samples : 1)
        rowBytes = isPlain && directory.ints(258).allSatisfy { $0 == bits } ? (rowBits + 7) / 8 : nil
        rowsPerPart = rowBytes.map { Self.rows(of: strip, height: size.height, $0) } ?? rowsPerStrip
        let across = tile.map { (size.width + $0.width - 1) / $0.width } ?? 1
        let count = across * ((size.height + rowsPerStrip - 1) / rowsPerStrip) * planes
        func stated(_ tag: Int) -> TIFFDirectory.Entry? { entries.first { $0.tag == tag } }
        guard let offsets = Numbers(stated(isTiled ? 324 : 273), count: count, in: file),
            let counts = Numbers(stated(isTiled ? 325 : 279), count: count, in: file),
            let tags = Self.tags(entries, file)
        else { return nil }
        (self.offsets, self.counts, self.tags) = (offsets, counts, tags)
    }

    /// The rows of a part of uncompressed strips: about 64 KB, and strips consist of whole parts.
    private static func rows(of strip: Int, height: Int, _ rowBytes: Int) -> Int {
        let usual = max(1, (1 << 16) / max(1, rowBytes))
        guard strip > usual else { return strip }
        if strip == height { return usual }
        return (1...usual).last { strip % $0 == 0 } ?? strip
    }

    // MARK: Tags

    /// Tags of the places of data, and what else pixels do not depend on: text, EXIF, GPS, XMP, IPTC, Photoshop's
    /// blocks, other directories.
    private static let unneeded: Set<Int> = [
        256, 257, 269, 270, 271, 272, 273, 278, 279, 285, 288, 289, 305, 306, 315, 316, 324, 325, 330, 400,
        700, 33723, 34377, 34665, 34853, 37724, 40965,
    ]
    /// The bytes of the values of a tag, and of those that may be long: color tables and profiles.
    private static let (mostBytes, mostLongBytes) = (1 << 16, 1 << 24)
    private static let longTags: Set<Int> = [301, 320, 347, 34675]

    /// The private tags that samples depend on: libtiff warns of those that it does not know.
    private static let privateTags: Set<Int> = [34675, 37439, 50674]

    /// Returns the tags that samples depend on; nil where one cannot be read.
    private static func tags(_ entries: [TIFFDirectory.Entry], _ file: OpenFile) -> [TIFFValue]? {
        var needed: [(entry: TIFFDirectory.Entry, range: Range<Int>)] = []
        for entry in entries where !unneeded.contains(entry.tag) {
            guard entry.tag < 32768 || privateTags.contains(entry.tag) else { continue }
            guard let size = entry.size, entry.count > 0 else { continue }
            let isLong = longTags.contains(entry.tag)
            guard entry.count <= (isLong ? mostLongBytes : mostBytes) / size else {
                if isLong { return nil }
                continue
            }
            let length = entry.count * size
            guard entry.offset <= file.count - length else { return nil }
            needed.append((entry, entry.offset..<(entry.offset + length)))
        }
        if file.isRemote { file.willRead(needed.map(\.range)) }
        var tags: [TIFFValue] = []
        for (entry, range) in needed {
            guard let bytes = try? file.bytes(range) else { return nil }
            tags.append(TIFFValue(tag: entry.tag, type: entry.type, count: entry.count, bytes: bytes))
        }
        return tags
    }

    /// The columns of parts.
    var columns: Int { tile.map { (size.width + $0.width - 1) / $0.width } ?? 1 }

    /// The rows of parts.
    var rows: Int { (size.height + rowsPerPart - 1) / rowsPerPart }
}

// MARK: - Places

extension TIFFParts {
    /// Returns where the parts of some columns and rows are in the file, plane by plane and row by row; nil where one is
    /// left out, or not inside of the file.
    func places(columns: Range<Int>, rows: Range<Int>, in file: OpenFile) throws(FileError) -> [Range<Int>]? {
        let stripCount = (size.height + rowsPerStrip - 1) / rowsPerStrip
        let end = (rows.upperBound * rowsPerPart - 1) / rowsPerStrip + 1
        let stripRows = (rows.lowerBound * rowsPerPart / rowsPerStrip)..<min(end, stripCount)
        let across = self.columns
        let runs: [Range<Int>] = (0..<planes).flatMap { plane in
            let first = plane * across * stripCount
            guard columns.count < across else {
                return [(first + stripRows.lowerBound * across)..<(first + stripRows.upperBound * across)]
            }
            return stripRows.map { row in
                let start = first + row * across
                return (start + columns.lowerBound)..<(start + columns.upperBound)
            }
        }
        let ranges = runs.flatMap { [offsets.range($0), counts.range($0)] }
        if file.isRemote { file.willRead(ranges) }
        var places: [Range<Int>] = []
        for run in runs {
            let starts = try numbers(offsets, run, file)
            let lengths = try numbers(counts, run, file)
            for (start, length) in zip(starts, lengths) {
                guard start > 0, length > 0, length <= file.count, start <= file.count - length else {
                    return nil
                }
                places.append(start..<(start + length))
            }
        }
        guard let rowBytes else { return places }
        return cut(places, stripRows, rows, rowBytes)
    }

    /// Returns the rows of parts in whole strips; nil where a strip has another size.
    private func cut(
        _ strips: [Range<Int>], _ stripRows: Range<Int>, _ rows: Range<Int>, _ rowBytes: Int
    ) -> [Range<Int>]? {
        for (index, strip) in strips.enumerated() {
            let top = (stripRows.lowerBound + index % stripRows.count) * rowsPerStrip
            guard strip.count == min(rowsPerStrip, size.height - top) * rowBytes else { return nil }
        }
        return (0..<planes).flatMap { plane in
            rows.map { row in
                let top = row * rowsPerPart
                let strip = strips[plane * stripRows.count + top / rowsPerStrip - stripRows.lowerBound]
                let start = strip.lowerBound + top % rowsPerStrip * rowBytes
                return start..<(start + min(rowsPerPart, size.height - top) * rowBytes)
            }
        }
    }

    private func numbers(_ numbers: Numbers, _ run: Range<Int>, _ file: OpenFile) throws(FileError) -> [Int] {
        let bytes = try file.bytes(numbers.range(run))
        return run.indices.map {
            bytes.unsigned(numbers.size, at: ($0 - run.lowerBound) * numbers.size, order) ?? .max
        }
    }
}

// MARK: - A TIFF of some parts

extension TIFFParts {
    /// Returns a TIFF whose header is that of the page, without samples.
    var header: [UInt8] {
        let count = tile == nil ? planes : 1
        return file(size, rowsPerStrip: size.height, [[UInt8]](repeating: [], count: count))
    }

    /// The rectangle that parts cover.
    func rect(columns: Range<Int>, rows: Range<Int>) -> PixelRect<StoredGrid> {
        let width = tile?.width ?? size.width
        let (x, y) = (columns.lowerBound * width, rows.lowerBound * rowsPerPart)
        return PixelRect(
            x: x, y: y, width: min(columns.upperBound * width, size.width) - x,
            height: min(rows.upperBound * rowsPerPart, size.height) - y)
    }

    /// Returns a TIFF of some columns and rows of parts, whose data is in the order of `places`.
    func file(columns: Range<Int>, rows: Range<Int>, _ parts: [[UInt8]]) -> [UInt8] {
        let rect = rect(columns: columns, rows: rows)
        return file(
            PixelSize(width: rect.width, height: rect.height), rowsPerStrip: min(rowsPerPart, rect.height),
            parts)
    }

    private func file(_ size: PixelSize<StoredGrid>, rowsPerStrip: Int, _ parts: [[UInt8]]) -> [UInt8] {
        let writer = TIFFWriter(order, isBig: offsetSize == 8)
        let isTiled = tile != nil
        func directory(_ start: Int) -> [UInt8] {
            var (end, offsets) = (start, [Int]())
            for part in parts {
                offsets.append(part.isEmpty ? 0 : end)
                end += part.count
            }
            var all = tags
            all.append(TIFFValue(tag: 256, type: 4, [size.width], order))
            all.append(TIFFValue(tag: 257, type: 4, [size.height], order))
            all.append(TIFFValue(tag: isTiled ? 324 : 273, type: 4, offsets, order))
            all.append(TIFFValue(tag: isTiled ? 325 : 279, type: 4, parts.map(\.count), order))
            if !isTiled { all.append(TIFFValue(tag: 278, type: 4, [rowsPerStrip], order)) }
            all.sort { $0.tag < $1.tag }
            var values: [UInt8] = []
            let places = writer.header.count + writer.size(of: all.count)
            return writer.directory(all, values: &values, from: places) + values
        }
        // The places of the data do not change the size of the directory.
        let start = writer.header.count + directory(0).count
        var bytes = writer.header + directory(start)
        bytes.reserveCapacity(start + parts.reduce(0) { $0 + $1.count })
        for part in parts { bytes += part }
        return bytes
    }
}
