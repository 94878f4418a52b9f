internal import Basics

extension XMPEditor {
    /// Lists in which programs repeat the keywords, as paths with a separator.
    private static let repetitions = [
        (name: "lr:hierarchicalSubject", separator: Character("|")),
        (name: "digiKam:TagsList", separator: "/"),
        (name: "MicrosoftPhoto:LastKeywordXMP", separator: "/"),
        (name: "mediapro:CatalogSets", separator: "|"),
    ]
    /// XML in a text.
    private static let categories = "acdsee:categories"

    /// The properties that depend on the keywords.
    static let keywordLists = Set(repetitions.map(\.name) + ["dc:subject", categories])

    /// Sets the keywords; nil removes the property.
    ///
    /// Words that stay keep their place and form. New words are added to the lists in which other programs repeat the
    /// keywords, and removed words go from them with the paths that end in them; other paths of these lists stay.
    mutating func setKeywords(_ words: [String]?) throws(SidecarFault) {
        let former = Set(try keywords())
        var seen: Set<String> = []
        let words = words.map { $0.map(XMPPacket.keyword).filter { !$0.isEmpty && seen.insert($0).inserted } }
        let removed = former.subtracting(seen)
        let added = (words ?? []).filter { !former.contains($0) }
        if let words {
            let isThere = try changeList("dc:subject") {
                removed.contains(XMPPacket.keyword($0))
            } adding: { kept in
                let kept = Set(kept.map(XMPPacket.keyword))
                return words.filter { !kept.contains($0) }
            }
            if !isThere { addList("dc:subject", words) }
        } else {
            try change("dc:subject", .text(nil))
        }
        for (name, separator) in Self.repetitions {
            // The whole text, too: a word can have the separator in it.
            func forms(of path: String) -> [String] {
                [path, String(path.split(separator: separator).last ?? "")].map(XMPPacket.keyword)
            }
            _ = try changeList(name) { path in
                !path.hasPrefix("darktable|") && forms(of: path).contains(where: removed.contains)
            } adding: { kept in
                let kept = Set(kept.flatMap(forms(of:)))
                return added.filter { !kept.contains($0) }
            }
        }
        changeText(Self.categories) { KeywordCategories($0)?.changed(removing: removed, adding: added) }
    }
}

/// The keywords of ACDSee: `<Categories><Category Assigned="1">lake</Category></Categories>`, nested where they are a hierarchy.
private struct KeywordCategories {
    private struct Category {
        var word = ""
        var range: Range<Int>
        /// The value of `Assigned`, of one digit, without its quotes.
        var assigned: Range<Int>?
        var isAssigned: Bool
        var isParent = false
    }

    private let text: [UInt8]
    private var categories: [Category] = []
    /// Where new categories go.
    private var end = 0

    /// Nil if it is not such a text.
    init?(_ text: String) {
        self.text = Array(text.utf8)
        var reader = XMLReader(self.text)
        var open: [Category] = []
        var isDone = false
        do throws(XMLSyntaxError) {
            while let token = try reader.next() {
                switch token {
                case .open(let name, let attributes, let isEmpty):
                    guard (name == "Categories") == open.isEmpty, !isEmpty else { return nil }
                    if !open.isEmpty { open[open.count - 1].isParent = true }
                    let assigned = attributes.first { $0.name == "Assigned" }
                    let end = assigned?.range.upperBound ?? 0
                    open.append(
                        Category(
                            range: reader.start..<reader.offset,
                            assigned: assigned?.range.count == " Assigned=\"1\"".utf8.count
                                ? (end - 2)..<(end - 1) : nil,
                            isAssigned: assigned?.value == "1"))
                case .text(let text): if !open.isEmpty { open[open.count - 1].word += text }
                case .close:
                    guard var closed = open.popLast() else { return nil }
                    closed.range = closed.range.lowerBound..<reader.offset
                    closed.word = XMPPacket.keyword(closed.word)
                    if open.isEmpty {
                        (end, isDone) = (reader.start, true)
                    } else {
                        categories.append(closed)
                    }
                }
            }
        } catch {
            return nil
        }
        guard isDone else { return nil }
    }

    func changed(removing removed: Set<String>, adding added: [String]) -> String {
        var replacements: [(range: Range<Int>, text: String)] = []
        var assigned = Set(categories.filter(\.isAssigned).map(\.word))
        for category in categories {
            if category.isAssigned, removed.contains(category.word) {
                if !category.isParent {
                    replacements.append((category.range, ""))
                } else if let range = category.assigned {
                    replacements.append((range, "0"))
                }
            } else if !category.isAssigned, let range = category.assigned, added.contains(category.word),
                assigned.insert(category.word).inserted
            {
                replacements.append((range, "1"))
            }
        }
        let new = added.filter { !assigned.contains($0) }.map { word in
            "<Category Assigned=\"1\">\(Markup.escaped(word))</Category>"
        }
        replacements.append((end..<end, new.joined()))
        var result: [UInt8] = []
        var position = 0
        for (range, new) in replacements.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += text[position..<range.lowerBound] + Array(new.utf8)
            position = range.upperBound
        }
        return String(decoding: result + text[position...], as: UTF8.self)
    }
}
