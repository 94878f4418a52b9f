/// Bytes with an order: numbers are read at offsets, and what lies outside is missing.
struct TIFFBlock {
    private let data: ArraySlice<UInt8>
    private let isBigEndian: Bool

    /// - Parameter data: from the byte-order mark on ("II*\0" or "MM\0*").
    init?(_ data: ArraySlice<UInt8>) {
        switch Array(data.prefix(4)) {
        case [0x49, 0x49, 0x2A, 0]: isBigEndian = false
        case [0x4D, 0x4D, 0, 0x2A]: isBigEndian = true
        default: return nil
        }
        self.data = data
    }

    func holds(_ offset: Int, _ count: Int) -> Bool {
        offset >= 0 && count >= 0 && offset <= data.count && count <= data.count - offset
    }

    func bytes(_ offset: Int, _ count: Int) -> ArraySlice<UInt8> {
        guard holds(offset, count) else { return [] }
        return data[(data.startIndex + offset)..<(data.startIndex + offset + count)]
    }

    func uint8(_ offset: Int) -> Int? { bytes(offset, 1).first.map(Int.init) }
    func uint16(_ offset: Int) -> Int? { number(offset, 2) }
    func uint32(_ offset: Int) -> Int? { number(offset, 4) }

    private func number(_ offset: Int, _ count: Int) -> Int? {
        guard holds(offset, count) else { return nil }
        let bytes = bytes(offset, count)
        return isBigEndian
            ? bytes.reduce(0) { $0 << 8 | Int($1) }
            : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
