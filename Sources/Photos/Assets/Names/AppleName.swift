package import Files

/// The names of Apple's edited copies, "IMG_E1234.JPG" of "IMG_1234.HEIC", and of the descriptions of edits,
/// "IMG_O1234.AAE".
package struct AppleName {
    private let bases: Set<FilePath>

    /// - Parameter bases: the names in a folder, without extensions.
    package init(of bases: some Sequence<FilePath>) { self.bases = Set(bases) }

    package static func isEdited(_ base: FilePath) -> Bool { original(ofEdited: base) != nil }

    /// The name of the original of an edited copy, "IMG_1234" of "IMG_E1234"; nil for other names.
    package static func original(ofEdited base: FilePath) -> FilePath? { original("E", base) }

    /// "IMG_E1234" is "IMG_1234" with the mark E.
    private static func original(_ mark: String, _ base: FilePath) -> FilePath? {
        let prefix = "IMG_\(mark)"
        let rest = base.text.utf8.dropFirst(prefix.utf8.count)
        guard base.hasPrefix(prefix), let digit = rest.first, (0x30...0x39).contains(digit) else {
            return nil
        }
        return FilePath("IMG_\(Substring(rest))")
    }

    /// Returns the name of the original if it is there, else the name itself.
    package func original(of base: FilePath) -> FilePath {
        Self.original("E", base).flatMap { bases.contains($0) ? $0 : nil } ?? base
    }

    /// The names that the descriptions of edits of a photo have, besides its own.
    package func adjustments(of base: FilePath) -> [FilePath] {
        ["E", "O"].compactMap { Self.marked($0, base) }
    }

    /// "IMG_1234" with a mark; nil for other names.
    private static func marked(_ mark: String, _ base: FilePath) -> FilePath? {
        guard original("", base) != nil else { return nil }
        return FilePath("IMG_\(mark)\(Substring(base.text.utf8.dropFirst(4)))")
    }

    /// The name of the photo that a description of edits belongs to by its mark: "IMG_1234" of "IMG_O1234".
    package static func original(ofAdjustment base: FilePath) -> FilePath? {
        original("O", base) ?? original("E", base)
    }

    /// The mark in the name of a description of edits that belongs to another file.
    package static func mark(of base: FilePath, ofOriginal other: FilePath) -> String? {
        base == other ? nil : ["E", "O"].first { original($0, base) == other }
    }

    /// Puts a mark into a path without extension: "2014/IMG_E1234", or "2014/photo-E".
    package static func path(_ mark: String, at base: FilePath) -> FilePath {
        marked(mark, base.name).map { base.renamed($0) } ?? base.adding("-\(mark)")
    }
}
