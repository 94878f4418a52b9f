import Testing
import ViewportGeometry

@Suite("An orientation")
struct OrientationTests {
    /// The upright positions of the stored top-left pixel of a 4x3 image and of its right neighbor.
    ///
    /// Source: the figure of the EXIF standard, row 0 and column 0 of each value.
    static let corners: [(Orientation, first: (Int, Int), second: (Int, Int))] = [
        (.up, (0, 0), (1, 0)), (.upMirrored, (3, 0), (2, 0)),
        (.down, (3, 2), (2, 2)), (.downMirrored, (0, 2), (1, 2)),
        (.leftMirrored, (0, 0), (0, 1)), (.right, (2, 0), (2, 1)),
        (.rightMirrored, (2, 3), (2, 2)), (.left, (0, 3), (0, 2)),
    ]

    @Test("moves the stored corner to the position that EXIF defines", arguments: corners)
    func corner(_ orientation: Orientation, first: (Int, Int), second: (Int, Int)) {
        let size = PixelSize<StoredGrid>(width: 4, height: 3)
        let a = orientation.upright(PixelRect(x: 0, y: 0, width: 1, height: 1), in: size)
        let b = orientation.upright(PixelRect(x: 1, y: 0, width: 1, height: 1), in: size)
        #expect((a.x, a.y) == first)
        #expect((b.x, b.y) == second)
    }

    @Test("maps rectangles there and back", arguments: Orientation.allCases)
    func thereAndBack(_ orientation: Orientation) {
        let size = PixelSize<StoredGrid>(width: 20, height: 15)
        for rect in [PixelRect<StoredGrid>(x: 3, y: 4, width: 5, height: 6), PixelRect(size)] {
            #expect(orientation.stored(orientation.upright(rect, in: size), in: size) == rect)
        }
    }

    @Test("is reverted by its inverse", arguments: Orientation.allCases)
    func inverse(_ orientation: Orientation) {
        #expect(orientation.followed(by: orientation.inverse) == .up)
        #expect(orientation.inverse.followed(by: orientation) == .up)
    }

    @Test("followed by another equals a third", arguments: Orientation.allCases, Orientation.allCases)
    func composition(_ first: Orientation, _ second: Orientation) {
        let size = PixelSize<StoredGrid>(width: 7, height: 5)
        let pixel = PixelRect<StoredGrid>(x: 1, y: 3, width: 1, height: 1)
        let once = first.upright(pixel, in: size)
        let between = first.uprightSize(size)
        let twice = second.upright(
            PixelRect(x: once.x, y: once.y, width: 1, height: 1),
            in: PixelSize(width: between.width, height: between.height))
        #expect(first.followed(by: second).upright(pixel, in: size) == twice)
    }

    @Test("counts foreign EXIF values as upright", arguments: [-1, 0, 9, 255, Int.max])
    func foreign(_ value: Int) {
        #expect(Orientation(exif: value) == .up)
    }

    @Test(
        "of a rotation mirrors first, then rotates clockwise",
        arguments: [
            (0, false, Orientation.up), (90, false, .right), (180, false, .down), (270, false, .left),
            (-90, false, .left), (360, false, .up), (0, true, .upMirrored), (90, true, .rightMirrored),
            (180, true, .downMirrored), (270, true, .leftMirrored),
        ])
    func rotation(_ degrees: Int, _ mirrored: Bool, _ expected: Orientation) {
        #expect(Orientation(degrees: degrees, mirrored: mirrored) == expected)
    }

    @Test("rejects angles that are not multiples of 90", arguments: [1, 45, 91, -30])
    func between(_ degrees: Int) {
        #expect(Orientation(degrees: degrees) == nil)
    }
}
