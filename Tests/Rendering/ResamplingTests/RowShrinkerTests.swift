import Resampling
import Testing

@Suite("Halving")
struct RowShrinkerTests {
    /// Returns the output rows of halving rows of one type.
    static func shrink<S: BitwiseCopyable>(
        _ rows: [[S]], _ type: SampleLayout.SampleType, bands: Int = 1, hasAlpha: Bool = false, times: Int = 1
    ) -> [[S]] {
        let layout = SampleLayout(type: type, bands: bands, hasAlpha: hasAlpha)
        let shrinker = RowShrinker(width: rows[0].count / bands, layout: layout, times: times)
        var made: [[S]] = []
        for (index, row) in rows.enumerated() {
            // The samples have no padding, and their memory is valid during the call.
            unsafe row.withUnsafeBytes { bytes in
                unsafe shrinker.push(bytes.bytes, isLast: index == rows.count - 1) { out in
                    made.append(unsafe out.withUnsafeBytes { unsafe Array($0.bindMemory(to: S.self)) })
                }
            }
        }
        return made
    }

    @Test("takes the mean of four, rounded to nearest, ties to even, for every type of sample")
    func means() {
        #expect(Self.shrink([[1, 2, 255, 255], [3, 4, 255, 254]] as [[UInt8]], .uint8) == [[2, 255]])
        #expect(Self.shrink([[3, 3, 0, 0], [4, 4, 0, 1]] as [[UInt8]], .uint8) == [[4, 0]])
        #expect(
            Self.shrink([[1000, 2000, 65535, 65535], [3000, 4001, 65535, 65535]] as [[UInt16]], .uint16)
                == [[2500, 65535]])
        #expect(Self.shrink([[0.5, 1], [1.5, -1]] as [[Float]], .float32) == [[0.5]])
    }

    @Test("pairs an odd last row or column with itself")
    func odd() {
        let rows: [[UInt8]] = [[10, 20, 70], [30, 40, 90], [50, 60, 100]]
        #expect(Self.shrink(rows, .uint8) == [[25, 80], [55, 100]])
        #expect(Self.shrink(rows, .uint8, times: 2) == [[65]])
        #expect(Self.shrink([[7]] as [[UInt8]], .uint8, times: 3) == [[7]])
    }

    @Test("weights colors by alpha, and ignores transparent pixels")
    func alpha() {
        let rows: [[UInt8]] = [[200, 255, 100, 0], [100, 255, 9, 0]]
        #expect(Self.shrink(rows, .uint8, bands: 2, hasAlpha: true) == [[150, 128]])
        #expect(Self.shrink([[9, 0, 9, 0]] as [[UInt8]], .uint8, bands: 2, hasAlpha: true) == [[0, 0]])
        let deep = rows.map { $0.map { UInt16($0) * 257 } }
        #expect(Self.shrink(deep, .uint16, bands: 2, hasAlpha: true) == [[38550, 32768]])
    }

    @Test("keeps a uniform color, with and without alpha", arguments: [1, 2, 3, 4])
    func flat(_ bands: Int) {
        let pixel: [UInt8] = [200, 255, 77, 255]
        let row = (0..<37).flatMap { _ in (bands == 3 ? [1, 2, 3] : Array(pixel.prefix(bands))) }
        let hasAlpha = bands % 2 == 0
        let made = Self.shrink(
            Array(repeating: row, count: 23), .uint8, bands: bands, hasAlpha: hasAlpha, times: 4)
        #expect(made == Array(repeating: Array(row.prefix(3 * bands)), count: 2))
    }
}
