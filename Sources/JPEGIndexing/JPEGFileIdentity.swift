package import Files

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
        self = UnsafeByteView.of(file) { data in
            let count = min(data.count, Self.edge)
            return JPEGFileIdentity(
                data.count, modified, data.array(0..<count), data.array((data.count - count)..<data.count))
        }
    }

    /// Of an open file.
    package init(_ file: OpenFile) throws(FileError) {
        let count = min(file.count, Self.edge)
        self.init(
            file.count, Int64(file.status.modified), try file.bytes(0..<count),
            try file.bytes((file.count - count)..<file.count))
    }

    /// The bytes of the head and of the tail.
    private static let edge = 4096

    private init(_ size: Int, _ modified: Int64, _ head: [UInt8], _ tail: [UInt8]) {
        self.init(
            size: UInt64(size), modified: modified, head: FNV1a.hash(head[...]), tail: FNV1a.hash(tail[...]))
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
