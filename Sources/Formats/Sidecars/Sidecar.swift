package import Files

/// Index and small levels of an image, in a file beside it: `big.jpg.vpi`.
///
/// Only the directory is read when a sidecar is opened; the index and each tile when they are requested. Every part is
/// checked before it is returned. A sidecar says nothing about its image until `matches(_:)` has confirmed that they
/// belong together.
package struct Sidecar: Sendable {
    /// What follows the name of the image in that of its sidecar.
    package static let suffix = ".vpi"

    /// What the sidecar has.
    package let directory: SidecarDirectory
    private let file: any RandomAccessBytes
    /// The first bytes of the file, which were read for the directory.
    private let head: [UInt8]

    /// Opens a sidecar: reads the first 64 KB, and more only where the directory is larger.
    ///
    /// - Parameter headSize: The bytes to read at first; more of them may save a later request.
    /// - Throws: `SidecarError`, or `FileError` where the file cannot be read.
    package init(_ file: any RandomAccessBytes, headSize: Int = SidecarDirectory.usualHead) throws {
        var head = try file.bytes(0..<min(max(headSize, 12), file.count))
        let length = try SidecarDirectory.length(head)
        guard length <= file.count else { throw SidecarError.damaged }
        if length > head.count { head += try file.bytes(head.count..<length) }
        directory = try SidecarDirectory(head, count: file.count)
        self.file = file
        self.head = head
    }

    /// Returns whether the sidecar was made of an image: compares its size and three blocks of it.
    package func matches(_ image: any RandomAccessBytes) throws(FileError) -> Bool {
        guard image.count == directory.identity.size else { return false }
        return try SidecarIdentity(image) == directory.identity
    }

    /// Returns the saved index, which is bound to `directory.identity.fingerprint` and has a checksum of its own.
    package func index() throws(FileError) -> [UInt8] { try bytes(directory.index) }

    /// Returns a run of tiles of a row of a level, read at once, as JPEGs without color profile.
    ///
    /// - Throws: `SidecarError.damaged`, or `FileError` where they cannot be read.
    package func tiles(_ level: SidecarLevel, columns: ClosedRange<Int>, row: Int) throws -> [[UInt8]] {
        let range = level.range(columns: columns, row: row)
        let run = try bytes(range)
        return try columns.map { column in
            let tile = level.tile(column: column, row: row)
            let start = tile.range.lowerBound - range.lowerBound
            let bytes = Array(run[start..<(start + tile.range.count)])
            guard SidecarLevel.checksum(bytes) == tile.checksum else { throw SidecarError.damaged }
            return bytes
        }
    }

    private func bytes(_ range: Range<Int>) throws(FileError) -> [UInt8] {
        range.upperBound <= head.count ? Array(head[range]) : try file.bytes(range)
    }
}

/// The parts of a sidecar that is written.
package struct SidecarContents: Sendable {
    /// What the sidecar has; the positions of index and tiles are set by `write(_:)`.
    package var directory: SidecarDirectory
    /// The saved index, bound to the fingerprint of the directory's identity.
    package var index: [UInt8]
    /// The tiles of each level of the directory, row by row.
    package var tiles: [[[UInt8]]]

    package init(directory: SidecarDirectory, index: [UInt8], tiles: [[[UInt8]]]) {
        self.directory = directory
        self.index = index
        self.tiles = tiles
    }

    /// Returns the bytes of the sidecar.
    ///
    /// - Precondition: Each level has as many tiles as its size needs.
    package func encoded() -> [UInt8] {
        var directory = directory
        for number in directory.levels.indices {
            directory.levels[number].tiles = tiles[number].map {
                SidecarLevel.Tile(range: 0..<$0.count, checksum: SidecarLevel.checksum($0))
            }
        }
        // One-tile levels first: with the directory they are the first picture of the image.
        let small = tiles.prefix { $0.count == 1 }.count
        var position = directory.savedLength
        func place(_ number: Int) {
            for tile in directory.levels[number].tiles.indices {
                let length = tiles[number][tile].count
                directory.levels[number].tiles[tile].range = position..<(position + length)
                position += length
            }
        }
        for number in 0..<small { place(number) }
        directory.index = position..<(position + index.count)
        position += index.count
        for number in small..<tiles.count { place(number) }
        let levels = tiles.map { $0.flatMap { $0 } }
        return directory.saved + levels.prefix(small).joined() + index + levels.dropFirst(small).joined()
    }
}
