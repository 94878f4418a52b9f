package import Basics

/// Identifies one state of a file without reading all of it.
///
/// It consists of size, modification time, and hashes of the first and the last 4096 bytes.
public struct FileFingerprint: Hashable, Sendable {
    /// The bytes of the file.
    public let size: UInt64
    /// The time of the last modification, in nanoseconds since 1970.
    public let modified: Int64
    private let head: UInt64
    private let tail: UInt64

    /// Identifies a file in memory.
    ///
    /// - Parameters:
    ///   - file: All bytes of the file.
    ///   - modified: The time of its last modification, in nanoseconds since 1970.
    public init(_ file: RawSpan, modified: Int64) {
        let count = file.byteCount
        let edge = min(count, Self.edge)
        self.init(
            size: UInt64(count), modified: modified, head: Self.hash(file.extracting(first: edge)),
            tail: Self.hash(file.extracting(last: edge)))
    }

    /// Identifies bytes that were last modified at a time, in nanoseconds since 1970.
    package init(_ file: any RandomAccessBytes, modified: Int64) throws(FileError) {
        let count = file.count
        let edge = min(count, Self.edge)
        self.init(
            size: UInt64(count), modified: modified, head: FNV1a.hash(try file.bytes(0..<edge)),
            tail: FNV1a.hash(try file.bytes((count - edge)..<count)))
    }

    /// Identifies a file by its size, and its first and last bytes: 4096 of each, or all of a shorter file.
    package init(size: UInt64, modified: Int64, head: ArraySlice<UInt8>, tail: ArraySlice<UInt8>) {
        self.init(size: size, modified: modified, head: FNV1a.hash(head), tail: FNV1a.hash(tail))
    }

    /// The bytes of the head and of the tail.
    private static let edge = 4096

    private init(size: UInt64, modified: Int64, head: UInt64, tail: UInt64) {
        self.size = size
        self.modified = modified
        self.head = head
        self.tail = tail
    }

    private static func hash(_ bytes: RawSpan) -> UInt64 {
        // The sequence ends with the closure.
        unsafe bytes.withUnsafeBytes { unsafe FNV1a.hash($0.bindMemory(to: UInt8.self).span) }
    }
}

extension FileFingerprint {
    /// Reads an identity that `append(to:)` wrote; nil where bytes are missing.
    package init?(saved bytes: [UInt8], at offset: Int) {
        var reader = ByteReader(bytes, .little, at: offset)
        guard let size = reader.next(UInt64.self), let modified = reader.next(Int64.self),
            let head = reader.next(UInt64.self), let tail = reader.next(UInt64.self)
        else { return nil }
        self.init(size: size, modified: modified, head: head, tail: tail)
    }

    /// Writes the identity in 32 bytes.
    package func append(to writer: inout ByteWriter) {
        writer.append(size)
        writer.append(modified)
        writer.append(head)
        writer.append(tail)
    }
}
