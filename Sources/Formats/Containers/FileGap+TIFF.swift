internal import Basics

extension FileGap {
    /// Returns what is missing of the first picture of a TIFF: of its directory, or of its strips or tiles.
    package static func tiff(_ bytes: FileBytes) -> FileGap? {
        guard let block = TIFFBlock(tiff: bytes), let start = block.mainOffset else { return nil }
        guard let directory = TIFFDirectory(block, at: start), directory.statedCount < 65536 else {
            return FileGap(
                "its directory should begin at byte \(grouped(start)), "
                    + "and the file has \(grouped(bytes.count)) bytes")
        }
        guard directory.isWhole else { return FileGap("the file ends in its directory") }
        // What cannot be read is missing: the check of the file reports it.
        for entry in (try? directory.entries()) ?? [] {
            guard let size = entry.size, entry.count <= 1 << 32 else { continue }
            guard bytes.contains(entry.count * size, at: entry.offset) else {
                return FileGap("its directory names values behind the end of the file")
            }
        }
        return blocks(of: directory, in: block)
    }

    /// Returns what is missing of the strips and tiles of all pictures of a file with the structure of a TIFF, such as a raw
    /// file.
    package static func blocks(of block: TIFFBlock) -> FileGap? {
        guard let start = block.mainOffset else { return nil }
        var offsets = [start]
        var seen: Set<Int> = [0]
        while let offset = offsets.popLast(), seen.count < mostDirectories {
            guard seen.insert(offset).inserted else { continue }
            guard let directory = TIFFDirectory(block, at: offset), directory.isWhole else {
                return FileGap(
                    "a directory of it should begin at byte \(grouped(offset)), "
                        + "and the file has \(grouped(block.bytes.count)) bytes")
            }
            if let gap = blocks(of: directory, in: block) { return gap }
            offsets += [directory.next].compactMap(\.self) + directory.ints(0x014A)
        }
        return nil
    }

    /// A file of more pages is checked up to this one.
    private static let mostDirectories = 4096

    /// Returns what is missing of the strips or tiles of a picture.
    private static func blocks(of directory: TIFFDirectory, in block: TIFFBlock) -> FileGap? {
        func numbers(_ tag: UInt16) -> [Int]? {
            guard let entry = directory.entry(tag), [3, 4, 16].contains(entry.type), entry.count <= 1 << 22
            else { return nil }
            return try? block.numbers(entry)
        }
        let isTiled = directory.has(324)
        guard let offsets = numbers(isTiled ? 324 : 273), let counts = numbers(isTiled ? 325 : 279),
            !offsets.isEmpty, offsets.count == counts.count
        else { return nil }
        let fileSize = block.bytes.count
        let missing = offsets.indices.filter {
            offsets[$0] > fileSize || counts[$0] > fileSize - offsets[$0]
        }
        guard let first = missing.first else { return nil }
        let isLast = !isTiled && missing == Array(first..<offsets.count) && directory.int(284) != 2
        if isLast, let rows = directory.int(278), let height = directory.int(257), rows > 0,
            !first.multipliedReportingOverflow(by: rows).overflow, first * rows < height
        {
            return FileGap(missingRows(first * rows..<height))
        }
        return FileGap(
            "\(grouped(missing.count)) of its \(grouped(offsets.count)) "
                + "\(isTiled ? "tiles" : "strips") are missing")
    }

    /// "row 7 is missing", "rows 1,203 to 1,500 are missing": counted from 1, as stored.
    package static func missingRows(_ rows: Range<Int>) -> String {
        let (first, last) = (grouped(rows.lowerBound + 1), grouped(rows.upperBound))
        return rows.count == 1 ? "row \(last) is missing" : "rows \(first) to \(last) are missing"
    }
}
