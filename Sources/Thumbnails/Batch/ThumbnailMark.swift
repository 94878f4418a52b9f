internal import Crypto
internal import PNGEncoding
internal import ViewportRendering

/// What a thumbnail says of its own making, in a comment of its file: so that a later run knows without any other
/// file that it is whole, made by the same recipe and of the same source.
///
/// Nothing in it depends on when, where or by whom it was made.
struct ThumbnailMark: Equatable {
    /// The recipe's fingerprint.
    var recipe: String
    /// Bytes of the source.
    var sourceBytes: Int
    var width: Int
    var height: Int
    /// A tiny blurred picture as a text, where it was asked for.
    var placeholder: String?

    private static let name = "viewport-thumbnail"

    /// The thumbnail's file with the mark in it.
    func added(to file: [UInt8], _ format: PictureFormat) -> [UInt8] {
        // Filled in when all else is known.
        let empty = MarkedFile.inserting(text(sum: String(repeating: "0", count: 16)), into: file, format)
        guard let place = MarkedFile.find(Self.name, in: empty, format)?.place else { return file }
        return MarkedFile.inserting(text(sum: Self.sum(empty, without: place)), into: file, format)
    }

    private func text(sum: String) -> String {
        "\(Self.name) 1 \(recipe) \(sourceBytes) \(width)x\(height) \(sum)"
            + (placeholder.map { " \($0)" } ?? "")
    }

    /// The mark of a file; nil where there is none or the file is not as it was when it was marked.
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

    /// Whether a file is a thumbnail of ours, though perhaps a broken one.
    static func isThere(in file: [UInt8], _ format: PictureFormat) -> Bool {
        MarkedFile.find(name, in: file, format) != nil
    }

    /// The first 8 bytes of the SHA-256 of what is not the mark.
    private static func sum(_ file: [UInt8], without place: Range<Int>) -> String {
        var hash = SHA256()
        hash.update(data: file[..<place.lowerBound])
        hash.update(data: file[place.upperBound...])
        return hash.finalize().prefix(8).hexadecimal
    }
}

extension Sequence<UInt8> {
    /// Two digits a byte.
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
