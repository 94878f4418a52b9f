internal import AssetCatalog
internal import ExportDocuments
internal import Files

/// The words behind the names of edited copies in an export: those of `EditedName`, those that several files end in, and those
/// that earlier imports into the library have found so.
///
/// A table alone misses the next language. "STEM-WORDS.EXT" without a sidecar, beside a file "STEM" that has one, is an edited
/// copy where other files of the export are so with the same words.
struct TakeoutWords: Sendable {
    private var unknown = EditedWords()

    /// No words besides those of `EditedName`.
    init() {}

    /// Finds the words in the names of folders that have sidecars.
    ///
    /// - Parameter known: the words that the library knows.
    init(in folders: some Sequence<[SourceFile]>, known: EditedWords = EditedWords()) {
        var found: [String: Set<FilePath>] = [:]
        for files in folders {
            let sidecars = Set(files.compactMap { TakeoutSidecarName($0.name.text)?.key })
            guard !sidecars.isEmpty else { continue }
            let media = files.filter { FileExtension.isMedia($0.name) }
            let described = Set(
                media.map { TakeoutName($0.name.text) }.filter(sidecars.contains).map {
                    TakeoutName(name: $0.base, number: $0.number)
                })
            for file in media {
                let name = TakeoutName(file.name.text)
                guard !sidecars.contains(name), EditedName.original(name.base) == nil,
                    let words = Self.words(of: name, described)
                else { continue }
                found[words, default: []].insert(file.name)
            }
        }
        unknown = known.adding(found.filter { $0.value.count > 1 }.keys)
    }

    /// Returns what follows the name of a described file and a dash: words, and no number or date.
    private static func words(of name: TakeoutName, _ described: Set<TakeoutName>) -> String? {
        let base = name.base
        for dash in base.indices.reversed() where base[dash] == "-" {
            let words = base[base.index(after: dash)...]
            guard described.contains(TakeoutName(name: String(base[..<dash]), number: name.number)),
                words.contains(where: \.isLetter), !words.contains(where: \.isNumber)
            else { continue }
            return words.lowercased()
        }
        return nil
    }

    /// Returns the base name of the original; nil if it is not the name of an edited copy.
    func original(_ name: TakeoutName) -> String? {
        let length = max(name.name.utf8.count, name.name.utf16.count)
        if let original = EditedName.original(name.base, nameLength: length, takesGooglesOwn: true) {
            return original
        }
        return unknown.original(name.base)
    }

    /// Returns the words of an edited copy that are in no table.
    func unknown(_ name: TakeoutName) -> String? {
        guard EditedName.original(name.base, takesGooglesOwn: true) == nil else { return nil }
        return unknown.words(behind: name.base)
    }
}
