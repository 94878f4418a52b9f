/// A TIFF structure: bytes in an order that it says itself, with offsets from its own beginning.
struct TIFFBlock: ~Escapable {
    let bytes: Span<UInt8>
    let order: ByteOrder

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, order: ByteOrder) {
        self.bytes = bytes
        self.order = order
    }

    /// - Parameter bytes: from the byte-order mark on ("II*\0" or "MM\0*").
    @_lifetime(copy bytes)
    init?(_ bytes: Span<UInt8>) {
        switch bytes.uint32(0) {
        case 0x4949_2A00: self.init(bytes, order: .little)
        case 0x4D4D_002A: self.init(bytes, order: .big)
        default: return nil
        }
    }

    func uint16(_ offset: Int) -> Int? { bytes.uint16(offset, order) }
    func uint32(_ offset: Int) -> Int? { bytes.uint32(offset, order) }

    /// The first directory.
    var main: TIFFDirectory? {
        @_lifetime(copy self) get {
            guard let start = uint32(4) else { return nil }
            return TIFFDirectory(self, at: start)
        }
    }
}
