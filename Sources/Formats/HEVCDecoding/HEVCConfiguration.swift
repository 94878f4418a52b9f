/// The configuration of a decoder in a HEIF file: the format of samples, and parameter sets.
///
/// Source: ISO/IEC 14496-15, section 8.3.3.1.2.
package struct HEVCConfiguration: Sendable, Equatable {
    /// The number of bytes before each unit of the data that state its length.
    package let lengthSize: Int
    /// Video, sequence and picture parameter sets, without start codes.
    package let parameterSets: [[UInt8]]

    /// The kinds of chroma sampling, as coded.
    private static let sampling420: UInt8 = 1

    /// Reads the contents of a box "hvcC"; nil for damage, and for samples other than 8 bits of 4:2:0.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 23, bytes[0] == 1, bytes[16] & 3 == Self.sampling420, bytes[17] & 7 == 0,
            bytes[18] & 7 == 0
        else { return nil }
        lengthSize = Int(bytes[21] & 3) + 1
        var sets: [[UInt8]] = []
        var at = 23
        for _ in 0..<bytes[22] {
            guard let count = Self.number(bytes, at + 1) else { return nil }
            at += 3
            for _ in 0..<count {
                guard let length = Self.number(bytes, at), length > 0, length <= bytes.count - at - 2 else {
                    return nil
                }
                sets.append(Array(bytes[(at + 2)..<(at + 2 + length)]))
                at += 2 + length
            }
        }
        parameterSets = sets
    }

    private static func number(_ bytes: [UInt8], _ at: Int) -> Int? {
        at + 2 <= bytes.count ? Int(bytes[at]) << 8 | Int(bytes[at + 1]) : nil
    }

    /// Returns the ranges of the units in the data of an item; nil where a length exceeds the data.
    func units(of data: [UInt8]) -> [Range<Int>]? {
        var units: [Range<Int>] = []
        var at = 0
        while at < data.count {
            guard data.count - at > lengthSize else { return nil }
            let length = data[at..<(at + lengthSize)].reduce(0) { $0 << 8 | Int($1) }
            at += lengthSize
            guard length > 0, length <= data.count - at else { return nil }
            units.append(at..<(at + length))
            at += length
        }
        return units
    }
}
