/// A hash table of at most 256 colors.
struct ColorTable {
    private(set) var colors: [UInt32] = []
    /// One more than the index into `colors`; 0 is free.
    private var slots = [UInt16](repeating: 0, count: 1024)

    /// The colors of every `step`-th pixel, or nil as soon as there are more than 256.
    init?(_ pixels: Bytes, bytesPerPixel: Int, count: Int, step: Int) {
        colors.reserveCapacity(256)
        var last = Self.color(pixels, 0, bytesPerPixel)
        insert(last)
        for pixel in stride(from: step, to: count, by: step) {
            let color = Self.color(pixels, pixel * bytesPerPixel, bytesPerPixel)
            if color == last { continue }
            last = color
            guard insert(color) else { return nil }
        }
    }

    /// The same colors with the indices of another order.
    func renumbered(_ order: [UInt32]) -> ColorTable {
        var result = self
        result.colors = []
        result.slots = [UInt16](repeating: 0, count: slots.count)
        for color in order { result.insert(color) }
        return result
    }

    /// The pixel at a byte offset as 0xAABBGGRR; opaque where there is no alpha.
    @inline(__always)
    static func color(_ pixels: Bytes, _ offset: Int, _ bytesPerPixel: Int) -> UInt32 {
        if bytesPerPixel == 4 { return UInt32(littleEndian: pixels.load(offset, as: UInt32.self)) }
        let low = UInt32(UInt16(littleEndian: pixels.load(offset, as: UInt16.self)))
        return low | UInt32(pixels[offset + 2]) << 16 | 0xFF00_0000
    }

    /// The index of a color that is in the table.
    @inline(__always)
    func index(of color: UInt32) -> UInt8 {
        var slot = Self.hash(color)
        while colors[Int(slots[slot]) - 1] != color { slot = (slot + 1) & 1023 }
        return UInt8(slots[slot] - 1)
    }

    /// Adds a color that may be there already; false where it would be the 257th.
    @discardableResult
    private mutating func insert(_ color: UInt32) -> Bool {
        var slot = Self.hash(color)
        while slots[slot] != 0 {
            if colors[Int(slots[slot]) - 1] == color { return true }
            slot = (slot + 1) & 1023
        }
        guard colors.count < 256 else { return false }
        colors.append(color)
        slots[slot] = UInt16(colors.count)
        return true
    }

    @inline(__always)
    private static func hash(_ color: UInt32) -> Int { Int((color &* 0x9E37_79B1) >> 22) }
}
