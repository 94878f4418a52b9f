import Files
import TestSupport
import Testing
import ViewportGeometry

@testable import Sidecars

@Suite("A sidecar")
struct SidecarTests {
    @Test("returns its index and tiles, the first of them with one read")
    func roundTrip() throws {
        let sample = try Sample()
        let file = MemoryFile(sample.encoded)
        let sidecar = try Sidecar(file)
        #expect(sidecar.directory.kind == .baselineJPEG)
        #expect(sidecar.directory.size == PixelSize(width: 3000, height: 2001))
        #expect(sidecar.directory.orientation == .right)
        #expect(sidecar.directory.segments.map(\.position) == [0, 100])
        let smallest = try #require(sidecar.directory.levels.first)
        #expect(smallest.size == PixelSize(width: 188, height: 126))
        #expect(try sidecar.tiles(smallest, columns: 0...0, row: 0)[0] == sample.tiles[0][0])
        #expect(file.reads == 1)
        #expect(try sidecar.index() == sample.index)
        let largest = try #require(sidecar.directory.levels.last)
        #expect(largest.columns == 3 && largest.rows == 2)
        #expect(try sidecar.tiles(largest, columns: 1...2, row: 1) == Array(sample.tiles[2][4...5]))
    }

    @Test("has an index whose every byte is protected")
    func protected() {
        let index = SidecarIndex.protected(Array("{}".utf8))
        #expect(SidecarIndex.isWhole(index) && !SidecarIndex.isWhole([]))
        for position in index.indices {
            var changed = index
            changed[position] ^= 1
            #expect(!SidecarIndex.isWhole(changed) && !SidecarIndex.isWhole(Array(index[..<position])))
        }
    }

    @Test("belongs to a copy of its image, and to no other")
    func identity() throws {
        let sample = try Sample()
        let sidecar = try Sidecar(MemoryFile(sample.encoded))
        #expect(try sidecar.matches(MemoryFile(sample.image)))
        #expect(try !sidecar.matches(MemoryFile(Array(sample.image.dropLast()))))
        for position in [0, sample.image.count / 2, sample.image.count - 1] {
            var changed = sample.image
            changed[position] ^= 1
            #expect(try !sidecar.matches(MemoryFile(changed)), "byte \(position)")
        }
        // Pages have the three blocks only.
        let size = sample.image.count
        let blocks = SidecarIdentity.blocks(of: size).flatMap { sample.image[$0] }
        #expect(SidecarIdentity(size: UInt64(size), blocks: blocks) == sidecar.directory.identity)
        #expect(SidecarIdentity(size: UInt64(size) + 1, blocks: blocks) != sidecar.directory.identity)
        #expect(SidecarIdentity(size: UInt64(size), blocks: Array(blocks.dropLast())) == nil)
    }

    @Test("is refused at every length and with every changed byte of its directory")
    func damage() throws {
        let sample = try Sample()
        let encoded = sample.encoded
        let length = try SidecarDirectory.length(encoded)
        for count in stride(from: 0, to: encoded.count, by: 37) {
            #expect(throws: (any Error).self) {
                let sidecar = try Sidecar(MemoryFile(Array(encoded.prefix(count))))
                for level in sidecar.directory.levels {
                    _ = try sidecar.tiles(level, columns: 0...0, row: 0)[0]
                }
            }
        }
        for position in 0..<length {
            var changed = encoded
            changed[position] ^= 0x41
            #expect(throws: SidecarError.self, "byte \(position)") { try Sidecar(MemoryFile(changed)) }
        }
    }

    @Test("refuses a changed tile")
    func changedTile() throws {
        let sample = try Sample()
        var encoded = sample.encoded
        encoded[encoded.count - 1] ^= 1
        let sidecar = try Sidecar(MemoryFile(encoded))
        let level = try #require(sidecar.directory.levels.last)
        #expect(try sidecar.tiles(level, columns: 0...0, row: 0)[0] == sample.tiles[2][0])
        #expect(throws: SidecarError.damaged) { try sidecar.tiles(level, columns: 2...2, row: 1)[0] }
    }
}

/// A sidecar of an image that is not decoded.
private struct Sample {
    let image = (0..<20000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) }
    let index = (0..<70000).map { UInt8(truncatingIfNeeded: $0 &* 17) }
    let tiles: [[[UInt8]]]
    let encoded: [UInt8]

    init() throws {
        var directory = SidecarDirectory(
            kind: .baselineJPEG, size: PixelSize(width: 3000, height: 2001), orientation: .right,
            identity: try SidecarIdentity(MemoryFile(image)), headLength: 300,
            segments: [
                SidecarDirectory.Segment(position: 0, bytes: [0xFF, 0xD8]),
                SidecarDirectory.Segment(position: 100, bytes: [0xFF, 0xDB, 0, 2]),
            ], tileSide: 256, levels: [])
        for denominator in [16, 8, 4] {
            let size = directory.size(denominator)
            let columns = (size.width + 255) / 256
            directory.levels.append(
                SidecarLevel(denominator: denominator, size: size, columns: columns, tiles: []))
        }
        tiles = directory.levels.enumerated().map { number, level in
            (0..<(level.columns * ((level.size.height + 255) / 256))).map { tile in
                [UInt8](repeating: UInt8(number * 50 + tile), count: 100 + tile)
            }
        }
        encoded = SidecarContents(directory: directory, index: index, tiles: tiles).encoded()
    }
}
