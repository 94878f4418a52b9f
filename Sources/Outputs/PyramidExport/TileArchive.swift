internal import Archives
internal import Basics
internal import Checksums
internal import Files
internal import ViewportRendering

/// Writes a ZIP archive of uncompressed files; several threads can add files.
///
/// Contains no times, and leaves space for a mark in its comment.
final class TileArchive: Sendable {
    private struct State {
        let file: RowFile
        var records = ZipWriter()
    }

    private let state: Exclusive<State>

    init(_ path: String) throws(FileError) {
        let file = try RowFile(path)
        state = Exclusive(State(file: file))
    }

    /// Adds a file of less than 4 GiB under a path of slashes.
    func add(_ bytes: [UInt8], _ name: String) throws {
        let (entry, sum) = (ZipWriter.Entry(name: name), CRC32.of(bytes.span))
        try state.withValue { state in
            try state.file.append(state.records.begin(entry, count: bytes.count, sum: sum))
            try state.file.append(bytes)
        }
    }

    /// Writes the directory; a comment of the mark's length has to follow.
    func finish() throws {
        try state.withValue { state in
            try state.file.append(state.records.finish(comment: FileMark.length))
            try state.file.flush()
        }
    }
}
