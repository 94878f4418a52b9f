import Resampling
import Testing

@Suite("Turned pixels")
struct TurnedPixelsTests {
    @Test(
        "are where the transposition and the flips put them", arguments: [1, 2, 3, 4],
        [(1, 1), (5, 3), (2, 7)])
    func positions(_ bands: Int, _ size: (Int, Int)) {
        let (width, height) = size
        let pixels = (0..<(width * height * bands)).map { UInt8($0) }
        for bits in 0..<8 {
            let (transposes, flipsX, flipsY) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0)
            let turned = pixels.turned(
                width: width, bands: bands, transposes: transposes, flipsX: flipsX, flipsY: flipsY)
            let (columns, rows) = transposes ? (height, width) : (width, height)
            var expected: [UInt8] = []
            for y in 0..<rows {
                for x in 0..<columns {
                    let flipped = (flipsX ? columns - 1 - x : x, flipsY ? rows - 1 - y : y)
                    let stored = transposes ? flipped.0 * width + flipped.1 : flipped.1 * width + flipped.0
                    expected += pixels[(stored * bands)..<((stored + 1) * bands)]
                }
            }
            #expect(turned == expected, "\(transposes), \(flipsX), \(flipsY)")
        }
    }

    @Test("of no rows are none")
    func none() {
        #expect([].turned(width: 4, bands: 3, transposes: true, flipsX: true, flipsY: true).isEmpty)
    }
}
