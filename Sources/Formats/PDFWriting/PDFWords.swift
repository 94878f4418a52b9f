/// Text that is not seen: it lies over a picture of the same words, which can so be searched, copied and read aloud.
///
/// Its fonts have one empty glyph for each character, half as wide as a line is high. Source: ISO 32000-1, 9.6.5 and 9.10.
struct PDFWords: Sendable {
    /// The codes of the characters; 255 each are one font.
    private var codes: [Character: Int] = [:]
    private var characters: [Character] = []

    private static let fontSize = 255
    /// The width of a glyph, in units of the height of a line.
    static let width = 0.5
    /// The distance of the baseline from the top of a line.
    static let ascent = 0.75

    var isEmpty: Bool { characters.isEmpty }

    /// Returns the operators that show a text in a coordinate system of one line.
    mutating func operators(_ text: String) -> String {
        var result = ""
        var (font, digits) = (-1, "")
        func end() { if !digits.isEmpty { result += "/T\(font) 1 Tf <\(digits)> Tj " } }
        for character in text {
            let code = code(of: character)
            if code / Self.fontSize != font {
                end()
                (font, digits) = (code / Self.fontSize, "")
            }
            digits += PDFText.hexadecimal(code % Self.fontSize + 1, digits: 2)
        }
        end()
        return result
    }

    private mutating func code(of character: Character) -> Int {
        if let code = codes[character] { return code }
        codes[character] = characters.count
        characters.append(character)
        return characters.count - 1
    }

    /// Writes the fonts, and returns their names and numbers as the resources of a page.
    func write(to file: inout PDFFile) -> String {
        guard !isEmpty else { return "" }
        let glyph = file.reserve()
        let advance = PDFNumber.text(Self.width * 1000)
        file.write(glyph, "<< ", stream: Array("\(advance) 0 0 0 0 0 d1\n".utf8))
        let fonts = stride(from: 0, to: characters.count, by: Self.fontSize).enumerated().map {
            number, start in
            let own = Array(characters[start..<min(start + Self.fontSize, characters.count)])
            let (words, font) = (file.reserve(), file.reserve())
            file.write(words, "<< ", stream: Array(Self.meanings(of: own).utf8))
            let box = PDFNumber.list([0, (Self.ascent - 1) * 1000, Self.width * 1000, Self.ascent * 1000])
            let names = own.map { _ in "/g" }.joined(separator: " ")
            let widths = own.map { _ in advance }.joined(separator: " ")
            file.write(
                font,
                "<< /Type /Font /Subtype /Type3 /FontBBox [\(box)] /FontMatrix [0.001 0 0 0.001 0 0]"
                    + " /CharProcs << /g \(glyph) 0 R >> /Encoding << /Type /Encoding /Differences [1 \(names)] >>"
                    + " /FirstChar 1 /LastChar \(own.count) /Widths [\(widths)] /Resources << >>"
                    + " /ToUnicode \(words) 0 R >>")
            return "/T\(number) \(font) 0 R"
        }
        return " /Font << \(fonts.joined(separator: " ")) >>"
    }

    /// Returns the table from codes to characters.
    private static func meanings(of characters: [Character]) -> String {
        let lines = characters.enumerated().map { index, character in
            let units = String(character).utf16.map { PDFText.hexadecimal(Int($0), digits: 4) }.joined()
            return "<\(PDFText.hexadecimal(index + 1, digits: 2))> <\(units)>"
        }
        // A block has at most 100 lines.
        let blocks = stride(from: 0, to: lines.count, by: 100).map { start in
            let part = lines[start..<min(start + 100, lines.count)]
            return "\(part.count) beginbfchar\n\(part.joined(separator: "\n"))\nendbfchar\n"
        }
        return """
            /CIDInit /ProcSet findresource begin
            12 dict begin
            begincmap
            /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
            /CMapName /Adobe-Identity-UCS def
            /CMapType 2 def
            1 begincodespacerange
            <01> <FF>
            endcodespacerange
            \(blocks.joined())endcmap
            CMapName currentdict /CMap defineresource pop
            end
            end

            """
    }
}

/// Strings as PDF writes them.
enum PDFText {
    /// Returns a text string, which may have any character.
    static func string(_ text: String) -> String {
        "<FEFF\(text.utf16.map { hexadecimal(Int($0), digits: 4) }.joined())>"
    }

    static func hexadecimal(_ value: Int, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
