package import Basics

/// Writes the directories of a TIFF block.
///
/// Source: TIFF 6.0, section 2; BigTIFF.
package struct TIFFWriter {
    private let order: ByteOrder
    /// The size of an offset: 8 bytes in BigTIFF, otherwise 4.
    private let offsetSize: Int

    package init(_ order: ByteOrder, isBig: Bool = false) {
        self.order = order
        offsetSize = isBig ? 8 : 4
    }

    /// The bytes before the first directory, which follows them.
    package var header: [UInt8] { header(before: 0) }

    /// Returns the bytes before the first directory, which follows others.
    ///
    /// - Parameter count: The number of bytes between the two; even.
    package func header(before count: Int) -> [UInt8] {
        var writer = ByteWriter(order, Array((order == .big ? "MM" : "II").utf8))
        writer.append(offsetSize == 8 ? 43 : 42, size: 2)
        if offsetSize == 8 {
            writer.append(8, size: 2)
            writer.append(0, size: 2)
        }
        writer.append((offsetSize == 8 ? 16 : 8) + count, size: offsetSize)
        return writer.bytes
    }

    /// Whether the values of a tag do not fit into its entry.
    package func isApart(_ tag: TIFFValue) -> Bool { tag.bytes.count > offsetSize }

    /// The size of a directory without the values that do not fit into its entries.
    package func size(of count: Int) -> Int {
        (offsetSize == 8 ? 8 : 2) + count * (4 + 2 * offsetSize) + offsetSize
    }

    /// Returns a directory, and appends the values that do not fit into its entries to others, at even offsets.
    ///
    /// - Parameters:
    ///   - tags: The tags in ascending order.
    ///   - start: The offset of the first of `values`.
    ///   - places: The offsets of values that lie elsewhere, by their tag.
    ///   - isFollowed: Whether a further directory follows the values.
    package func directory(
        _ tags: [TIFFValue], values: inout [UInt8], from start: Int, isFollowed: Bool = false,
        places: [Int: Int] = [:]
    ) -> [UInt8] {
        var writer = ByteWriter(order)
        writer.append(tags.count, size: offsetSize == 8 ? 8 : 2)
        for tag in tags {
            writer.append(tag.tag, size: 2)
            writer.append(tag.type, size: 2)
            writer.append(tag.count, size: offsetSize)
            if tag.bytes.count > offsetSize, let place = places[tag.tag] {
                writer.append(place, size: offsetSize)
            } else if tag.bytes.count > offsetSize {
                writer.append(start + values.count, size: offsetSize)
                values += tag.bytes
                if tag.bytes.count & 1 == 1 { values.append(0) }
            } else {
                writer.append(contentsOf: tag.bytes)
                writer.append(0, size: offsetSize - tag.bytes.count)
            }
        }
        writer.append(isFollowed ? start + values.count : 0, size: offsetSize)
        return writer.bytes
    }

    /// Returns a block of one directory, and of others that it refers to by tags.
    package func block(_ tags: [TIFFValue], _ below: [(tag: Int, values: [TIFFValue])] = []) -> [UInt8] {
        // The places of the directories: first all of them, then the values.
        var end = header.count + size(of: tags.count + below.count)
        var all = tags
        for directory in below {
            all.append(TIFFValue(tag: directory.tag, type: 4, [end], order))
            end += size(of: directory.values.count)
        }
        var values: [UInt8] = []
        var bytes = header + directory(all.sorted { $0.tag < $1.tag }, values: &values, from: end)
        for part in below { bytes += directory(part.values, values: &values, from: end) }
        return bytes + values
    }
}

/// Changes a TIFF block in place: everything else, including maker notes, keeps its offset.
package struct TIFFEditor {
    package private(set) var bytes: [UInt8]
    private let order: ByteOrder

    /// Returns nil for bytes that do not begin with a byte-order mark.
    package init?(_ bytes: [UInt8]) {
        guard let block = TIFFBlock(FileBytes(bytes)) else { return nil }
        (self.bytes, order) = (bytes, block.order)
    }

    /// The first directory.
    package var main: TIFFDirectory? { TIFFBlock(FileBytes(bytes))?.main }

    /// Sets an existing tag of one SHORT or LONG.
    package mutating func set(_ tag: UInt16, in directory: TIFFDirectory, type: Int, to value: Int) {
        guard let entry = directory.entry(tag), entry.count == 1, [3, 4].contains(entry.type) else { return }
        write(type, at: entry.position + 2, 2)
        write(0, at: entry.position + 8, 4)
        write(value, at: entry.position + 8, type == 3 ? 2 : 4)
    }

    /// Sets the integers of an existing tag that has as many; returns false if they do not fit.
    package mutating func set(_ tag: UInt16, in directory: TIFFDirectory, toAll values: [Int]) -> Bool {
        guard let entry = directory.entry(tag), entry.count == values.count, [3, 4].contains(entry.type),
            let size = entry.size, values.allSatisfy({ $0 >= 0 && $0 < 1 << (8 * size) })
        else { return false }
        for (index, value) in values.enumerated() { write(value, at: entry.offset + size * index, size) }
        return true
    }

    /// Sets an existing tag of one fraction.
    package mutating func set(_ tag: UInt16, in directory: TIFFDirectory, to fraction: (Int, Int)) {
        guard let entry = directory.entry(tag), entry.count == 1, entry.type == 5 else { return }
        write(fraction.0, at: entry.offset, 4)
        write(fraction.1, at: entry.offset + 4, 4)
    }

    /// Replaces the text of an existing tag by one of the same length.
    package mutating func replace(
        _ tag: UInt16, in directory: TIFFDirectory, _ former: String, with text: String
    ) {
        guard directory.string(tag) == former, let range = directory.range(tag) else { return }
        bytes.replaceSubrange(range.prefix(text.utf8.count), with: text.utf8)
    }

    /// Removes a tag; other tags of the directory get other positions, all values stay where they are.
    package mutating func remove(_ tag: UInt16, in directory: TIFFDirectory) {
        guard directory.isWhole, let entry = directory.entry(tag), directory.link + 4 <= bytes.count else {
            return
        }
        let rest = bytes[(entry.position + 12)..<(directory.link + 4)]
        bytes.replaceSubrange(entry.position..<(entry.position + rest.count), with: rest)
        write(directory.count - 1, at: directory.link - 12 * directory.count - 2, 2)
    }

    /// Makes a directory the last one.
    package mutating func endChain(after directory: TIFFDirectory) {
        guard directory.next != nil else { return }
        write(0, at: directory.link, 4)
    }

    /// Removes bytes at the end of the block, and overwrites others with zeros.
    package mutating func erase(_ range: Range<Int>) {
        if range.upperBound == bytes.count {
            bytes.removeLast(range.count)
        } else {
            bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
        }
    }

    private mutating func write(_ value: Int, at offset: Int, _ count: Int) {
        bytes.replaceSubrange(offset..<(offset + count), with: value.bytes(order, size: count))
    }
}
