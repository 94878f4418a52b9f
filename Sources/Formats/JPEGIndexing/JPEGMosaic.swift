internal import Basics
internal import Containers
internal import Files
package import ViewportGeometry

/// Joins the tiles of a picture into one JPEG by copying their compressed data.
///
/// Where tiles consist of whole MCUs, the result is what encoding the whole picture gives: every block is encoded on its
/// own, except for the difference of its DC value from that of the previous block, which is adapted.
package struct JPEGMosaic {
    private let size: PixelSize<StoredGrid>
    private let side: Int
    /// The tables of the tiles, by their size: four sizes at most.
    private var parts: [PixelSize<StoredGrid>: Part] = [:]

    /// The header that all tiles of one size have.
    private struct Part {
        let head: [UInt8]
        let scanner: EntropyScanner
    }

    /// - Parameters:
    ///   - size: The size of the picture.
    ///   - side: The side of the square tiles; those at the right and bottom edge are cut off.
    package init(size: PixelSize<StoredGrid>, side: Int) {
        self.size = size
        self.side = side
    }

    /// Passes the picture, without metadata, to a closure, piece by piece.
    ///
    /// One row of tiles is held in memory.
    ///
    /// - Parameters:
    ///   - tile: Returns a tile. All have the same tables, and no restart markers.
    ///   - write: Receives the bytes of the file.
    /// - Throws: `JPEGIndexError` where tiles are broken or cannot be joined, or what the closures throw.
    package consuming func join(
        tile: (_ column: Int, _ row: Int) throws -> [UInt8], write: ([UInt8]) throws -> Void
    ) throws {
        var copier: RunCopier?
        for row in 0..<((size.height + side - 1) / side) {
            var cursors = try (0..<((size.width + side - 1) / side)).map { column in
                try cursor(tile(column, row), column, row)
            }
            let scanner = cursors[0].scanner
            if copier == nil { try write(head(scanner.header, parts[scanner.header.size]?.head ?? [])) }
            var joined = copier ?? RunCopier(scanner)
            for _ in 0..<scanner.header.mcuRows {
                for column in cursors.indices {
                    try joined.append(cursors[column].scanner.header.mcusPerRow, from: &cursors[column])
                }
            }
            // The header, with the codes of all tiles, is written.
            guard joined.dcCodes == scanner.header.dcCodes else { throw JPEGIndexError.staleIndex }
            var piece: [UInt8] = []
            joined.moveWords(to: &piece)
            try write(piece)
            copier = joined
        }
        var end: [UInt8] = []
        copier?.finish(to: &end)
        try write(end + JPEGSegment.endOfImage)
    }

    /// A cursor at the first MCU of a tile.
    private mutating func cursor(_ bytes: [UInt8], _ column: Int, _ row: Int) throws -> MCUCursor {
        let tile = try OpenFile(bytes: bytes, name: "tile")
        let size = PixelSize<StoredGrid>(
            width: min(side, self.size.width - column * side),
            height: min(side, self.size.height - row * side))
        let part = try parts[size] ?? part(tile, size)
        parts[size] = part
        guard bytes.starts(with: part.head) else { throw JPEGIndexError.staleIndex }
        return MCUCursor(part.scanner, ByteWindow(tile, readAhead: tile.count))
    }

    /// Reads the header of a tile, and checks that it can be joined with the others.
    private func part(_ tile: OpenFile, _ size: PixelSize<StoredGrid>) throws -> Part {
        let header = try JPEGHeader(tile)
        guard header.size == size, header.restartInterval == 0, side % header.mcuSize.width == 0,
            side % header.mcuSize.height == 0,
            parts.values.allSatisfy({ $0.scanner.header.codes(as: header) })
        else { throw JPEGIndexError.staleIndex }
        return Part(head: try tile.bytes(0..<header.dataStart), scanner: EntropyScanner(header))
    }

    /// The header of the picture: that of its first tile, with another size and without metadata.
    private func head(_ header: JPEGHeader, _ tile: [UInt8]) -> [UInt8] {
        var head = JPEGSegment.startOfImage
        // An Adobe segment decides the colors.
        for segment in header.segments
        where !(0xE0...0xED).contains(segment.marker) && ![0xEF, 0xFE].contains(segment.marker) {
            var bytes = Array(tile[segment.range])
            if segment.marker == header.frameMarker {
                // Marker, length and precision are before the height and the width.
                bytes.replaceSubrange(
                    5..<9, with: UInt16(size.height).bytes(.big) + UInt16(size.width).bytes(.big))
            }
            head += bytes
        }
        return head
    }
}

extension JPEGHeader {
    /// Whether the data of another header means the same.
    fileprivate func codes(as other: JPEGHeader) -> Bool {
        components == other.components && quantization == other.quantization && dcCodes == other.dcCodes
            && acCodes == other.acCodes && scanOrder == other.scanOrder && frameMarker == other.frameMarker
    }
}
