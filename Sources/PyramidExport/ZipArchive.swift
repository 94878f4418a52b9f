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
                let far = isFar ? Self.little(1, 2) + Self.little(8, 2) + Self.little(entry.offset, 8) : []
                // Made on Unix, with the permissions of a file.
                let version = isFar ? 45 : 20
                try state.append(
                    [0x50, 0x4B, 1, 2, UInt8(version), 3]
                        + Self.head(entry, version: version, extra: far.count))
                try state.append(Self.little(0, 6) + Self.little(0o100644 << 16, 4))
                try state.append(Self.little(min(entry.offset, 0xFFFF_FFFF), 4) + entry.name + far)
            }
            let (count, size, end) = (state.entries.count, state.count - start, state.count)
            if count >= 0xFFFF || end >= 0xFFFF_FFFF {
                let record = Self.little(44, 8) + [45, 3, 45, 0] + Self.little(0, 8)
                try state.append([0x50, 0x4B, 6, 6] + record + Self.little(count, 8) + Self.little(count, 8))
                try state.append(Self.little(size, 8) + Self.little(start, 8))
                try state.append(
                    [0x50, 0x4B, 6, 7] + Self.little(0, 4) + Self.little(end, 8) + Self.little(1, 4))
            }
            let few = Self.little(min(count, 0xFFFF), 2)
            try state.append(
                [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + few + few + Self.little(min(size, 0xFFFF_FFFF), 4)
                    + Self.little(min(start, 0xFFFF_FFFF), 4) + Self.little(FileMark.length, 2))
            try state.file.flush()
        }
    }

    /// What the head before a file and its entry in the directory have in common: from the version that is needed to
    /// the length of what is extra.
    private static func head(_ entry: Entry, version: Int, extra: Int = 0) -> [UInt8] {
        // UTF-8, stored, and the first day that ZIP knows.
        var head = little(version, 2) + little(0x0800, 2) + little(0, 2) + little(0, 2) + little(0x21, 2)
        head += little(Int(entry.sum), 4) + little(entry.count, 4) + little(entry.count, 4)
        return head + little(entry.name.count, 2) + little(extra, 2)
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
