internal import Basics

/// The properties of an XMP packet that photographs have.
///
/// Simple values and arrays of them, of the namespaces below, directly in a description; what is nested deeper, as
/// the names of faces, is left out. Namespaces are told by their addresses: prefixes are the writer's choice.
/// Source: ISO 16684-1 (XMP), sections 7 and C.
struct XMPPacket {
    /// By namespace and name as "exif:DateTimeOriginal".
    private var values: [String: [String]] = [:]

    private static let namespaces = [
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
        "http://ns.adobe.com/exif/1.0/": "exif",
        "http://ns.adobe.com/exif/1.0/aux/": "aux",
        "http://cipa.jp/exif/1.0/": "exifEX",
        "http://ns.adobe.com/tiff/1.0/": "tiff",
        "http://ns.adobe.com/xap/1.0/": "xmp",
        "http://ns.adobe.com/photoshop/1.0/": "photoshop",
        "http://purl.org/dc/elements/1.1/": "dc",
        "http://ns.google.com/photos/1.0/camera/": "GCamera",
    ]

    /// Reads as far as the packet is XML.
    init(_ bytes: FileBytes) {
        var reader = XMLReader(count: bytes.count) { bytes.extracting($0).array }
        var path = Path()
        while let token = try? reader.next() {
            switch token {
            case .open(let name, let attributes, let isEmpty):
                path.open(name, attributes.compactMap(Self.binding))
                if path.isDescription {
                    for attribute in attributes {
                        if let property = path.resolve(attribute.name) { add(attribute.value, to: property) }
                    }
                }
                if isEmpty { path.close() }
            case .text(let text):
                if let property = path.property { add(text, to: property) }
            case .close:
                path.close()
                if path.isEmpty { return }
            }
        }
    }

    /// The first value of a property.
    func first(_ name: String) -> String? { values[name]?.first }

    /// All values of a property.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    private mutating func add(_ value: String, to property: String) {
        if !value.isEmpty { values[property, default: []].append(value) }
    }

    private static func binding(_ attribute: XMLReader.Attribute) -> (prefix: String, namespace: String?)? {
        guard attribute.name.hasPrefix("xmlns:") else { return nil }
        return (String(attribute.name.dropFirst(6)), namespaces[attribute.value])
    }
}

/// The elements that are open, and what their prefixes mean.
private struct Path {
    private var elements: [(resolved: String?, bindings: Int)] = []
    private var bindings: [(prefix: String, namespace: String?)] = []

    var isEmpty: Bool { elements.isEmpty }

    mutating func open(_ name: String, _ declared: [(prefix: String, namespace: String?)]) {
        bindings += declared
        elements.append((resolve(name), declared.count))
    }

    mutating func close() {
        if let closed = elements.popLast() { bindings.removeLast(closed.bindings) }
    }

    /// The name with this type's own prefix; nil for foreign namespaces.
    func resolve(_ name: String) -> String? {
        let parts = name.split(separator: ":", maxSplits: 1)
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

    /// The property whose simple value or array item the last element is.
    var property: String? {
        let last = elements.count - 1
        if isDescription(at: last - 1) { return elements[last].resolved }
        guard isDescription(at: last - 3), elements[last].resolved == "rdf:li",
            ["rdf:Alt", "rdf:Seq", "rdf:Bag"].contains(elements[last - 1].resolved)
        else { return nil }
        return elements[last - 2].resolved
    }
}
