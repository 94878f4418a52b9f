package import Containers
internal import Digests

/// A mark in a thumbnail's file: recipe, source and checksum.
///
/// With it, a later run recognizes an undamaged thumbnail of the same recipe and source without any other file. It
/// does not depend on time, machine or user.
package struct ThumbnailMark: Equatable, Sendable {
    /// The recipe's fingerprint.
    package var recipe: String
    /// The size of the source in bytes.
    package var sourceBytes: Int
    package var width: Int
    package var height: Int
    /// A ThumbHash in base64, if the recipe makes one.
    package var placeholder: String?

    private static let name = "viewport-thumbnail"

    /// Returns the file with the mark inserted.
    package func added(to file: [UInt8], _ kind: OutputKind) -> [UInt8] {
        // The checksum is filled in last.
        let empty = MarkPlace.inserting(text(sum: String(repeating: "0", count: 16)), into: file, kind)
        guard let place = MarkPlace.find(Self.name, in: empty, kind)?.place else { return file }
        return MarkPlace.inserting(text(sum: Self.sum(empty, without: place)), into: file, kind)
    }

    private func text(sum: String) -> String {
        "\(Self.name) 1 \(recipe) \(sourceBytes) \(width)x\(height) \(sum)"
            + (placeholder.map { " \($0)" } ?? "")
    }

    /// Returns the mark of a file; nil if it has none or was changed after it was marked.
    package init?(of file: [UInt8], _ kind: OutputKind) {
        guard let (text, place) = MarkPlace.find(Self.name, in: file, kind) else { return nil }
        let words = text.split(separator: " ")
        guard words.count == 6 || words.count == 7, words[1] == "1", let bytes = Int(words[3]),
            case let sides = words[4].split(separator: "x").compactMap({ Int($0) }), sides.count == 2,
            words[5] == Self.sum(file, without: place)
        else { return nil }
        self.init(
            recipe: String(words[2]), sourceBytes: bytes, width: sides[0], height: sides[1],
            placeholder: words.count == 7 ? String(words[6]) : nil)
    }

    package init(recipe: String, sourceBytes: Int, width: Int, height: Int, placeholder: String? = nil) {
        self.recipe = recipe
        self.sourceBytes = sourceBytes
        (self.width, self.height) = (width, height)
        self.placeholder = placeholder
    }

    /// Whether a file is a thumbnail of this package, possibly a damaged one.
    package static func isThere(in file: [UInt8], _ kind: OutputKind) -> Bool {
        MarkPlace.find(name, in: file, kind) != nil
    }

    /// Returns the first 8 bytes of the SHA-256 of the file without the mark.
    private static func sum(_ file: [UInt8], without place: Range<Int>) -> String {
        var hash = SHA256()
        hash.update(file.span.extracting(..<place.lowerBound))
        hash.update(file.span.extracting(place.upperBound...))
        return hash.finalize().hexadecimal(first: 8)
    }
}
