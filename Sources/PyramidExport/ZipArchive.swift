internal import Basics
internal import Files
internal import PNGEncoding
internal import Synchronization
internal import ViewportRendering

/// Writes a ZIP archive of uncompressed files; several threads can add files.
///
/// Contains no times, and leaves space for a mark in its comment. Source: PKWARE's APPNOTE 6.3.9.
final class ZipArchive: Sendable {
    private struct Entry {
        var name: [UInt8]
        var sum: UInt32
        var count: Int
        var offset: Int
    }

    private struct State {
        let file: RowFile
        var entries: [Entry] = []
        var count = 0

        mutating func append(_ bytes: [UInt8]) throws(FileError) {
            try file.append(bytes)
            count += bytes.count
        }
    }

    private let state: Mutex<State>

    init(_ path: String) throws(FileError) {
        let file = try RowFile(path)
        state = Mutex(State(file: file))
    }

    /// Adds a file of less than 4 GiB under a path of slashes.
    func add(_ bytes: [UInt8], _ name: String) throws {
        let sum = CRC32.of(bytes.span)
        try state.withLock { state in
            let entry = Entry(name: Array(name.utf8), sum: sum, count: bytes.count, offset: state.count)
            try state.append([0x50, 0x4B, 3, 4] + Self.head(entry, version: 20) + entry.name)
            try state.append(bytes)
            state.entries.append(entry)
        }
    }

    /// Writes the directory; a comment of the mark's length must follow.
    func finish() throws {
        try state.withLock { state in
            let start = state.count
            for entry in state.entries { try state.append(Self.directoryEntry(entry)) }
            let (count, size, end) = (state.entries.count, state.count - start, state.count)
            var writer = ByteWriter(.little)
            if count >= 0xFFFF || end >= 0xFFFF_FFFF {
                // ZIP64: the end of the directory, and its locator.
                writer.append(contentsOf: [0x50, 0x4B, 6, 6])
                writer.append(44, size: 8)
                writer.append(contentsOf: [45, 3, 45, 0])
                for value in [0, count, count, size, start] { writer.append(value, size: 8) }
                writer.append(contentsOf: [0x50, 0x4B, 6, 7])
                writer.append(0, size: 4)
                writer.append(end, size: 8)
                writer.append(1, size: 4)
            }
            writer.append(contentsOf: [0x50, 0x4B, 5, 6, 0, 0, 0, 0])
            for _ in 0..<2 { writer.append(min(count, 0xFFFF), size: 2) }
            for value in [size, start] { writer.append(min(value, 0xFFFF_FFFF), size: 4) }
            writer.append(FileMark.length, size: 2)
            try state.append(writer.bytes)
            try state.file.flush()
        }
    }

    private static func directoryEntry(_ entry: Entry) -> [UInt8] {
        var far = ByteWriter(.little)
        if entry.offset >= 0xFFFF_FFFF {
            far.append(1, size: 2)
            far.append(8, size: 2)
            far.append(entry.offset, size: 8)
        }
        // Made on Unix, with the permissions of a file.
        let version = far.bytes.isEmpty ? 20 : 45
        var writer = ByteWriter(.little, [0x50, 0x4B, 1, 2, UInt8(version), 3])
        writer.append(contentsOf: head(entry, version: version, extra: far.bytes.count))
        writer.append(0, size: 6)
        writer.append(0o100644 << 16, size: 4)
        writer.append(min(entry.offset, 0xFFFF_FFFF), size: 4)
        writer.append(contentsOf: entry.name)
        writer.append(contentsOf: far.bytes)
        return writer.bytes
    }

    /// The fields that a file's header and its entry in the directory share: from the required version to the length
    /// of the extra field.
    private static func head(_ entry: Entry, version: Int, extra: Int = 0) -> [UInt8] {
        var writer = ByteWriter(.little)
        // UTF-8, stored, and the first day that ZIP can express.
        for value in [version, 0x0800, 0, 0, 0x21] { writer.append(value, size: 2) }
        for value in [Int(entry.sum), entry.count, entry.count] { writer.append(value, size: 4) }
        for value in [entry.name.count, extra] { writer.append(value, size: 2) }
        return writer.bytes
    }
}
