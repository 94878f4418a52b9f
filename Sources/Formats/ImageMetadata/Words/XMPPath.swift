internal import Basics

/// The open elements of a packet and their prefixes.
struct XMPPath {
    private var elements: [Element] = []
    private var bindings: [(prefix: String, namespace: String?)] = []

    private struct Element {
        var resolved: String?
        var bindings: Int
        /// The language of its text in lower case; nil without one.
        var language: String?
    }

    var isEmpty: Bool { elements.isEmpty }

    /// The number of open elements.
    var depth: Int { elements.count }

    mutating func open(_ name: String, _ attributes: [XMLReader.Attribute]) {
        let declared = attributes.compactMap(Self.binding)
        bindings += declared
        elements.append(
            Element(
                resolved: resolve(name.contains(":") ? name : ":\(name)"), bindings: declared.count,
                language: XMPElement.language(attributes)))
    }

    mutating func close() {
        if let closed = elements.popLast() { bindings.removeLast(closed.bindings) }
    }

    /// The prefix that an attribute binds, empty for elements without one, and the packet's prefix of the namespace.
    private static func binding(
        _ attribute: XMLReader.Attribute
    ) -> (prefix: String, namespace: String?)? {
        guard attribute.name == "xmlns" || attribute.name.hasPrefix("xmlns:") else { return nil }
        return (String(attribute.name.dropFirst(6)), XMPPacket.namespaces[attribute.value])
    }

    /// The name of the last element.
    var resolved: String? { elements.last?.resolved }

    /// The name with the packet's prefix; nil for other namespaces.
    func resolve(_ name: String) -> String? {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let bound = bindings.last(where: { $0.prefix == parts[0] }),
            let namespace = bound.namespace
        else { return nil }
        return "\(namespace):\(parts[1])"
    }

    /// Whether the last element is a description that belongs to the picture.
    var isDescription: Bool { isDescription(at: elements.count - 1) }

    private func isDescription(at index: Int) -> Bool {
        index >= 1 && elements[index].resolved == "rdf:Description"
            && elements[index - 1].resolved == "rdf:RDF"
    }

    /// Whether the last element is a property of the picture.
    var isPropertyElement: Bool { isDescription(at: elements.count - 2) }

    /// Whether the last element is the text for readers of all languages, of a text in several.
    ///
    /// A text without a language, which XMP does not allow, counts as that.
    var isOfAnyLanguage: Bool {
        guard let last = elements.last, elements.dropLast().last?.resolved == "rdf:Alt" else { return false }
        return last.language == nil || last.language == XMPElement.anyLanguage
    }

    /// The property that the last element is a value or array item of.
    var property: String? {
        let last = elements.count - 1
        if isPropertyElement { return elements[last].resolved }
        guard isDescription(at: last - 3), elements[last].resolved == "rdf:li",
            ["rdf:Alt", "rdf:Seq", "rdf:Bag"].contains(elements[last - 1].resolved)
        else { return nil }
        return elements[last - 2].resolved
    }
}
