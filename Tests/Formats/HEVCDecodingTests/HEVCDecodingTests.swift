import Testing

@testable import HEVCDecoding

@Suite("The configuration of an HEVC decoder")
struct HEVCConfigurationTests {
    /// A configuration of 8 bits of 4:2:0 with two parameter sets.
    private static let bytes: [UInt8] =
        [1] + [UInt8](repeating: 0, count: 15) + [0xFD, 0xF8, 0xF8, 0, 0, 0x0F, 2]
        + [0x20, 0, 1, 0, 2, 7, 8] + [0x21, 0, 1, 0, 1, 9]

    @Test("has the length of lengths and the parameter sets")
    func contents() throws {
        let configuration = try #require(HEVCConfiguration(Self.bytes))
        #expect(configuration.lengthSize == 4)
        #expect(configuration.parameterSets == [[7, 8], [9]])
    }

    @Test(
        "is refused for other samples", arguments: [(16, 0xFE), (16, 0xFC), (17, 0xFA), (18, 0xFA), (0, 2)])
    func others(_ place: Int, _ value: UInt8) {
        var bytes = Self.bytes
        bytes[place] = value
        #expect(HEVCConfiguration(bytes) == nil)
    }

    @Test("is refused where it is cut")
    func cut() {
        for count in 0..<Self.bytes.count {
            #expect(HEVCConfiguration(Array(Self.bytes.prefix(count))) == nil)
        }
    }

    @Test("finds the units of data, and none in damaged data")
    func units() throws {
        let configuration = try #require(HEVCConfiguration(Self.bytes))
        #expect(configuration.units(of: [0, 0, 0, 2, 5, 6, 0, 0, 0, 1, 7]) == [4..<6, 10..<11])
        #expect(configuration.units(of: [0, 0, 0, 2, 5]) == nil)
        #expect(configuration.units(of: [0, 0, 0, 0]) == nil)
        #expect(configuration.units(of: [0, 0]) == nil)
        #expect(configuration.units(of: [255, 255, 255, 255, 1]) == nil)
    }

    @Test("with data that is no picture decodes nothing")
    func garbage() throws {
        let configuration = try #require(HEVCConfiguration(Self.bytes))
        for data: [UInt8] in [[], [0, 0, 0, 1, 0], [0, 0, 0, 3, 0x26, 1, 0xAF], [1]] {
            #expect(throws: HEVCDecodingError.self) { try HEVCDecoder.decode(data, configuration) }
        }
    }
}

@Suite("The conversion of HEVC pictures to RGB")
struct YCbCrConversionTests {
    /// A picture whose samples all differ.
    private static let picture = HEVCPicture(
        width: 3, height: 2, luma: [10, 60, 110, 160, 210, 250], blue: [100, 150], red: [140, 90],
        isFullRange: true, matrix: 6)

    /// Source: ITU-T H.273, 8.3.
    private func expected(_ x: Int, _ y: Int, _ weights: (Float, Float), isFullRange: Bool) -> [UInt8] {
        var luma = Float(Self.picture.luma[y * 3 + x])
        var blue = Float(Self.picture.blue[x / 2]) - 128
        var red = Float(Self.picture.red[x / 2]) - 128
        if !isFullRange {
            luma = (luma - 16) * 255 / 219
            (blue, red) = (blue * 255 / 224, red * 255 / 224)
        }
        let (r, b) = (luma + 2 * (1 - weights.0) * red, luma + 2 * (1 - weights.1) * blue)
        let g = (luma - weights.0 * r - weights.1 * b) / (1 - weights.0 - weights.1)
        return [r, g, b].map { UInt8(min(max($0.rounded(), 0), 255)) }
    }

    @Test(
        "follows the matrix and the range",
        arguments: [
            (1, Float(0.2126), Float(0.0722)), (6, 0.299, 0.114), (9, 0.2627, 0.0593), (2, 0.299, 0.114),
        ],
        [true, false])
    func matrices(_ matrix: (number: Int, red: Float, blue: Float), _ isFullRange: Bool) throws {
        let conversion = try #require(YCbCrConversion(matrix: matrix.number, isFullRange: isFullRange))
        for y in 0..<2 {
            var row = [UInt8](repeating: 0, count: 9)
            conversion.convert(Self.picture, from: (0, y), step: (1, 0), count: 3, into: &row, at: 0)
            for x in 0..<3 {
                let wanted = expected(x, y, (matrix.red, matrix.blue), isFullRange: isFullRange)
                for (one, other) in zip(row[(x * 3)..<(x * 3 + 3)], wanted) {
                    // libheif's factors of limited range have four digits.
                    #expect(abs(Int(one) - Int(other)) <= (isFullRange ? 0 : 1))
                }
            }
        }
    }

    @Test("walks in any direction")
    func directions() throws {
        let conversion = try #require(YCbCrConversion(matrix: 6, isFullRange: true))
        func line(_ first: (Int, Int), _ step: (Int, Int), _ count: Int) -> [[UInt8]] {
            var row = [UInt8](repeating: 0, count: 3 + 3 * count)
            conversion.convert(Self.picture, from: first, step: step, count: count, into: &row, at: 3)
            return (0..<count).map { Array(row[(3 + 3 * $0)..<(6 + 3 * $0)]) }
        }
        #expect(line((2, 1), (-1, 0), 3) == line((0, 1), (1, 0), 3).reversed())
        #expect(line((1, 1), (0, -1), 2) == line((1, 0), (0, 1), 2).reversed())
        #expect(line((1, 0), (0, 1), 2) == [line((0, 0), (1, 0), 3)[1], line((0, 1), (1, 0), 3)[1]])
    }

    @Test("is not defined for other matrices", arguments: [0, 3, 4, 7, 8, 10, 14, 255])
    func others(_ matrix: Int) {
        #expect(YCbCrConversion(matrix: matrix, isFullRange: true) == nil)
    }
}
