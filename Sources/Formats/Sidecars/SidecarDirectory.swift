internal import Basics
package import Files
package import ViewportGeometry

/// The saved form, version 1.
///
/// All numbers are little-endian:
///
///     0   "VPIX", version (1 byte), kind (1 byte), EXIF orientation (1 byte), 1 byte zero
///     8   bytes of the directory (4), width and height as stored (4 each)
///     20  index: position and length (8 each)
///     36  identity of the image: its size, 8 bytes zero, hashes of the first, last and middle 4096 bytes (8 each)
///     76  bytes before the image's compressed data (4), segments (2), side of a tile (2), levels (1), 3 bytes zero
///     88  segments: position in the image and length (4 each), their bytes
///         levels, the smallest first: denominator, width, height (4 each), position of the tiles (8),
///         then for each tile, row by row: length and checksum (4 each)
///     end FNV-1a hash of everything before (8 bytes)
///
/// The tiles of one-tile levels and the index follow, then the tiles of larger levels.
private enum SavedForm {
    static let magic = Array("VPIX".utf8)
    static let version = 1
    static let headerSize = 88
}

/// The directory of a sidecar: what the sidecar has, and where.
package struct SidecarDirectory: Hashable, Sendable {
    /// The kind of the image.
    package enum Kind: UInt8, Hashable, Sendable {
        case baselineJPEG = 0
        case progressiveJPEG = 1
        case png = 2
        /// A tiled TIFF: the index is a list of its tiles.
        case tiledTIFF = 3
    }

    /// A part of the image that is no compressed data.
    package struct Segment: Hashable, Sendable {
        /// The position in the image.
        package var position: Int
        package var bytes: [UInt8]

        package init(position: Int, bytes: [UInt8]) {
            self.position = position
            self.bytes = bytes
        }
    }

    /// The kind of the image.
    package var kind: Kind
    /// The size of the image as stored.
    package var size: PixelSize<StoredGrid>
    /// The orientation in the image's metadata.
    package var orientation: Orientation
    /// The identity of the image.
    package var identity: SidecarIdentity
    /// The bytes of the image before its compressed data; of a progressive JPEG, before the end of its last scan's header.
    package var headLength: Int
    /// What decoders of a JPEG need beside compressed data: tables, frame, color space and profile, in the order of the file.
    ///
    /// Of a progressive JPEG, one segment begins where the data of each scan ends.
    package var segments: [Segment]
    /// The side of the tiles; those at the right and bottom edges are smaller.
    package var tileSide: Int
    /// The small levels, the smallest first.
    package var levels: [SidecarLevel]
    /// The saved index in the sidecar.
    package var index: Range<Int> = 0..<0

    package init(
        kind: Kind, size: PixelSize<StoredGrid>, orientation: Orientation, identity: SidecarIdentity,
        headLength: Int = 0, segments: [Segment] = [], tileSide: Int, levels: [SidecarLevel] = [],
        index: Range<Int> = 0..<0
    ) {
        self.kind = kind
        self.size = size
        self.orientation = orientation
        self.identity = identity
        self.headLength = headLength
        self.segments = segments
        self.tileSide = tileSide
        self.levels = levels
        self.index = index
    }
}

/// Identifies an image by its contents: the modification time does not survive a copy to a server.
package struct SidecarIdentity: Hashable, Sendable {
    /// The fingerprint with a modification time of 0; the saved index in the sidecar is bound to it.
    package let fingerprint: FileFingerprint
    /// The hash of the block in the middle.
    private let middle: UInt64

    /// Identifies an image: reads three blocks.
    package init(_ image: any RandomAccessBytes) throws(FileError) {
        fingerprint = try FileFingerprint(image, modified: 0)
        middle = FNV1a.hash(try image.bytes(Self.blocks(of: image.count)[1]))
    }

    /// Identifies an image by its size and its blocks, one behind the other; nil where they have another length.
    package init?(size: UInt64, blocks bytes: [UInt8]) {
        let length = bytes.count / 3
        guard UInt64(length) == min(size, 4096), bytes.count == 3 * length else { return nil }
        let tail = bytes[(2 * length)...]
        fingerprint = FileFingerprint(size: size, modified: 0, head: bytes[..<length], tail: tail)
        middle = FNV1a.hash(bytes[length..<(2 * length)])
    }

    fileprivate init(_ fingerprint: FileFingerprint, middle: UInt64) {
        self.fingerprint = fingerprint
        self.middle = middle
    }

    /// The size of the image in bytes.
    package var size: Int { Int(clamping: fingerprint.size) }

    /// The first, middle and last block of an image, which `init(_:)` reads.
    package static func blocks<Number: FixedWidthInteger>(of size: Number) -> [Range<Number>] {
        let length = min(size, 4096)
        return [0, (size - length) / 2, size - length].map { $0..<($0 + length) }
    }

    fileprivate func append(to writer: inout ByteWriter) {
        fingerprint.append(to: &writer)
        writer.append(middle)
    }
}

/// A small level of an image as JPEG tiles.
package struct SidecarLevel: Hashable, Sendable {
    /// A tile's place in the sidecar.
    package struct Tile: Hashable, Sendable {
        package var range: Range<Int>
        package var checksum: UInt32
    }

    /// Pixels of the image per pixel of the level, on each axis: 4, 8, 16 and so on.
    package var denominator: Int
    /// The size: that of the image divided by the denominator, rounded up.
    package var size: PixelSize<StoredGrid>
    /// The tiles of a row.
    package var columns: Int
    /// The tiles, row by row, which follow each other in the sidecar without gaps.
    package var tiles: [Tile]

    package init(denominator: Int, size: PixelSize<StoredGrid>, columns: Int, tiles: [Tile] = []) {
        self.denominator = denominator
        self.size = size
        self.columns = columns
        self.tiles = tiles
    }

    package var rows: Int { tiles.count / columns }

    /// Returns the tile of a column and a row, both of which must exist.
    package func tile(column: Int, row: Int) -> Tile {
        precondition((0..<columns).contains(column) && (0..<rows).contains(row), "no such tile")
        return tiles[row * columns + column]
    }

    /// Returns the bytes of all tiles from a column to another of a row, which are fetched together.
    package func range(columns: ClosedRange<Int>, row: Int) -> Range<Int> {
        tile(column: columns.lowerBound, row: row).range
            .lowerBound..<tile(column: columns.upperBound, row: row).range.upperBound
    }

    package static func checksum(_ bytes: [UInt8]) -> UInt32 {
        let hash = FNV1a.hash(bytes)
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }
}

/// The reason why a sidecar cannot be used.
package enum SidecarError: Error, Hashable, Sendable {
    /// The bytes are no sidecar, or one of another version.
    case foreign
    /// A part is damaged or missing.
    case damaged
}

extension SidecarDirectory {
    /// The bytes to read first: they hold the directory and the smallest levels of most images.
    package static var usualHead: Int { 1 << 16 }

    /// Returns the length of the directory that begins with some bytes, at least 12.
    package static func length(_ head: [UInt8]) throws(SidecarError) -> Int {
        guard head.starts(with: SavedForm.magic), head.uint8(at: 4) == SavedForm.version,
            let length = head.uint32(at: 8, .little)
        else { throw .foreign }
        guard length >= SavedForm.headerSize + 8 else { throw .damaged }
        return length
    }

    /// Reads the directory from the first bytes of a sidecar.
    ///
    /// - Parameter count: The bytes of the sidecar; parts that end behind them are damage.
    package init(_ head: [UInt8], count: Int) throws(SidecarError) {
        let length = try Self.length(head)
        guard length <= head.count, length <= count,
            head.bits(8, at: length - 8, .little) == FNV1a.hash(head[..<(length - 8)])
        else { throw .damaged }
        guard let directory = Self.read(head, end: length - 8, count: count) else { throw .damaged }
        self = directory
    }

    private static func read(_ head: [UInt8], end: Int, count: Int) -> Self? {
        var reader = ByteReader(head, .little, at: 12)
        func number() -> Int? { reader.next(UInt32.self).flatMap { Int(exactly: $0) } }
        func position() -> Int? { reader.next(UInt64.self).flatMap { Int(exactly: $0) } }
        guard let kind = Kind(rawValue: head[5]), let width = number(), let height = number(),
            (1...0x7FFF_FFFF).contains(width), (1...0x7FFF_FFFF).contains(height),
            let indexStart = position(), let indexLength = position(),
            let fingerprint = FileFingerprint(saved: head, at: 36),
            let middle = head.bits(8, at: 68, .little)
        else { return nil }
        reader = ByteReader(head, .little, at: 76)
        guard let headLength = number(), let segmentCount = reader.next(UInt16.self),
            let side = reader.next(UInt16.self), let levelCount = reader.next(UInt8.self),
            (1...8).contains(head[6]), side > 0, indexStart <= count, indexLength <= count - indexStart,
            reader.next(count: 3) != nil
        else { return nil }
        var directory = Self(
            kind: kind, size: PixelSize(width: width, height: height),
            orientation: Orientation(exif: Int(head[6])),
            identity: SidecarIdentity(fingerprint, middle: middle), headLength: headLength, segments: [],
            tileSide: Int(side), levels: [], index: indexStart..<(indexStart + indexLength))
        for _ in 0..<segmentCount {
            guard let position = number(), let length = number(), let bytes = reader.next(count: length),
                position <= headLength, length <= headLength - position
            else { return nil }
            directory.segments.append(Segment(position: position, bytes: Array(bytes)))
        }
        for _ in 0..<levelCount {
            guard let level = level(&reader, directory, end: end, count: count),
                level.denominator < directory.levels.last?.denominator ?? .max
            else { return nil }
            directory.levels.append(level)
        }
        return reader.offset == end ? directory : nil
    }

    private static func level(
        _ reader: inout ByteReader, _ directory: Self, end: Int, count: Int
    ) -> SidecarLevel? {
        guard let denominator = reader.next(UInt32.self), denominator > 1,
            let width = reader.next(UInt32.self), let height = reader.next(UInt32.self),
            var position = reader.next(UInt64.self).flatMap({ Int(exactly: $0) }), position <= count
        else { return nil }
        let size = directory.size(Int(denominator))
        guard Int(width) == size.width, Int(height) == size.height else { return nil }
        let columns = (size.width + directory.tileSide - 1) / directory.tileSide
        let rows = (size.height + directory.tileSide - 1) / directory.tileSide
        let (tiles, overflow) = columns.multipliedReportingOverflow(by: rows)
        guard !overflow, tiles <= (end - reader.offset) / 8 else { return nil }
        var level = SidecarLevel(denominator: Int(denominator), size: size, columns: columns, tiles: [])
        level.tiles.reserveCapacity(tiles)
        for _ in 0..<tiles {
            guard let length = reader.next(UInt32.self), let checksum = reader.next(UInt32.self),
                Int(length) <= count - position
            else { return nil }
            let range = position..<(position + Int(length))
            level.tiles.append(SidecarLevel.Tile(range: range, checksum: checksum))
            position = range.upperBound
        }
        return level
    }

    /// Returns the size of a level.
    package func size(_ denominator: Int) -> PixelSize<StoredGrid> {
        PixelSize(
            width: (size.width + denominator - 1) / denominator,
            height: (size.height + denominator - 1) / denominator)
    }

    /// The bytes of the saved directory.
    package var savedLength: Int {
        let segmentBytes = segments.reduce(0) { $0 + 8 + $1.bytes.count }
        let levelBytes = levels.reduce(0) { $0 + 20 + 8 * $1.tiles.count }
        return SavedForm.headerSize + segmentBytes + levelBytes + 8
    }

    /// The directory as it is saved.
    package var saved: [UInt8] {
        var writer = ByteWriter(.little, SavedForm.magic)
        let orientation = orientation.rawValue
        writer.append(contentsOf: [UInt8(SavedForm.version), kind.rawValue, UInt8(orientation), 0])
        for value in [savedLength, size.width, size.height] { writer.append(value, size: 4) }
        for value in [index.lowerBound, index.count] { writer.append(value, size: 8) }
        identity.append(to: &writer)
        writer.append(headLength, size: 4)
        writer.append(segments.count, size: 2)
        writer.append(tileSide, size: 2)
        writer.append(levels.count, size: 4)
        for segment in segments {
            writer.append(segment.position, size: 4)
            writer.append(segment.bytes.count, size: 4)
            writer.append(contentsOf: segment.bytes)
        }
        for level in levels {
            for value in [level.denominator, level.size.width, level.size.height] {
                writer.append(value, size: 4)
            }
            writer.append(level.tiles.first?.range.lowerBound ?? 0, size: 8)
            for tile in level.tiles {
                writer.append(tile.range.count, size: 4)
                writer.append(tile.checksum)
            }
        }
        writer.append(FNV1a.hash(writer.bytes))
        return writer.bytes
    }
}

/// An index that is protected by a hash of its own.
package enum SidecarIndex {
    /// Returns an index with the hash behind it.
    package static func protected(_ bytes: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(.little, bytes)
        writer.append(FNV1a.hash(bytes))
        return writer.bytes
    }

    /// Returns whether the hash behind an index is that of its bytes.
    package static func isWhole(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 8 else { return false }
        return bytes.bits(8, at: bytes.count - 8, .little) == FNV1a.hash(bytes[..<(bytes.count - 8)])
    }
}
