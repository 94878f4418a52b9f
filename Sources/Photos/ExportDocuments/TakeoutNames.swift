package import Files

/// A file name of a Takeout, with the number of a repeated name apart: "a(1).jpg" is "a.jpg" with the number 1.
package struct TakeoutName: Hashable, Sendable {
    /// The name without the number.
    package var name: String
    package var number: Int?

    /// Takes the number from the end of a name, or from before its extension.
    package init(_ text: String) {
        if let (rest, number) = Self.number(atEndOf: text) {
            (name, self.number) = (rest, number)
            return
        }
        let path = FilePath(text)
        if let (rest, number) = Self.number(atEndOf: path.withoutExtension.text) {
            (name, self.number) = (rest + path.ending, number)
        } else {
            (name, number) = (text, nil)
        }
    }

    package init(name: String, number: Int?) { (self.name, self.number) = (name, number) }

    /// The name without the extension, and the extension with its point.
    package var base: String { FilePath(name).withoutExtension.text }
    package var ending: String { FilePath(name).ending }

    /// The name in bytes: names in different forms of accents are equal otherwise.
    package var bytes: FilePath { FilePath(name) }

    /// "a(12)" is "a" and 12.
    package static func number(atEndOf text: String) -> (rest: String, number: Int)? {
        guard text.hasSuffix(")"), let open = text.lastIndex(of: "("), open > text.startIndex else {
            return nil
        }
        let digits = text[text.index(after: open)...].dropLast()
        guard (1...6).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(digits)
        else { return nil }
        return (String(text[..<open]), number)
    }
}

/// The name of a JSON sidecar, in all forms that Takeout has had.
///
/// "a.jpg.json", "a.jpg.supplemental-metadata.json" and each beginning of that word, "a.jpg(1).json",
/// "a.jpg.supplemental-metadata(1).json", "a(1).jpg.json". Names are cut at 46 characters, or 51 with ".json".
package struct TakeoutSidecarName {
    /// The name of the file, perhaps cut.
    package var stem: String
    /// The number of the file, where it is apart from its name.
    package var number: Int?
    /// Whether the name is as long as names that were cut.
    package var isCut: Bool

    private static let word = "supplemental-metadata"
    /// Shorter names were not cut; some exports count bytes, others UTF-16.
    private static let shortestCut = 44

    /// Nil for names that do not end with ".json".
    package init?(_ name: String) {
        guard name.lowercased().hasSuffix(".json"), name.count > 5 else { return nil }
        var rest = String(name.dropLast(5))
        let whole = rest
        if let (before, number) = TakeoutName.number(atEndOf: rest) { (rest, self.number) = (before, number) }
        isCut = max(rest.utf8.count, whole.utf16.count) >= Self.shortestCut
        if let point = rest.lastIndex(of: "."), point > rest.startIndex,
            Self.word.hasPrefix(rest[rest.index(after: point)...])
        {
            rest = String(rest[..<point])
            if number == nil, let (before, number) = TakeoutName.number(atEndOf: rest), before.contains(".") {
                (rest, self.number) = (before, number)
            }
        }
        stem = rest
    }

    /// Returns the name of the sidecar of a file, which is cut as Google's names are where the whole one is too long.
    package static func text(of file: String) -> String {
        let names = ["\(file).\(word).json", "\(file).json", "\(file.prefix(46)).json"]
        return names.first { $0.utf8.count <= 255 } ?? names[2]
    }

    /// The name of the file that it belongs to, with the number apart.
    package var key: TakeoutName {
        number == nil ? TakeoutName(stem) : TakeoutName(name: stem, number: number)
    }
}

/// The names of folders in Google's languages.
package enum TakeoutFolderName {
    /// The beginnings of "Photos from 2019" before the year.
    private static let years = [
        "photos from", "fotos von", "fotos aus", "photos de", "fotos de", "fotos del", "fotos d'", "foto da",
        "foto dal",
        "foto del", "foto's uit", "foto’s uit", "foto's van", "zdjęcia z", "foton från", "foto från",
        "bilder från",
        "bilder fra", "billeder fra", "fotky z", "fotografie z", "fotos do ano de", "valokuvat",
        "kuvat vuodelta", "фото за",
        "фотографии за", "фото з", "fotoğraflar", "φωτογραφίες από το", "fotografii din", "fényképek",
        "ảnh từ năm",
        "foto dari",
    ]

    private static let trash: Set = [
        "trash", "bin", "papierkorb", "corbeille", "papelera", "papelera de reciclaje", "cestino", "lixeira",
        "lixo",
        "prullenbak", "kosz", "papperskorgen", "papirkurv", "papirkurven", "roskakori", "koš", "lomtár",
        "корзина",
        "кошик", "çöp kutusu", "ゴミ箱", "回收站", "垃圾桶", "휴지통",
    ]

    /// Whether it is a folder of all photos of a year, and no album.
    package static func isYear(_ name: String) -> Bool {
        let digits = name.filter(\.isNumber)
        guard digits.count == 4, let year = Int(digits), (1800...2300).contains(year) else { return false }
        let lower = name.lowercased()
        if years.contains(where: { lower == "\($0) \(digits)" || lower == "\($0)\(digits)" }) { return true }
        // "2019年の写真", "2019년의 사진", "2019 yılından fotoğraflar"
        return lower.hasPrefix(digits)
            && ["年", "년", "yıl", "fotoğraf", "fénykép", "valokuv"].contains(where: { lower.contains($0) })
    }

    /// Whether it is a folder of one day, as in early exports: "2014-05-25", "2014-05-25-26" or "2014-05-25 #2".
    package static func isDay(_ name: String) -> Bool {
        guard let date = name.split(separator: " ").first else { return false }
        let parts = date.split(separator: "-")
        return (3...4).contains(parts.count) && parts[0].count == 4
            && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
            && name.dropFirst(date.count).allSatisfy { " #0123456789".contains($0) }
    }

    /// Whether an album's folder cannot have the name, because it means something else.
    package static func isReserved(_ name: String) -> Bool {
        isYear(name) || isDay(name) || isTrash(name) || name == "undated"
    }

    package static func isTrash(_ name: String) -> Bool { trash.contains(name.lowercased()) }

    /// The path of a folder inside of its export, "Takeout/Google Photos/Trip", which is the same in all its archives;
    /// nil outside of an export.
    package static func insideExport(_ path: FilePath) -> FilePath? {
        let parts = path.names
        let start =
            parts.lastIndex { $0.text.lowercased() == "takeout" }
            ?? parts.lastIndex {
                let name = $0.text.lowercased()
                return name.hasPrefix("google photos") || name.hasPrefix("google foto")
            }
        return start.map { parts[$0...].reduce(FilePath("")) { $0.appending($1) } }
    }

    /// Whether it is the name that Google gives to archives of exports.
    package static func isArchive(_ name: String) -> Bool {
        let lower = name.lowercased()
        return lower.hasPrefix("takeout-") && lower.hasSuffix(".zip")
    }
}
