import Testing
import TilePyramid
import ViewportGeometry

@Suite("A pyramid")
struct PyramidTests {
    static let full = PixelSize<StoredGrid>(width: 20001, height: 15000)

    /// The levels of a JPEG decoder.
    static let jpeg = Pyramid(
        levels: (0...3).map {
            let factor = 1 << $0
            return PyramidLevel(
                index: $0, size: PixelSize(width: (20001 + factor - 1) / factor, height: 15000 / factor),
                of: full)
        })

    @Test(
        "of an image has its size and halved sizes, down to one pixel",
        arguments: [
            (7, 4, 2, [[7, 4], [4, 2], [2, 1]]), (3, 1, 9, [[3, 1], [2, 1], [1, 1]]), (5, 5, -3, [[5, 5]]),
            (1, 1, Int.max, [[1, 1]]),
        ])
    func halvings(_ width: Int, _ height: Int, _ halvings: Int, _ sides: [[Int]]) {
        let pyramid = Pyramid(size: PixelSize(width: width, height: height), halvings: halvings)
        #expect(pyramid.levels.map { [$0.size.width, $0.size.height] } == sides)
        #expect(pyramid.levels.map(\.downsampleX) == (0..<sides.count).map { Double(1 << $0) })
        #expect(pyramid.full.index == 0)
    }

    @Test(
        "leaves a factor of two for the kernel",
        arguments: [
            (1.0, 0), (2, 0), (0.51, 0), (0.5, 0), (0.25, 1), (0.2, 1), (0.125, 2), (0.0625, 3),
            (0.01, 3), (0.2504, 1), (0.256, 0), (0.064, 2), (.nan, 0),
        ])
    func choice(_ scale: Double, _ level: Int) {
        #expect(Self.jpeg.level(forScale: scale).index == level)
    }

    @Test("lets overviews lose a little, and small levels nothing", arguments: [(0.064, 3), (0.066, 2)])
    func overview(_ scale: Double, _ level: Int) {
        var levels = Self.jpeg.levels
        levels[3].isOverview = true
        let last = levels[3]
        levels.append(
            PyramidLevel(index: 4, size: last.size, downsampleX: 16, downsampleY: 16))
        let pyramid = Pyramid(levels: levels)
        #expect(pyramid.level(forScale: scale).index == level)
        #expect(pyramid.level(forScale: 1 / 32).index == 3)
        #expect(pyramid.level(forScale: 1 / 63).index == 4)
    }

    @Test(
        "has exact powers of two for sizes that were rounded up or down",
        arguments: [
            (20001, 10001, 2.0), (20001, 10000, 2), (20001, 2500, 8), (20001, 2501, 8),
            (1000, 300, 1000.0 / 300), (3, 1, 2), (1, 1, 1),
        ])
    func exact(_ full: Int, _ size: Int, _ downsample: Double) {
        let level = PyramidLevel(
            index: 1, size: PixelSize(width: size, height: size), of: PixelSize(width: full, height: full))
        #expect(level.downsampleX == downsample)
    }

    @Test(
        "of a drawing has a level with the pixels of the picture, up to a maximum",
        arguments: [
            (1.0, 0), (1.5, -1), (2, -1), (2.1, -2), (100, -2), (0.5, 0), (0.25, 1),
        ])
    func drawing(_ scale: Double, _ level: Int) {
        let levels = [-2, -1, 0, 1, 2].map { (index: Int) -> PyramidLevel in
            let factor: Double = [4, 2, 1, 0.5, 0.25][index + 2]
            let side = Int(256 * factor)
            return PyramidLevel(
                index: index, size: PixelSize(width: side, height: side),
                downsampleX: 1 / factor, downsampleY: 1 / factor)
        }
        #expect(Pyramid(levels: levels.reversed()).level(forScale: scale).index == level)
    }
}
