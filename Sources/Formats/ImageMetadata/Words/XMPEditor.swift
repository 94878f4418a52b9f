internal import Basics

/// What becomes of a property; nil removes it.
enum XMPChange {
    case text(String?)
    /// A text in several languages, of which the default changes.
    case anyLanguage(String?)
}

/// Changes properties of the picture in a sidecar, and leaves all other bytes as they are.
struct XMPEditor {
    private let text: SidecarText
    let layout: XMPLayout
    private var replacements: [Replacement] = []
    /// The properties that are stated nowhere yet, with the content of their elements.
    private var additions: [(name: String, content: String)] = []

    private struct Replacement {
        var range: Range<Int>
        var bytes: [UInt8]
        /// The description that loses one of its properties.
        var loser: Int?
    }

    /// - Parameter names: the properties that will be changed.
    init(_ packet: [UInt8], of names: Set<String>) throws(SidecarFault) {
        text = try SidecarText(packet)
        layout = try XMPLayout(text, of: names)
    }

    /// The keywords that the sidecar states.
    func keywords() throws(SidecarFault) -> [String] { try XMPPacket(text).keywords }

    /// Changes a property wherever it is stated; one that is not stated is added.
    mutating func change(_ name: String, _ change: XMPChange) throws(SidecarFault) {
        var isStated = false
        for property in layout.properties where property.name == name {
            switch (change, property.place) {
            case (.text(nil), _), (.anyLanguage(nil), .attribute): cut(property)
            case (.text(let value?), .attribute(let attribute)),
                (.anyLanguage(let value?), .attribute(let attribute)):
                setText(attribute, value)
                isStated = true
            case (.text(let value?), .element(let element)):
                if element.isSimple {
                    setText(element, value)
                    isStated = true
                } else {
                    cut(property)
                }
            case (.anyLanguage(let value), .element(let element)):
                try setDefault(property, element, value)
                isStated = true
            }
        }
        guard !isStated else { return }
        switch change {
        case .text(let value): if let value { add(name, escaped(value)) }
        case .anyLanguage(let value): if let value { add(name, alternatives(value, "rdf:")) }
        }
    }

    /// Adds a property that is stated nowhere.
    private mutating func add(_ name: String, _ content: String) { additions.append((name, content)) }

    /// Makes changes; those of an attempt that returns false are taken back.
    mutating func attempt(_ change: (inout Self) -> Bool) -> Bool {
        let count = replacements.count
        if change(&self) { return true }
        replacements.removeLast(replacements.count - count)
        return false
    }

    mutating func cut(_ property: XMPLayout.Property) {
        replacements.append(Replacement(range: property.range, bytes: [], loser: property.description))
    }

    mutating func replace(_ range: Range<Int>, _ text: String) {
        replacements.append(Replacement(range: range, bytes: Array(text.utf8)))
    }

    // MARK: Texts

    mutating func setText(_ attribute: XMLReader.Attribute, _ value: String) {
        guard !attribute.value.utf8.elementsEqual(value.utf8) else { return }
        let range = layout.value(of: attribute)
        replace(range, escaped(value, quote: layout.packet[range.lowerBound - 1]))
    }

    mutating func setText(_ element: XMPElement, _ value: String) {
        guard element.text?.utf8.elementsEqual(value.utf8) != true else { return }
        setContent(element, escaped(value))
    }

    private mutating func setContent(_ element: XMPElement, _ content: String) {
        if element.isTag {
            replace((element.end - 2)..<element.end, ">\(content)</\(element.name)>")
        } else {
            replace(element.content, content)
        }
    }

    /// Changes the default of a text in several languages, and those that are equal to it.
    private mutating func setDefault(
        _ property: XMPLayout.Property, _ element: XMPElement, _ value: String?
    ) throws(SidecarFault) {
        guard let items = try list(in: element, of: property.name) else {
            guard let value else { return cut(property) }
            return element.text?.isEmpty == true
                ? setContent(element, alternatives(value, rdf)) : setText(element, value)
        }
        // Texts without a language, which XMP does not allow, count as the default.
        func isDefault(_ item: XMPElement) -> Bool {
            item.language == nil || item.language == XMPElement.anyLanguage
        }
        let defaults = items.filter(isDefault)
        guard !defaults.isEmpty else {
            if let value { addDefault(value, to: element, before: items.first) }
            return
        }
        let texts = Set(defaults.compactMap(\.text)).subtracting([""])
        let same = items.filter { isDefault($0) || $0.text.map(texts.contains) == true }
        guard let value else {
            guard same.count < items.count else { return cut(property) }
            return same.forEach { replace($0.range, "") }
        }
        for item in same {
            guard item.isSimple else { throw .form(property: property.name) }
            setText(item, value)
        }
    }

    private mutating func addDefault(
        _ value: String, to element: XMPElement, before item: XMPElement?
    ) {
        let text = "<\(rdf)li xml:lang=\(quote)\(XMPElement.anyLanguage)\(quote)>\(escaped(value))</\(rdf)li>"
        if let item {
            replace(item.lead.lowerBound..<item.lead.lowerBound, string(item.lead) + text)
        } else if let array = element.children.first {
            setContent(array, text)
        }
    }

    // MARK: Lists

    /// Returns the items of the array that is the value of a property; nil if it is a text, or empty.
    private func list(
        in element: XMPElement, of name: String
    ) throws(SidecarFault) -> [XMPElement]? {
        if element.isSimple { return nil }
        guard element.children.count == 1, let array = element.children.first, array.isArray,
            !element.hasRDF, !array.hasRDF, element.text?.isEmpty == true, array.text?.isEmpty == true,
            array.children.allSatisfy({ $0.resolved == "rdf:li" })
        else { throw .form(property: name) }
        return array.children
    }

    /// Removes items of a property's lists, and appends others to the first of them.
    ///
    /// - Parameter added: returns the items to append, from those that stay.
    /// - Returns: false if there is no list.
    mutating func changeList(
        _ name: String, removing isRemoved: (String) -> Bool, adding added: (_ kept: [String]) -> [String]
    ) throws(SidecarFault) -> Bool {
        var kept: [String] = []
        var target: XMPElement?
        for property in layout.properties where property.name == name {
            guard case .element(let element) = property.place else { throw .form(property: name) }
            let items = try list(in: element, of: name)
            guard items != nil || element.text?.isEmpty == true else { throw .form(property: name) }
            for item in items ?? [] {
                guard let text = item.text else { continue }
                if isRemoved(text) { replace(item.range, "") } else { kept.append(text) }
            }
            target = target ?? element
        }
        guard let target else { return false }
        let words = added(kept)
        guard !words.isEmpty else { return true }
        guard let array = target.children.first else {
            setContent(target, bag(words, rdf))
            return true
        }
        guard let last = array.children.last else {
            setContent(array, items(words, rdf, lead: ""))
            return true
        }
        let prefix = String(last.name.dropLast(2))
        replace(last.end..<last.end, items(words, prefix, lead: string(last.lead)))
        return true
    }

    /// Adds a list that is stated nowhere.
    mutating func addList(_ name: String, _ words: [String]) { add(name, bag(words, "rdf:")) }

    /// Changes the text of a property that is stated.
    ///
    /// - Parameter changed: returns the new text; nil keeps it.
    mutating func changeText(_ name: String, _ changed: (String) -> String?) {
        for property in layout.properties where property.name == name {
            switch property.place {
            case .attribute(let attribute):
                if let value = changed(attribute.value) { setText(attribute, value) }
            case .element(let element):
                guard element.isSimple, let text = element.text, let value = changed(text) else { continue }
                setText(element, value)
            }
        }
    }

    // MARK: Words of XML

    /// The prefix of RDF with its colon, as the sidecar has it.
    private var rdf: String { String(layout.rdf?.name.dropLast(3) ?? "rdf:") }

    private var quote: String { layout.about?.first.map(String.init) ?? "\"" }

    private func string(_ range: Range<Int>) -> String {
        String(decoding: layout.packet[range], as: UTF8.self)
    }

    private func alternatives(_ value: String, _ rdf: String) -> String {
        "<\(rdf)Alt><\(rdf)li xml:lang=\(quote)\(XMPElement.anyLanguage)\(quote)>\(escaped(value))</\(rdf)li></\(rdf)Alt>"
    }

    private func bag(_ words: [String], _ rdf: String) -> String {
        "<\(rdf)Bag>\(items(words, rdf, lead: ""))</\(rdf)Bag>"
    }

    private func items(_ words: [String], _ rdf: String, lead: String) -> String {
        words.map { "\(lead)<\(rdf)li>\(escaped($0))</\(rdf)li>" }.joined()
    }

    /// Characters that XML does not allow become spaces; white space other than spaces is kept by references.
    private func escaped(_ text: String, quote: UInt8? = nil) -> String {
        let quotes: Markup.Quotes = quote == UInt8(ascii: "\"") ? .double : quote == nil ? .none : .single
        return Markup.escaped(text, in: quotes) { scalar in
            switch scalar {
            case "\r", "\n", "\t": "&#x\(String(scalar.value, radix: 16, uppercase: true));"
            case _ where !scalar.isInXML: " "
            default: nil
            }
        }
    }

    // MARK: The edited sidecar

    /// The sidecar with all changes, in its encoding.
    var edited: [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for replacement in allReplacements {
            result += layout.packet[position..<replacement.range.lowerBound] + replacement.bytes
            position = replacement.range.upperBound
        }
        return text.encoded(result + layout.packet[position...])
    }

    /// The replacements in their order: descriptions that have lost all go as a whole.
    private var allReplacements: [Replacement] {
        let losses = Dictionary(grouping: replacements.filter { $0.loser != nil }) { $0.loser ?? 0 }
        let emptied = losses.filter { index, cuts in
            let description = layout.descriptions[index]
            guard cuts.count == description.count else { return false }
            // Comments stay, and so what they are in.
            var rest = description.tag.content.lowerBound
            for cut in cuts.map(\.range).sorted(by: { $0.lowerBound < $1.lowerBound })
            where cut.lowerBound >= rest {
                guard layout.packet[rest..<cut.lowerBound].allSatisfy(\.isXMLSpace) else { return false }
                rest = cut.upperBound
            }
            return layout.packet[rest..<description.tag.content.upperBound].allSatisfy(\.isXMLSpace)
        }
        var all = replacements.filter { $0.loser.map { emptied[$0] == nil } ?? true }
        all += emptied.keys.map { Replacement(range: layout.descriptions[$0].tag.range, bytes: []) }
        if let addition { all.append(addition) }
        return all.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// A description of the properties that are stated nowhere yet, at the end of `rdf:RDF`.
    private var addition: Replacement? {
        guard !additions.isEmpty, let rdf = layout.rdf else { return nil }
        let first = layout.descriptions.first
        let (around, end) = (line(rdf.lead), line(rdf.isTag ? rdf.lead : rdf.closingLead))
        let outer = first.map { line($0.tag.lead) } ?? (end.isEmpty ? "" : end + " ")
        let step = outer.hasPrefix(around) ? String(outer.dropFirst(around.count)) : ""
        var inner = first?.inset.map(line) ?? ""
        if inner.isEmpty, !outer.isEmpty { inner = outer + (step.isEmpty || around.isEmpty ? " " : step) }
        let used = Set(additions.map { $0.name.prefix { $0 != ":" } })
        let namespaces = XMPPacket.namespaces.filter { used.contains($0.value[...]) || $0.value == "rdf" }
            .sorted { $0.value < $1.value }.map { " xmlns:\($0.value)=\(quote)\($0.key)\(quote)" }.joined()
        let elements = additions.map { "\(inner)<\($0.name)>\($0.content)</\($0.name)>" }.joined()
        let about = layout.about ?? quote + quote
        let text =
            "\(outer)<rdf:Description\(namespaces) rdf:about=\(about)>\(elements)\(outer)</rdf:Description>"
        guard rdf.isTag else {
            let place = rdf.closingLead.lowerBound
            return Replacement(range: place..<place, bytes: Array(text.utf8))
        }
        return Replacement(
            range: (rdf.end - 2)..<rdf.end, bytes: Array(">\(text)</\(rdf.name)>".utf8))
    }

    /// The last line break in white space, with the indentation after it; empty without one.
    private func line(_ space: Range<Int>) -> String {
        let text = string(space)
        return text.lastIndex(where: \.isNewline).map { String(text[$0...]) } ?? ""
    }
}

extension XMPElement {
    static let anyLanguage = "x-default"

    var isArray: Bool { ["rdf:Alt", "rdf:Seq", "rdf:Bag"].contains(resolved) }
}

extension Unicode.Scalar {
    /// Whether XML allows the character.
    var isInXML: Bool {
        (value >= 0x20 || self == "\t" || self == "\n" || self == "\r") && value & 0xFFFE != 0xFFFE
    }
}
