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

    /// Writes the directory; a comment of the mark's length has to follow.
    func finish() throws {
        try state.withLock { state in
            let start = state.count
            for entry in state.entries {
                let isFar = entry.offset >= 0xFFFF_FFFF
                // Made on Unix, with the permissions of a file.
                let version = isFar ? 45 : 20
                var record = ByteWriter(.little, [0x50, 0x4B, 1, 2, UInt8(version), 3])
                record.append(contentsOf: Self.head(entry, version: version, extra: isFar ? 12 : 0))
                record.append(0, size: 6)
                record.append(0o100644 << 16, size: 4)
                record.append(min(entry.offset, 0xFFFF_FFFF), size: 4)
                record.append(contentsOf: entry.name)
                if isFar {
                    record.append(1, size: 2)
                    record.append(8, size: 2)
                    record.append(entry.offset, size: 8)
                }
                try state.append(record.bytes)
            }
            let (count, size, end) = (state.entries.count, state.count - start, state.count)
            var record = ByteWriter(.little)
            if count >= 0xFFFF || end >= 0xFFFF_FFFF {
                record.append(contentsOf: [0x50, 0x4B, 6, 6])
                record.append(44, size: 8)
                record.append(contentsOf: [45, 3, 45, 0])
                record.append(0, size: 8)
                for number in [count, count, size, start] { record.append(number, size: 8) }
                record.append(contentsOf: [0x50, 0x4B, 6, 7])
                record.append(0, size: 4)
                record.append(end, size: 8)
                record.append(1, size: 4)
            }
            record.append(contentsOf: [0x50, 0x4B, 5, 6, 0, 0, 0, 0])
            for _ in 0..<2 { record.append(min(count, 0xFFFF), size: 2) }
            for number in [size, start] { record.append(min(number, 0xFFFF_FFFF), size: 4) }
            record.append(FileMark.length, size: 2)
            try state.append(record.bytes)
            try state.file.flush()
        }
    }

    /// The fields that a file's local header and its directory entry share, from the version to the length of the
    /// extra field.
    private static func head(_ entry: Entry, version: Int, extra: Int = 0) -> [UInt8] {
        var head = ByteWriter(.little)
        // UTF-8, stored, and the first day that ZIP can store.
        for value in [version, 0x0800, 0, 0, 0x21] { head.append(value, size: 2) }
        for value in [Int(entry.sum), entry.count, entry.count] { head.append(value, size: 4) }
        for value in [entry.name.count, extra] { head.append(value, size: 2) }
        return head.bytes
    }
}
