/// Finds the parts of a body of `multipart/byteranges`, which arrives in pieces.
///
/// The length of each part is that of its `Content-Range`, so bodies are not searched for the boundary. Source: RFC 9110, 14.6.
struct MultipartParser {
    /// The part that is being read: the position of its next byte in the file, and its end.
    private var part: Range<Int>?
    /// The header lines of the next part, as far as they have arrived.
    private var lines: [UInt8] = []
    /// The number of parts so far.
    private(set) var count = 0
    /// The total that parts state, which must be the same in all.
    let total: Int

    /// - Parameter total: The size of the file.
    init(total: Int) { self.total = total }

    private static let mostHeaderBytes = 4096

    /// Parses the next piece of the body, and passes on the bytes of parts with their position in the file.
    ///
    /// Returns false where the body is not what it should be.
    mutating func parse(_ bytes: [UInt8], _ use: (Int, ArraySlice<UInt8>) -> Void) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            if let range = part {
                let piece = rest.prefix(range.count)
                use(range.lowerBound, piece)
                rest = rest.dropFirst(piece.count)
                let left = (range.lowerBound + piece.count)..<range.upperBound
                part = left.isEmpty ? nil : left
                continue
            }
            lines.append(rest.removeFirst())
            guard lines.count <= Self.mostHeaderBytes else { return false }
            guard lines.suffix(4) == [13, 10, 13, 10] else { continue }
            let text = String(decoding: lines, as: UTF8.self)
            lines = []
            let field = text.split(whereSeparator: \.isNewline).first {
                $0.lowercased().hasPrefix("content-range:")
            }
            // An empty line before the boundary.
            guard let field else {
                guard text.allSatisfy(\.isNewline) else { return false }
                continue
            }
            guard let range = ContentRange(field.dropFirst("content-range:".count)), range.total == total
            else {
                return false
            }
            part = range.bytes
            count += 1
        }
        return true
    }
}

/// The value of a header `Content-Range`.
struct ContentRange: Equatable {
    var bytes: Range<Int>
    var total: Int

    /// Parses "bytes 0-99/1234"; nil for everything else, also where the total is not known.
    ///
    /// Some servers repeat the end that was requested: what is behind the end of the file does not count.
    init?(_ text: some StringProtocol) {
        let words = text.split { $0 == " " || $0 == "-" || $0 == "/" }
        guard words.count == 4, words[0].lowercased() == "bytes", let first = Int(words[1]),
            let last = Int(words[2]), let total = Int(words[3]), first >= 0, last >= first, first < total
        else { return nil }
        bytes = first..<min(last, total - 1) + 1
        self.total = total
    }
}
