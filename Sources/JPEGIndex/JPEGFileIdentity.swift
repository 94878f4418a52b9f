/// What tells one state of a file from another without reading all of it.
///
/// Size, modification time, and hashes of the first and the last 4096 bytes.
public struct JPEGFileIdentity: Hashable, Sendable {
    public let size: UInt64
    /// Nanoseconds since 1970.
    public let modified: Int64
    let head: UInt64
    let tail: UInt64

    /// Of a file that was last changed at `modified`, in nanoseconds since 1970.
    public init(_ file: RawSpan, modified: Int64) {
        self = LentBytes.of(file) { data in
            JPEGFileIdentity(
                size: UInt64(data.count), modified: modified,
                head: FNV1a.hash(data.array(0..<min(data.count, 4096))[...]),
                tail: FNV1a.hash(data.array(max(0, data.count - 4096)..<data.count)[...]))
        }
    }

    init(size: UInt64, modified: Int64, head: UInt64, tail: UInt64) {
        self.size = size
        self.modified = modified
        self.head = head
        self.tail = tail
    }
}

/// The hash of Fowler, Noll and Vo: finds accidents, not attackers.
enum FNV1a {
    static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
