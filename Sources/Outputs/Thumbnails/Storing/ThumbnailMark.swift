internal import Basics
internal import Digests
internal import PNGEncoding
internal import ViewportRendering

/// A mark in a thumbnail's file: recipe, source and checksum.
///
/// With it, a later run recognizes an undamaged thumbnail of the same recipe and source without any other file. It
/// does not depend on time, machine or user.
struct ThumbnailMark: Equatable {
    /// The recipe's fingerprint.
    var recipe: String
    /// The size of the source in bytes.
    var sourceBytes: Int
    var width: Int
    var height: Int
    /// A ThumbHash in base64, if the recipe makes one.
    var placeholder: String?

    private static let name = "viewport-thumbnail"

    /// Returns the file with the mark inserted.
    func added(to file: [UInt8], _ format: PictureFormat) -> [UInt8] {
        // The checksum is filled in last.
        let empty = MarkedFile.inserting(text(sum: String(repeating: "0", count: 16)), into: file, format)
        guard let place = MarkedFile.find(Self.name, in: empty, format)?.place else { return file }
        return MarkedFile.inserting(text(sum: Self.sum(empty, without: place)), into: file, format)
    }

    private func text(sum: String) -> String {
        "\(Self.name) 1 \(recipe) \(sourceBytes) \(width)x\(height) \(sum)"
            + (placeholder.map { " \($0)" } ?? "")
    }

    /// Returns the mark of a file; nil if it has none or was changed after it was marked.
    init?(of file: [UInt8], _ format: PictureFormat) {
        guard let (text, place) = MarkedFile.find(Self.name, in: file, format) else { return nil }
        let words = text.split(separator: " ")
        guard words.count == 6 || words.count == 7, words[1] == "1", let bytes = Int(words[3]),
            case let sides = words[4].split(separator: "x").compactMap({ Int($0) }), sides.count == 2,
            words[5] == Self.sum(file, without: place)
        else { return nil }
        self.init(
            recipe: String(words[2]), sourceBytes: bytes, width: sides[0], height: sides[1],
            placeholder: words.count == 7 ? String(words[6]) : nil)
    }

    init(recipe: String, sourceBytes: Int, width: Int, height: Int, placeholder: String? = nil) {
        self.recipe = recipe
        self.sourceBytes = sourceBytes
        (self.width, self.height) = (width, height)
        self.placeholder = placeholder
    }

    /// Whether a file is a thumbnail of this package, possibly a damaged one.
    static func isThere(in file: [UInt8], _ format: PictureFormat) -> Bool {
        MarkedFile.find(name, in: file, format) != nil
    }

    /// Returns the first 8 bytes of the SHA-256 of the file without the mark.
    private static func sum(_ file: [UInt8], without place: Range<Int>) -> String {
        var hash = SHA256()
        hash.update(file.span.extracting(..<place.lowerBound))
        hash.update(file.span.extracting(place.upperBound...))
        return hash.finalize().hexadecimal(first: 8)
    }
}

/// A text in an image file that decoders skip: a JPEG comment, a PNG text, a WebP chunk, free space in AVIF.
enum MarkedFile {
    /// Returns the file with an ASCII text inserted, which starts with a name and a space.
    static func inserting(_ text: String, into file: [UInt8], _ format: PictureFormat) -> [UInt8] {
        let bytes = Array(text.utf8)
        switch format {
        case .jpg:
            let place = commentPlace(file)
            let file = file.movingPictures(after: place, by: bytes.count + 4)
            return file[..<place] + [0xFF, 0xFE] + big(bytes.count + 2, 2) + bytes + file[place...]
        case .png:
            return PNGText.adding([split(text)], to: file)
        case .webp:
            let body = WebPFile.extended(file)
            let padding: [UInt8] = bytes.count % 2 == 1 ? [0] : []
            let all = body[8...] + Array(webpChunk.utf8) + little(bytes.count, 4) + bytes + padding
            return Array("RIFF".utf8) + little(all.count, 4) + all
        case .avif:
            return file + big(bytes.count + 8, 4) + Array("free".utf8) + bytes
        case .tif, .gif, .jp2:
            return file
        }
    }

    /// Returns the text that starts with a name, and the range of the inserted bytes.
    static func find(
        _ name: String, in file: [UInt8], _ format: PictureFormat
    ) -> (text: String, place: Range<Int>)? {
        let found: (ArraySlice<UInt8>, Range<Int>)?
        switch format {
        case .jpg:
            let place = commentPlace(file)
            guard file.count >= place + 4, file[place] == 0xFF, file[place + 1] == 0xFE else { return nil }
            let length = number(file[(place + 2)..<(place + 4)])
            guard length >= 2, place + 2 + length <= file.count else { return nil }
            found = (file[(place + 4)..<(place + 2 + length)], place..<(place + 2 + length))
        case .png:
            return PNGText.read(file).first { $0.text.keyword == name }
                .map { ("\(name) \($0.text.value)", $0.chunk) }
        case .webp:
            found = last(
                in: file, from: 12, headed: webpChunk,
                length: { Int($0[4]) | Int($0[5]) << 8 | Int($0[6]) << 16 | Int($0[7]) << 24 }, isPadded: true
            )
        case .avif:
            found = last(
                in: file, from: 0, headed: "free", length: { number($0[0..<4]) - 8 }, isPadded: false)
        case .tif, .gif, .jp2:
            return nil
        }
        guard let (bytes, place) = found else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasPrefix(name + " ") ? (text, place) : nil
    }

    /// Finds a block of a file, each with a header of eight bytes.
    private static func last(
        in file: [UInt8], from start: Int, headed type: String, length: ([UInt8]) -> Int, isPadded: Bool
    ) -> (ArraySlice<UInt8>, Range<Int>)? {
        var at = start
        while at + 8 <= file.count {
            let head = Array(file[at..<(at + 8)])
            let count = length(head)
            let end = at + 8 + count + (isPadded ? count & 1 : 0)
            guard count >= 0, end <= file.count else { return nil }
            if end == file.count {
                let isOurs = (isPadded ? head[0..<4] : head[4..<8]).elementsEqual(type.utf8)
                return isOurs ? (file[(at + 8)..<(at + 8 + count)], at..<end) : nil
            }
            at = end
        }
        return nil
    }

    /// Returns the position after the JFIF segment, which must stay first.
    private static func commentPlace(_ file: [UInt8]) -> Int {
        guard file.count >= 6, file[2] == 0xFF, file[3] == 0xE0 else { return min(2, file.count) }
        return min(4 + number(file[4..<6]), file.count)
    }

    private static func split(_ text: String) -> PNGText {
        let space = text.firstIndex(of: " ") ?? text.endIndex
        return PNGText(String(text[..<space]), String(text[space...].dropFirst()))
    }

    private static let webpChunk = "VPTN"

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
