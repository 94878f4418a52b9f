internal import Archives
internal import Files

extension LosslessDocument {
    /// The lines of a document, of a file or of an entry of an archive.
    enum Lines {
        case file(LineReader)
        case entry(EntryLines)

        init(of file: SourceFile) throws(FileError) {
            self =
                if let member = file.member { .entry(try EntryLines(member)) } else {
                    .file(try LineReader(file.path.text))
                }
        }

        func next() throws(FileError) -> [UInt8]? {
            switch self {
            case .file(let reader): try reader.next()?.bytes
            case .entry(let reader): try reader.next()
            }
        }
    }

    /// Reads the lines of an entry of an archive, piece by piece.
    final class EntryLines {
        private let reader: ZipEntryReader
        private var piece: [UInt8] = []
        private var start = 0
        private var isAtEnd = false

        init(_ member: ZipMember) throws(FileError) {
            do throws(ZipError) {
                reader = try ZipEntryReader(member.entry, of: member.archive)
            } catch {
                throw .unreadable(error.fault.description)
            }
        }

        /// Returns the next line without its newline; nil at the end.
        func next() throws(FileError) -> [UInt8]? {
            var searched = start
            while true {
                if let end = piece[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                    defer { start = end + 1 }
                    return Array(piece[start..<end])
                }
                searched = piece.count - start
                piece.removeFirst(start)
                start = 0
                guard try fill() else { break }
                guard piece.count <= LineReader.longestLine + (1 << 18) else {
                    throw .unreadable("it has a line of more than a mebibyte")
                }
            }
            defer { piece = [] }
            return piece.isEmpty ? nil : piece
        }

        private func fill() throws(FileError) -> Bool {
            guard !isAtEnd else { return false }
            do throws(ZipError) {
                var more: [UInt8] = []
                let isThere: Void? = try reader.next { span in
                    more.reserveCapacity(span.count)
                    for index in span.indices { more.append(span[index]) }
                }
                isAtEnd = isThere == nil
                piece += more
                return !isAtEnd
            } catch {
                throw .unreadable(error.fault.description)
            }
        }
    }
}
