/// The texts of a PNG file: a keyword and a value each.
///
/// Source: PNG (third edition), 11.3.3.2 tEXt.
public struct PNGText: Hashable, Sendable {
    public var keyword: String
    public var value: String

    public init(_ keyword: String, _ value: String) {
        self.keyword = keyword
        self.value = value
    }

    /// The file with texts behind its header; letters that Latin-1 lacks become question marks.
    public static func adding(_ texts: [PNGText], to file: [UInt8]) -> [UInt8] {
        guard file.count >= headerEnd else { return file }
        var chunks = ChunkWriter()
        let start = chunks.file.count
        for text in texts { chunks.write("tEXt", latin(text.keyword) + [0] + latin(text.value)) }
        return Array(file[..<headerEnd]) + chunks.file[start...] + file[headerEnd...]
    }

    /// A chunk of a type of four letters, with its length and checksum.
    package static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
        var chunks = ChunkWriter()
        let start = chunks.file.count
        chunks.write(type, body)
        return Array(chunks.file[start...])
    }

    /// The texts in front of the image's data, and the places of their chunks; none where the file is no PNG.
    public static func read(_ file: [UInt8]) -> [(text: PNGText, chunk: Range<Int>)] {
        guard file.starts(with: ChunkWriter().file) else { return [] }
        var texts: [(PNGText, Range<Int>)] = []
        var at = ChunkWriter().file.count
        while at + 12 <= file.count {
            let length = file[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
            let type = file[(at + 4)..<(at + 8)]
            guard length <= file.count - at - 12, !type.elementsEqual("IDAT".utf8) else { break }
            let data = file[(at + 8)..<(at + 8 + length)]
            if type.elementsEqual("tEXt".utf8), let zero = data.firstIndex(of: 0) {
                let text = PNGText(text(data[..<zero]), text(data[(zero + 1)...]))
                texts.append((text, at..<(at + 12 + length)))
            }
            at += 12 + length
        }
        return texts
    }

    /// The end of IHDR, which is the first chunk and always as long.
    private static let headerEnd = 33

    private static func latin(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
