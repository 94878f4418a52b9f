import Basics
import Files
import Foundation
import TestSupport
import Testing
import ViewportGeometry

@testable import Crops

@Suite("Joined tiles")
struct StitcherTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func grid(_ side: (Int, Int) = (16, 12), _ overlap: Int = 4, _ sizes: [(Int, Int)] = [(50, 31)])
        -> CropGrid
    {
        CropGrid(
            size: PixelSize(width: side.0, height: side.1), overlap: overlap,
            sizes.enumerated().map { ($0, "\($0).png", PixelSize(width: $1.0, height: $1.1)) })
    }

    /// Writes a tile for each of a grid, whose values are those of its places.
    private func write(
        _ grid: CropGrid, _ kind: NPYHeader.Kind = .float(4), channels: Int = 1,
        named: (Int) -> String = { "\($0).npy" },
        _ value: (_ x: Int, _ y: Int, _ channel: Int, _ tile: Int) -> Double
    ) throws {
        try FileManager.default.createDirectory(atPath: folder.path("t"), withIntermediateDirectories: true)
        for number in 0..<grid.count {
            let tile = grid[number]
            var values: [Double] = []
            for y in 0..<grid.size.height {
                for x in 0..<grid.size.width {
                    for channel in 0..<channels {
                        values.append(value(tile.x + x, tile.y + y, channel, number))
                    }
                }
            }
            let shape = [grid.size.height, grid.size.width] + (channels > 1 ? [channels] : [])
            try Data(NPYHeader(kind, shape).bytes + Stitcher.bytes(values, kind)).write(
                to: folder.url.appendingPathComponent("t/\(named(number))"))
        }
    }

    private func joined(
        _ grid: CropGrid, nearest: Bool = false, fill: Double? = nil, picture: Int = 0, threads: Int = 2
    ) throws -> (header: NPYHeader, values: [Double]) {
        let files = try TileFiles([folder.path("t")], ending: nil, recipe: "1a2b3c4d5e", count: grid.count)
        let stitcher = try Stitcher(grid, files, takesNearest: nearest, fill: fill, threads: threads)
        let output = Output(
            folder.path("out.npy"), kind: "", recognizing: { _ in "" }, overwrites: true,
            isOwn: { _ in true },
            isInput: { _ in false })
        try stitcher.write(picture, as: .npy, to: output) { _ in }
        let bytes = Array(try folder.data("out.npy"))
        let header = try NPYHeader(bytes)
        let size = grid.pictures[picture].size
        let channels = header.shape.count > 2 ? header.shape[2] : 1
        let array = try TileArray(bytes, named: "", PixelSize(width: size.width, height: size.height))
        #expect(array.form.channels == channels)
        return (header, array.values)
    }

    @Test(
        "give back what was cut",
        arguments: [
            (.uint(1), 3), (.uint(2), 1), (.float(4), 2), (.float(8), 1), (.int(4), 1),
        ] as [(NPYHeader.Kind, Int)])
    func identity(_ kind: NPYHeader.Kind, _ channels: Int) throws {
        let grid = grid((16, 12), 4, [(50, 31), (9, 40)])
        func value(_ x: Int, _ y: Int, _ channel: Int) -> Double {
            Double((x * 7 + y * 13 + channel * 5) % 251)
        }
        try write(grid, kind, channels: channels) { x, y, channel, _ in value(x, y, channel) }
        for (number, size) in [(50, 31), (9, 40)].enumerated() {
            let (header, values) = try joined(grid, picture: number)
            #expect(header.shape == [size.1, size.0] + (channels > 1 ? [channels] : []))
            #expect(header.kind == (kind == .int(4) ? .float(4) : kind))
            var expected: [Double] = []
            for y in 0..<size.1 {
                for x in 0..<size.0 { for channel in 0..<channels { expected.append(value(x, y, channel)) } }
            }
            let isEqual = values == expected
            #expect(isEqual)
        }
    }

    @Test("pass from one tile to the next without a step, or at one place")
    func seams() throws {
        // Two tiles, of 0 and of 1.
        let grid = grid((16, 12), 4, [(28, 12)])
        #expect(grid.count == 2)
        try write(grid) { _, _, _, tile in Double(tile) }
        let row = Array(try joined(grid).values[..<28])
        #expect(row[..<12].allSatisfy { $0 == 0 } && row[16...].allSatisfy { $0 == 1 })
        let steps = zip(row, row.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { $0 >= 0 && $0 < 0.21 }, "\(row)")
        let nearest = Array(try joined(grid, nearest: true).values[..<28])
        #expect(nearest == [Double](repeating: 0, count: 14) + [Double](repeating: 1, count: 14))
    }

    @Test("are the same however many threads and rows there are")
    func threads() throws {
        let grid = grid((33, 20), 7, [(400, 130)])
        var random = SplitMix64(seed: 5)
        try write(grid, channels: 2) { _, _, _, _ in Double(random.next() % 1000) / 7 }
        let one = try joined(grid, threads: 1)
        let many = try joined(grid, threads: 5)
        let isEqual = one.values == many.values
        #expect(isEqual)
    }

    @Test("need every tile, once, of one type and shape, and of this grid")
    func refused() throws {
        let grid = grid()
        func sentence(_ change: () throws -> Void) throws -> String {
            try? FileManager.default.removeItem(atPath: folder.path("t"))
            try write(grid) { x, _, _, _ in Double(x) }
            try change()
            do {
                _ = try joined(grid)
                return ""
            } catch { return "\(error)" }
        }
        func put(_ name: String, _ bytes: [UInt8]) throws {
            try Data(bytes).write(to: folder.url.appendingPathComponent("t/\(name)"))
        }
        func array(_ kind: NPYHeader.Kind, _ shape: [Int]) -> [UInt8] {
            NPYHeader(kind, shape).bytes + [UInt8](repeating: 0, count: shape.reduce(kind.byteCount, *))
        }
        #expect(try sentence {} == "")
        let missing = try sentence { try FileManager.default.removeItem(atPath: folder.path("t/3.npy")) }
        #expect(missing.contains("1 of \(grid.count) tiles are missing: 3;"), "\(missing)")
        for (name, bytes, words) in [
            ("99.npy", array(.float(4), [12, 16]), "the grid has tiles 0 to"),
            ("03.npy", array(.float(4), [12, 16]), "tile 3 is there twice"),
            ("3.png", [0x89], "tile 3 is there twice"),
            ("tile.npy", [], "does not begin with the number"),
            ("3-ffffffff.npy", [], "is of another grid"),
            ("3.npy", array(.float(4), [16, 12]), "has the shape (16, 12)"),
            ("3.npy", array(.float(8), [12, 16]), "has float64, 1 channel, and the first tile has float32"),
            ("3.npy", array(.float(4), [12, 16, 2]), "has float32, 2 channels"),
            ("3.npy", Array(array(.float(4), [12, 16]).dropLast()), "fewer samples"),
            ("3.npy", Array("none".utf8), "neither an array"),
        ] as [(String, [UInt8], String)] {
            let found = try sentence { try put(name, bytes) }
            #expect(
                found.contains(words) && found.contains(name == "3.png" ? "3" : name), "\(name): \(found)")
        }
        #expect(try sentence { try put("notes.txt", []) } == "")
        #expect(try sentence { try put(".hidden", []) } == "")
        #expect(!FileManager.default.fileExists(atPath: folder.path("out.npy.rows")))
    }

    @Test("have a value where tiles are missing, if one is given")
    func filled() throws {
        let grid = grid((16, 12), 0, [(48, 24)])
        try write(grid) { _, _, _, tile in Double(tile + 1) }
        try FileManager.default.removeItem(atPath: folder.path("t/4.npy"))
        let values = try joined(grid, fill: -1).values
        #expect(values.count { $0 == -1 } == 16 * 12 && values[12 * 48 + 16] == -1)
        #expect(values.count { $0 == 6 } == 16 * 12)
    }

    @Test("are read from NumPy's types, orders and shapes")
    func arrays() throws {
        let size = PixelSize<OutputGrid>(width: 3, height: 2)
        func read(_ header: String, _ bytes: [UInt8]) throws -> [Double] {
            let text = Array(header.utf8) + [0x0A]
            let head = NPYHeader.signature + [1, 0, UInt8(text.count), 0] + text
            return try TileArray(head + bytes, named: "a.npy", size).values
        }
        func header(_ type: String, _ order: String, _ shape: String) -> String {
            "{'descr': '\(type)', 'fortran_order': \(order), 'shape': (\(shape)), }"
        }
        #expect(try read(header("|u1", "False", "2, 3"), [1, 2, 3, 4, 5, 6]) == [1, 2, 3, 4, 5, 6])
        // Column by column.
        #expect(try read(header("|u1", "True", "2, 3"), [1, 4, 2, 5, 3, 6]) == [1, 2, 3, 4, 5, 6])
        // Channels before, as of a batch of one.
        #expect(
            try read(header("|i1", "False", "1, 2, 2, 3"), (1...12).map { UInt8($0) })
                == [1, 7, 2, 8, 3, 9, 4, 10, 5, 11, 6, 12])
        #expect(
            try read(header("|i1", "False", "2, 3"), [0xFF, 0x80, 127, 0, 1, 2]) == [-1, -128, 127, 0, 1, 2])
        #expect(try read(header("|b1", "False", "2, 3"), [1, 0, 1, 0, 1, 1]) == [1, 0, 1, 0, 1, 1])
        let halves: [UInt8] = [0x00, 0x3C, 0x00, 0xC0, 0xFF, 0x7B, 0x01, 0x00, 0x00, 0x00, 0x55, 0x35]
        #expect(
            try read(header("<f2", "False", "2, 3"), halves) == [1, -2, 65504, 0x1p-24, 0, 0.333251953125])
        #expect(throws: StitchError.self) {
            try read(header(">f4", "False", "2, 3"), [UInt8](repeating: 0, count: 24))
        }
        #expect(throws: StitchError.self) {
            try read(header("<c8", "False", "2, 3"), [UInt8](repeating: 0, count: 48))
        }
    }
}

@Suite("The tiles of grids")
struct CropGridTests {
    @Test(
        "cover an image, overlap, and end at its edge",
        arguments: [
            (100, 32, 8), (32, 32, 8), (5, 32, 8), (33, 32, 0), (64, 32, 0), (65, 32, 31), (1000, 7, 3),
        ])
    func starts(_ length: Int, _ side: Int, _ overlap: Int) {
        let starts = CropGrid.starts(length, of: side, overlap: overlap)
        #expect(starts.first == 0 && starts.last == max(length - side, 0) && starts == Set(starts).sorted())
        #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 <= $0 + side - overlap })
    }

    @Test("are numbered row by row, image by image, and read from their description")
    func numbers() throws {
        let grid = CropGrid(
            size: PixelSize(width: 30, height: 20), overlap: 5,
            [(0, "a.png", PixelSize(width: 100, height: 50)), (2, "b.png", PixelSize(width: 10, height: 10))])
        #expect(grid.count == 13 && grid.pictures[1].first == 12)
        #expect(
            grid[0] == CropGrid.Tile(picture: 0, x: 0, y: 0)
                && grid[3] == CropGrid.Tile(picture: 0, x: 70, y: 0))
        #expect(grid[11] == CropGrid.Tile(picture: 0, x: 70, y: 30))
        #expect(grid[12] == CropGrid.Tile(picture: 1, x: 0, y: 0))
        let document = grid.document(recipe: "1a")
        let read = try #require(CropGrid(document))
        #expect(read.count == grid.count && (0..<13).allSatisfy { read[$0] == grid[$0] })
        for change in [
            ("13", "14"), ("\"overlap\":5", "\"overlap\":6"), ("\"overlap\":5", "\"overlap\":30"),
            ("\"columns\":4", "\"columns\":5"), ("[30,20]", "[0,20]"), ("[30,20]", "[30]"),
        ] {
            let text = "\(document)".replacing(change.0, with: change.1)
            let changed = try JSONValue(parsing: text)
            #expect(text != "\(document)" && CropGrid(changed) == nil, "\(change)")
        }
    }

    @Test("have weights that fall to their edges over the overlap")
    func weights() {
        let grid = CropGrid(
            size: PixelSize(width: 8, height: 8), overlap: 3, [(0, "a", PixelSize(width: 8, height: 8))])
        #expect(grid.weights(8) == [0.25, 0.5, 0.75, 1, 1, 0.75, 0.5, 0.25])
    }
}
