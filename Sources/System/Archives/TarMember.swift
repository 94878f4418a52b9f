/// A file of a tar archive in POSIX's ustar format; an archive is its members, and 1024 zeros.
///
/// Headers are the same on every machine: mode 644, no owner, and the first moment of 2000.
package struct TarMember: Equatable, Sendable {
    /// The name, of at most 100 bytes.
    package let name: String
    /// The size in bytes.
    package let size: Int

    /// The length of a header; contents are filled up to a multiple of it.
    package static let block = 512
    /// What follows the last member.
    package static let end = [UInt8](repeating: 0, count: 2 * block)

    /// - Precondition: a name of at most 100 bytes, and at most 8 GiB.
    package init(name: String, size: Int) {
        precondition(name.utf8.count <= 100 && size < 1 << 33)
        (self.name, self.size) = (name, size)
    }

    /// Reads a header; nil if the bytes are none, or its checksum differs.
    package init?(header: [UInt8]) {
        guard header.count == Self.block, Self.isStart(header) else { return nil }
        let name = header[..<100].prefix { $0 != 0 }
        guard let size = Self.number(header[124..<136]), let sum = Self.number(header[148..<156]),
            sum == Self.checksum(header), let text = String(validating: name, as: UTF8.self)
        else { return nil }
        (self.name, self.size) = (text, size)
    }

    /// Whether bytes begin like an archive.
    package static func isStart(_ head: [UInt8]) -> Bool {
        head.count >= block && head[257..<262].elementsEqual("ustar".utf8)
    }

    /// The bytes of a member in an archive, by its content.
    package static func bytes(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let rest = (block - content.count % block) % block
        return TarMember(name: name, size: content.count).header + content
            + [UInt8](repeating: 0, count: rest)
    }

    /// The bytes from a header to the next one.
    package var length: Int { Self.block + (size + Self.block - 1) / Self.block * Self.block }

    /// The header.
    package var header: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.block)
        func put(_ text: String, at offset: Int) {
            bytes.replaceSubrange(offset..<(offset + text.utf8.count), with: text.utf8)
        }
        put(name, at: 0)
        put("0000644", at: 100)
        put("0000000", at: 108)
        put("0000000", at: 116)
        put(Self.octal(size, digits: 11), at: 124)
        put(Self.octal(946_684_800, digits: 11), at: 136)
        put("0", at: 156)
        put("ustar", at: 257)
        put("00", at: 263)
        put(Self.octal(Self.checksum(bytes), digits: 6), at: 148)
        bytes[155] = UInt8(ascii: " ")
        return bytes
    }

    /// The sum of a header's bytes, with spaces in the place of the sum.
    private static func checksum(_ header: [UInt8]) -> Int {
        header.enumerated().reduce(0) {
            $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element))
        }
    }

    private static func octal(_ value: Int, digits: Int) -> String {
        let text = String(value, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        let digits = field.drop { $0 == 32 }.prefix { $0 != 0 && $0 != 32 }
        return Int(String(decoding: digits, as: UTF8.self), radix: 8)
    }
}
