/// The names that Google gives to edited copies, in its languages.
package enum EditedName {
    /// The words in lower case.
    ///
    /// Sources: the lists of GooglePhotosTakeoutHelper 3.4.3 and its successors, of google-photos-migrate and
    /// immich-go, and the reports there; the others are the words of Google's translations for "edited".
    private static let words = [
        "edited", "bearbeitet", "modifié", "modifiée", "modifie", "ha editado", "editado", "editada",
        "modificato", "modificata", "bewerkt", "edytowane", "edytowany", "redigerad", "redigerat",
        "redigeret",
        "redigert", "muokattu", "upraveno", "upravené", "szerkesztett", "szerkesztve", "editat",
        "editată", "düzenlendi", "επεξεργασμένο", "επεξεργασμένη", "изменено", "измененный",
        "изменённый", "отредактировано", "відредаговано", "змінено", "редактирано", "编辑", "已编辑", "已修改",
        "已編輯", "編輯", "編集済み", "수정됨", "đã chỉnh sửa", "diedit", "telah diedit", "uređeno", "urejeno",
        "redaguota", "rediģēts", "muudetud", "แก้ไขแล้ว", "संपादित", "נערך", "تم التعديل", "معدّل",
        "breytt", "editatua", "измењено",
    ]

    /// The names of pictures that Google makes of others, in English in every language; most have a sidecar of their own.
    private static let made: Set = ["effects", "smile", "mix", "animation", "collage", "motion"]

    /// The length from which names may have been cut.
    private static let shortestCut = 44

    /// Returns the base name of the original; nil if it is not the name of an edited copy.
    ///
    /// - Parameters:
    ///   - base: the name without its number and extension.
    ///   - nameLength: the length of the whole name, which tells whether it may have been cut.
    ///   - takesGooglesOwn: whether pictures that Google makes of others count.
    package static func original(
        _ base: String, nameLength: Int = 0, takesGooglesOwn: Bool = false
    ) -> String? {
        guard let dash = base.lastIndex(of: "-"), dash > base.startIndex else { return nil }
        let word = base[base.index(after: dash)...].lowercased()
        let isCut = nameLength >= shortestCut && word.count >= 2 && words.contains { $0.hasPrefix(word) }
        let isKnown = words.contains(word) || isCut || takesGooglesOwn && made.contains(word)
        return isKnown ? String(base[..<dash]) : nil
    }
}
