package import Files

/// What the name of a picture says of the shot that it is a file of.
package struct ShotName: Equatable {
    /// Equal for all files of one shot, in lower case: the name without extension and marks of versions.
    package let shot: String
    /// Whether it is an edited copy.
    package let isEdited: Bool
    /// Whether the camera has named it as the cover of its burst, or of its raw file.
    package let isCover: Bool

    /// Words of programs behind a dash or an underscore, besides those of `EditedName`.
    private static let words: Set = ["edit", "edited", "retouched"]

    /// - Parameter words: those of edited copies that the library knows besides.
    package init(_ path: FilePath, _ words: EditedWords = EditedWords()) {
        var base = path.name.withoutExtension.text
        isCover = base.hasSuffix("COVER")
        // "PXL_20210101_120000000.RAW-02.ORIGINAL.dng" and "PXL_20210101_120000000.RAW-01.COVER.jpg".
        if base.hasPrefix("PXL_"), let point = base.firstIndex(of: ".") { base = String(base[..<point]) }
        if let original = AppleName.original(ofEdited: FilePath(base)) {
            (shot, isEdited) = (original.text.lowercased(), true)
        } else if let original = Self.original(of: base, words) {
            (shot, isEdited) = (original.lowercased(), true)
        } else {
            (shot, isEdited) = (base.lowercased(), false)
        }
    }

    /// Returns the name without the mark of an edited copy: "a-edited", "a-bearbeitet", "a_edit" or "a~2"; nil without one.
    private static func original(of base: String, _ known: EditedWords) -> String? {
        if let original = EditedName.original(base, nameLength: base.utf16.count) ?? known.original(base) {
            return original
        }
        guard let mark = base.lastIndex(where: { $0 == "-" || $0 == "_" || $0 == "~" }),
            mark > base.startIndex
        else { return nil }
        let word = base[base.index(after: mark)...]
        let isEdited =
            base[mark] == "~"
            ? (1...3).contains(word.utf8.count) && word.utf8.allSatisfy { (0x30...0x39).contains($0) }
            : words.contains(word.lowercased())
        return isEdited ? String(base[..<mark]) : nil
    }
}
