internal import Basics
internal import Containers

/// How the pixels of the first picture of a TIFF lie in the file: in strips or tiles.
///
/// Source: TIFF 6.0, sections 2, 8 and 15; BigTIFF.
struct TIFFLayout {
    private var damage: FileDamage?
    private var entries: [Int: [Int]] = [:]

    private static let tags: Set<Int> = [257, 278, 284, 322, 323]
    /// Offsets and sizes of strips and tiles: long lists, which only the search for damage reads.
    private static let offsetTags: Set<Int> = [273, 279, 324, 325]

    /// Returns what is missing of a TIFF; nil also for other files.
    static func damage(_ bytes: FileBytes) -> FileDamage? {
        TIFFLayout(bytes, tags.union(offsetTags)).flatMap { $0.damage ?? $0.missing(bytes.count) }
    }

    /// Returns nil where the file is not a TIFF.
    init?(_ bytes: FileBytes) { self.init(bytes, Self.tags) }

    private init?(_ bytes: FileBytes, _ tags: Set<Int>) {
        guard let block = TIFFBlock(tiff: bytes), let start = block.mainOffset else { return nil }
        guard let directory = TIFFDirectory(block, at: start), directory.statedCount < 65536 else {
            damage = FileDamage(
                text: "its directory should begin at byte \(FileDamage.grouped(start)), "
                    + "and the file has \(FileDamage.grouped(bytes.count)) bytes")
            return
        }
        guard directory.isWhole else {
            damage = FileDamage(text: "the file ends in its directory")
            return
        }
        // What cannot be read is missing: the check of the file reports it.
        for entry in (try? directory.entries()) ?? [] {
            guard let size = entry.size, entry.count <= 1 << 32 else { continue }
            guard bytes.contains(entry.count * size, at: entry.offset) else {
                damage = FileDamage(text: "its directory names values behind the end of the file")
                return
            }
            guard tags.contains(entry.tag), [3, 4, 16].contains(entry.type), entry.count <= 1 << 22 else {
                continue
            }
            entries[entry.tag] = try? block.numbers(entry)
        }
    }

    private func value(_ tag: Int) -> Int? { entries[tag]?.first }

    /// The width of a tile; nil where the picture is in strips.
    var tileWidth: Int? { value(322) }

    /// The number of rows that are decoded together: those of a tile or a strip.
    ///
    /// libvips decodes tall strips row by row. Source: libvips, tiff2vips.c, rtiff_header_read.
    var blockHeight: Int {
        if let height = value(323) { return max(1, height) }
        let rows = min(value(278) ?? Int.max, value(257) ?? 1)
        return rows > 128 && value(284) != 2 ? 1 : max(1, rows)
    }

    /// Returns the damage where strips or tiles lie beyond the end of the file.
    private func missing(_ fileSize: Int) -> FileDamage? {
        let isTiled = entries[324] != nil
        guard let offsets = entries[isTiled ? 324 : 273], let counts = entries[isTiled ? 325 : 279],
            !offsets.isEmpty, offsets.count == counts.count
        else { return nil }
        let missing = offsets.indices.filter {
            offsets[$0] > fileSize || counts[$0] > fileSize - offsets[$0]
        }
        guard let first = missing.first else { return nil }
        let isLast = !isTiled && missing == Array(first..<offsets.count) && value(284) != 2
        if isLast, let rows = value(278), let height = value(257), rows > 0,
            !first.multipliedReportingOverflow(by: rows).overflow, first * rows < height
        {
            return FileDamage(text: FileDamage.missingRows(first * rows..<height))
        }
        return FileDamage(
            text: "\(FileDamage.grouped(missing.count)) of its \(FileDamage.grouped(offsets.count)) "
                + "\(isTiled ? "tiles" : "strips") are missing")
    }
}
