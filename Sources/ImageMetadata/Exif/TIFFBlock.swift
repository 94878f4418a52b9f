internal import Basics

/// A TIFF structure: bytes in an order that it says itself, with offsets from its own beginning.
struct TIFFBlock {
    let bytes: FileBytes
    let order: ByteOrder
    /// The bytes of an offset: 8 in BigTIFF, else 4.
    let offsetSize: Int

    init(_ bytes: FileBytes, order: ByteOrder, offsetSize: Int = 4) {
        self.bytes = bytes
        self.order = order
        self.offsetSize = offsetSize
    }

    /// A block of EXIF, from the byte-order mark on ("II*\0" or "MM\0*"); nil where it begins otherwise.
    init?(_ bytes: FileBytes) {
        guard [0x4949_2A00, 0x4D4D_002A].contains(bytes.uint32(at: 0)) else { return nil }
        self.init(file: bytes)
    }

    /// A file that is built like a TIFF, whatever follows its byte-order mark.
    init(file: FileBytes) {
        let order: ByteOrder = file.uint16(at: 0) == 0x4D4D ? .big : .little
        self.init(file, order: order, offsetSize: file.uint16(at: 2, order) == 43 ? 8 : 4)
    }

    func uint16(at offset: Int) -> Int? { bytes.uint16(at: offset, order) }
    func uint32(at offset: Int) -> Int? { bytes.uint32(at: offset, order) }

    /// A count or a place, of the block's own width.
    func offset(_ at: Int) -> Int? { offsetSize == 8 ? bytes.uint64(at: at, order) : uint32(at: at) }

    /// The first directory.
    var main: TIFFDirectory? {
        guard let start = offset(offsetSize) else { return nil }
        return TIFFDirectory(self, at: start)
    }
}
