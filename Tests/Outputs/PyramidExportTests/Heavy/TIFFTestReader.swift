import Foundation

/// The directories of a little-endian TIFF or BigTIFF: the values of each tag, as numbers.
struct TIFFTestReader {
    let bytes: [UInt8]
    let isBig: Bool
    private(set) var directories: [[Int: [Int]]] = []
    /// Where each directory is.
    private(set) var places: [Int] = []
    /// Where the arrays of offsets and sizes of tiles are that do not fit into a directory.
    private(set) var arrays: [[Int]] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        isBig = bytes[2] == 43
        var at = isBig ? number(8, 8) : number(4, 4)
        while at > 0 {
            let (head, word) = isBig ? (8, 8) : (2, 4)
            let count = number(at, head)
            var directory: [Int: [Int]] = [:]
            places.append(at)
            arrays.append([])
            for entry in 0..<count {
                let start = at + head + entry * (4 + 2 * word)
                let size = [2: 1, 7: 1, 3: 2, 4: 4, 5: 8, 12: 8, 16: 8][number(start + 2, 2)]!
                let values = number(start + 4, word)
                let isApart = values * size > word
                let place = isApart ? number(start + 4 + word, word) : start + 4 + word
                let tag = number(start, 2)
                directory[tag] = (0..<values).map { number(place + $0 * size, size) }
                if isApart, tag == 324 || tag == 325 { arrays[arrays.count - 1].append(place) }
            }
            directories.append(directory)
            at = number(at + head + count * (4 + 2 * word), word)
        }
    }

    /// A number of 64 bits as its bits are read here.
    static func bits(_ value: Double) -> Int { Int(bitPattern: UInt(value.bitPattern)) }

    private func number(_ at: Int, _ size: Int) -> Int {
        Int(bitPattern: bytes[at..<(at + size)].reversed().reduce(UInt(0)) { $0 << 8 | UInt($1) })
    }

    /// The tiles of a directory as JPEGs with their tables.
    func jpegs(_ directory: Int) -> [[UInt8]] {
        let tags = directories[directory]
        let tables = tags[347]!.map { UInt8($0) }
        return zip(tags[324]!, tags[325]!).map { tables.dropLast(2) + bytes[($0 + 2)..<($0 + $1)] }
    }
}
