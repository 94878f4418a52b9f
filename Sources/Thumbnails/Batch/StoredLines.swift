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

    /// A file that is read again, and a piece of it.
    private struct Reading {
        let file: OpenFile
        var start = 0
        var piece: [UInt8] = []
    }

    /// The paths; "" for streams, whose lines are in the spool.
    private var paths: [String] = []
    private var spool: ScratchFile?
    private var spoolCount = 0
    private var readings: [UInt32: Reading] = [:]
    /// Each takes a descriptor and a piece.
    private static let mostReadings = 128
    private static let pieceCount = 1 << 16

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
        if readings[place.file] == nil {
            if readings.count == Self.mostReadings { readings.removeAll(keepingCapacity: true) }
            readings[place.file] = Reading(file: try OpenFile(paths[Int(place.file)]))
        }
        if var reading = readings[place.file],
            start < reading.start || end > reading.start + reading.piece.count
        {
            guard end <= reading.file.count else { throw .changed }
            readings[place.file] = nil
            reading.start = start
            reading.piece = try reading.file.bytes(
                start..<min(reading.file.count, max(end, start + Self.pieceCount)))
            readings[place.file] = reading
        }
        guard let reading = readings[place.file] else { return [] }
        return reading.piece[(start - reading.start)..<(end - reading.start)]
    }
}
