internal import Archives
internal import Basics
internal import ExportDocuments
internal import Files

extension LosslessDocument {
    /// Whether a file is such a document, by its name and its first line.
    static func isOne(_ file: SourceFile) -> Bool {
        guard file.name == FilePath(name), let lines = try? LineReader(of: file), let line = try? lines.next()
        else {
            return false
        }
        do throws(InvalidText) {
            return try Header(line.bytes) != nil
        } catch {
            // A newer one is one, too: reading it says so.
            return true
        }
    }

    /// Reads a document entry by entry; errors name the line that is damaged.
    struct Reader {
        let header: Header
        /// The line of the last entry, without its newline.
        private(set) var line: [UInt8] = []
        private let lines: LineReader
        private var number = 1

        init(_ path: String) throws(FileError) {
            try self.init(LineReader(path, longest: LosslessDocument.longestLine))
        }

        init(_ file: SourceFile) throws(FileError) { try self.init(LineReader(of: file)) }

        private init(_ lines: LineReader) throws(FileError) {
            self.lines = lines
            guard let first = try lines.next() else { throw .empty }
            do throws(InvalidText) {
                guard let header = try Header(first.bytes) else { throw InvalidText("is of another kind") }
                self.header = header
            } catch {
                throw .unreadable("line 1 \(error)")
            }
        }

        mutating func next() throws(FileError) -> Entry? {
            guard let next = try lines.next() else { return nil }
            number += 1
            line = next.bytes
            do throws(InvalidText) {
                if next.isCut { throw InvalidText("is longer than \(LosslessDocument.longestLine) bytes") }
                return try Entry(line)
            } catch {
                throw .unreadable("line \(number) \(error)")
            }
        }
    }
}

extension LineReader {
    /// Reads a document, perhaps in an archive.
    fileprivate convenience init(of file: SourceFile) throws(FileError) {
        guard let member = file.member else {
            try self.init(file.path.text, longest: LosslessDocument.longestLine)
            return
        }
        let reader: ZipEntryReader
        do throws(ZipError) {
            reader = try ZipEntryReader(member.entry, of: member.archive)
        } catch {
            throw .unreadable(error.fault.description)
        }
        self.init(size: file.status.size, longest: LosslessDocument.longestLine) {
            buffer, _ throws(FileError) in
            do throws(ZipError) {
                var bytes: [UInt8] = []
                _ = try reader.next { piece in piece.withChunks { bytes += $0 } }
                buffer = bytes
                return bytes.count
            } catch {
                throw .unreadable(error.fault.description)
            }
        }
    }
}
