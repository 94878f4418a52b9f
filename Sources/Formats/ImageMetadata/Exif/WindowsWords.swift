internal import Basics
internal import Containers

/// The words that Windows writes into EXIF's IFD0, in UTF-16.
///
/// Source: ExifTool's tag names of EXIF.
struct WindowsWords: Hashable, Codable, Sendable {
    /// XPTitle.
    var title: String?
    /// XPComment.
    var comment: String?
    /// XPKeywords, which semicolons separate.
    var keywords: [String] = []

    init() {}

    init(_ main: TIFFDirectory) {
        title = Self.text(main.bytes(0x9C9B))
        comment = Self.text(main.bytes(0x9C9C))
        keywords = (Self.text(main.bytes(0x9C9E)) ?? "").split(separator: ";")
            .map { XMPPacket.keyword(String($0)) }.filter { !$0.isEmpty }
    }

    func completed(by other: WindowsWords) -> WindowsWords {
        var words = self
        words.title = title ?? other.title
        words.comment = comment ?? other.comment
        if keywords.isEmpty { words.keywords = other.keywords }
        return words
    }

    /// The text up to the first NUL; nil if it is empty.
    private static func text(_ bytes: FileBytes?) -> String? {
        guard let bytes else { return nil }
        let units = stride(from: 0, to: bytes.count - 1, by: 2).lazy
            .map { UInt16(bytes.uint16(at: $0, .little) ?? 0) }.prefix { $0 != 0 }
        let text = String(decoding: Array(units), as: UTF16.self).trimmed()
        return text.isEmpty ? nil : String(text)
    }
}

/// Ratings of Windows, 0 to 99 percent.
enum RatingPercent {
    /// Returns 0 to 5 stars; nil for other numbers.
    ///
    /// Windows writes 1, 25, 50, 75 and 99.
    static func stars(_ percent: Int) -> Int? {
        switch percent {
        case 0: 0
        case 1...100: 1 + (percent + 12) / 25
        default: nil
        }
    }
}
