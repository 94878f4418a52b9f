/// The order of the bytes of an integer.
package enum ByteOrder: Hashable, Sendable {
    case big
    case little
}

/// Bytes of an untrusted file format, readable at any offset.
///
/// Every read function returns nil if its bytes are not all available. Arrays are byte sources; types that load a
/// file in pieces can be, too.
package protocol ByteSource {
    var count: Int { get }
    /// The byte at an offset of `0..<count`.
    subscript(_ offset: Int) -> UInt8 { get }
}

extension Array: ByteSource where Element == UInt8 {}

// Inlinable: each source gets its own specialized copy, across modules too.
extension ByteSource {
    /// Whether `length` bytes from `offset` on are available.
    @inlinable package func contains(_ length: Int, at offset: Int) -> Bool {
        offset >= 0 && length >= 0 && offset <= count && length <= count - offset
    }

    @inlinable package func uint8(at offset: Int) -> Int? {
        contains(1, at: offset) ? Int(self[offset]) : nil
    }

    @inlinable package func uint16(at offset: Int, _ order: ByteOrder = .big) -> Int? {
        unsigned(2, at: offset, order)
    }

    @inlinable package func uint24(at offset: Int, _ order: ByteOrder = .big) -> Int? {
        unsigned(3, at: offset, order)
    }

    @inlinable package func uint32(at offset: Int, _ order: ByteOrder = .big) -> Int? {
        unsigned(4, at: offset, order)
    }

    /// Reads 64 bits; nil also above `Int.max`, which no file offset is.
    @inlinable package func uint64(at offset: Int, _ order: ByteOrder = .big) -> Int? {
        unsigned(8, at: offset, order)
    }

    @inlinable package func int32(at offset: Int, _ order: ByteOrder = .big) -> Int? {
        uint32(at: offset, order).map { Int(Int32(truncatingIfNeeded: $0)) }
    }

    /// Reads an integer of 0 to 8 bytes; nil also above `Int.max`.
    @inlinable package func unsigned(_ size: Int, at offset: Int, _ order: ByteOrder = .big) -> Int? {
        Int(exactly: bits(size, at: offset, order) ?? .max)
    }

    /// Reads an integer of 0 to 8 bytes.
    @inlinable package func bits(_ size: Int, at offset: Int, _ order: ByteOrder = .big) -> UInt64? {
        guard size <= 8, contains(size, at: offset) else { return nil }
        var value: UInt64 = 0
        for index in 0..<size {
            value = value << 8 | UInt64(self[offset + (order == .big ? index : size - 1 - index)])
        }
        return value
    }

    /// Whether an ASCII text starts at the offset.
    @inlinable package func has(_ text: String, at offset: Int = 0) -> Bool {
        guard contains(text.utf8.count, at: offset) else { return false }
        var next = offset
        for byte in text.utf8 {
            guard self[next] == byte else { return false }
            next += 1
        }
        return true
    }

    /// The offset of the first occurrence of an ASCII text from `start` on.
    @inlinable package func firstIndex(of text: String, from start: Int = 0) -> Int? {
        let last = count - text.utf8.count
        guard start >= 0, start <= last else { return nil }
        return (start...last).first { has(text, at: $0) }
    }
}

/// Reads the integers of a byte array in sequence.
package struct ByteReader {
    private let bytes: [UInt8]
    private let order: ByteOrder
    /// The offset of the next byte.
    package private(set) var offset: Int

    package init(_ bytes: [UInt8], _ order: ByteOrder, at offset: Int = 0) {
        (self.bytes, self.order, self.offset) = (bytes, order, offset)
    }

    /// Reads an integer with the size of its type; nil if its bytes are not all available.
    package mutating func next<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value? {
        let size = Value.bitWidth / 8
        guard let bits = bytes.bits(size, at: offset, order) else { return nil }
        offset += size
        return Value(truncatingIfNeeded: bits)
    }

    /// Reads `count` bytes; nil if they are not all available.
    package mutating func next(count: Int) -> ArraySlice<UInt8>? {
        guard bytes.contains(count, at: offset) else { return nil }
        defer { offset += count }
        return bytes[offset..<(offset + count)]
    }
}

/// Appends integers and bytes, and overwrites integers.
package struct ByteWriter {
    package private(set) var bytes: [UInt8]
    private let order: ByteOrder

    /// - Parameter bytes: The first bytes.
    package init(_ order: ByteOrder, _ bytes: [UInt8] = []) {
        (self.order, self.bytes) = (order, bytes)
    }

    /// Appends an integer with the size of its type.
    package mutating func append(_ value: some FixedWidthInteger) {
        append(value, size: value.bitWidth / 8)
    }

    /// Appends the low `size` bytes of an integer.
    package mutating func append(_ value: some FixedWidthInteger, size: Int) {
        for index in 0..<size { bytes.append(Self.byte(index, of: value, size, order)) }
    }

    package mutating func append(contentsOf more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }

    /// Overwrites the bytes at an offset with the low `size` bytes of an integer.
    ///
    /// - Returns: False, without a change, if the bytes are not all there.
    @discardableResult
    package mutating func replace(_ size: Int, at offset: Int, with value: some FixedWidthInteger) -> Bool {
        guard bytes.contains(size, at: offset) else { return false }
        for index in 0..<size { bytes[offset + index] = Self.byte(index, of: value, size, order) }
        return true
    }

    private static func byte(
        _ index: Int, of value: some FixedWidthInteger, _ size: Int, _ order: ByteOrder
    ) -> UInt8 {
        UInt8(truncatingIfNeeded: value >> (8 * (order == .big ? size - 1 - index : index)))
    }
}

extension FixedWidthInteger {
    /// The bytes of the integer, as many as its type has.
    package func bytes(_ order: ByteOrder) -> [UInt8] { bytes(order, size: bitWidth / 8) }

    /// The low `size` bytes of the integer.
    package func bytes(_ order: ByteOrder, size: Int) -> [UInt8] {
        var writer = ByteWriter(order)
        writer.append(self, size: size)
        return writer.bytes
    }
}
