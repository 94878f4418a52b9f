internal import Files

/// Lines of files and streams, which can be read again at their places.
struct StoredLines {
    /// Where a line is.
    struct Place: Comparable, BitwiseCopyable, Sendable {
        var file: UInt32
        var length: UInt32
        var offset: UInt64

        /// In the order of reading.
        static func < (a: Self, b: Self) -> Bool {
            a.file != b.file ? a.file < b.file : a.offset < b.offset
        }
    }

    /// A part of a file; all have the same length, except at the end of a file.
    private struct Block: Hashable {
        var file: UInt32
        var number: Int
    }

    /// The paths; "" for streams, whose lines are in the spool.
    private var paths: [String] = []
    private var spool: ScratchFile?
    private var spoolCount = 0
    /// The files that are read again, of which each takes a descriptor.
    private var files: [UInt32: OpenFile] = [:]
    private static let mostFiles = 128
    /// The blocks in memory; there is room for two of each file.
    private var blocks: [Block: [UInt8]] = [:]
    private static let memory = 64 << 20
    private var blockCount: Int { min(max(Self.memory / 2 / max(1, paths.count), 1 << 12), 1 << 16) }

    /// Reads the lines of a file that are not empty; "-" is standard input.
    mutating func read(
        _ path: String, _ body: (_ line: LineReader.Line, _ number: Int, Place) throws(FileError) -> Void
    ) throws(FileError) {
        let reader = try LineReader(path)
        let isStream = reader.size == nil || path == "-"
        let file = UInt32(paths.count)
        paths.append(isStream ? "" : path)
        var number = 0
        while let line = try reader.next() {
            number += 1
            guard !line.bytes.isEmpty else { continue }
            var offset = reader.lineStart
            if isStream {
                let spool = if let spool { spool } else { try ScratchFile() }
                self.spool = spool
                try spool.append(line.bytes)
                offset = spoolCount
                spoolCount += line.bytes.count
            }
            try body(
                line, number, Place(file: file, length: UInt32(line.bytes.count), offset: UInt64(offset)))
        }
    }

    /// The path of a file in messages.
    func name(of place: Place) -> String {
        let path = paths[Int(place.file)]
        return path.isEmpty ? "standard input" : path
    }

    /// Returns the bytes of a line.
    mutating func bytes(_ place: Place) throws(FileError) -> ArraySlice<UInt8> {
        let (start, end) = (Int(place.offset), Int(place.offset) + Int(place.length))
        guard !paths[Int(place.file)].isEmpty else { return try spool?.bytes(start..<end)[...] ?? [] }
        let block = Block(file: place.file, number: start / blockCount)
        let first = block.number * blockCount
        if let bytes = blocks[block], end <= first + bytes.count {
            return bytes[(start - first)..<(end - first)]
        }
        let file = try file(place.file)
        guard end <= file.count else { throw .changed }
        // A line on the border of blocks is read alone.
        guard end <= first + blockCount else { return try file.bytes(start..<end)[...] }
        if blocks.count >= Self.memory / blockCount { blocks.removeAll(keepingCapacity: true) }
        let bytes = try file.bytes(first..<min(file.count, first + blockCount))
        blocks[block] = bytes
        return bytes[(start - first)..<(end - first)]
    }

    private mutating func file(_ number: UInt32) throws(FileError) -> OpenFile {
        if let file = files[number] { return file }
        if files.count == Self.mostFiles { files.removeAll(keepingCapacity: true) }
        let file = try OpenFile(paths[Int(number)])
        files[number] = file
        return file
    }
}
