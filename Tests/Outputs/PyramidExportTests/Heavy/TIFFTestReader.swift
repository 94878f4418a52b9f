import Foundation

/// The directories of a little-endian TIFF or BigTIFF: the values of each tag, as numbers.
struct TIFFTestReader {
    let bytes: [UInt8]
    let isBig: Bool
    private(set) var directories: [[Int: [Int]]] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        isBig = bytes[2] == 43
        var at = isBig ? number(8, 8) : number(4, 4)
        while at > 0 {
            let (head, word) = isBig ? (8, 8) : (2, 4)
            let count = number(at, head)
            var directory: [Int: [Int]] = [:]
            for entry in 0..<count {
                let start = at + head + entry * (4 + 2 * word)
                let size = [7: 1, 3: 2, 4: 4, 5: 8, 16: 8][number(start + 2, 2)]!
                let values = number(start + 4, word)
                let place = values * size > word ? number(start + 4 + word, word) : start + 4 + word
                directory[number(start, 2)] = (0..<values).map { number(place + $0 * size, size) }
            }
            directories.append(directory)
            at = number(at + head + count * (4 + 2 * word), word)
        }
    }

    private func number(_ at: Int, _ size: Int) -> Int {
        bytes[at..<(at + size)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The tiles of a directory as JPEGs with their tables.
    func jpegs(_ directory: Int) -> [[UInt8]] {
        let tags = directories[directory]
        let tables = tags[347]!.map { UInt8($0) }
        return zip(tags[324]!, tags[325]!).map { tables.dropLast(2) + bytes[($0 + 2)..<($0 + $1)] }
    }
}
