/// The names that Google gives to edited copies, in its languages.
package enum EditedName {
    private static let words = [
        "edited", "bearbeitet", "modifié", "modifie", "editado", "editada", "modificato", "modificata",
        "bewerkt",
        "edytowane", "edytowany", "redigerad", "redigeret", "redigert", "muokattu", "upraveno", "upravené",
        "szerkesztett", "editat", "editată", "düzenlendi", "επεξεργασμένο", "изменено", "отредактировано",
        "відредаговано", "编辑", "已编辑", "已編輯", "編集済み", "수정됨", "đã chỉnh sửa", "diedit", "uređeno",
        "urejeno", "redaguota", "rediģēts", "muudetud",
    ]

    /// The length from which names may have been cut.
    private static let shortestCut = 44

    /// Returns the base name of the original; nil if it is not the name of an edited copy.
    ///
    /// - Parameter base: the name without its number and extension.
    package static func original(_ base: String, nameLength: Int) -> String? {
        guard let dash = base.lastIndex(of: "-"), dash > base.startIndex else { return nil }
        let word = base[base.index(after: dash)...].lowercased()
        let isCut = nameLength >= shortestCut && word.count >= 2 && words.contains { $0.hasPrefix(word) }
        return words.contains(word) || isCut ? String(base[..<dash]) : nil
    }
}
