internal import Basics

/// Where a packet states properties of the picture, by ranges of its bytes.
struct XMPLayout {
    struct Property {
        let name: String
        let place: Place
        /// The index of its description.
        let description: Int

        /// The bytes that state it, with the white space before them.
        var range: Range<Int> {
            switch place {
            case .attribute(let attribute): attribute.range
            case .element(let element): element.range
            }
        }
    }

    enum Place {
        case attribute(XMLReader.Attribute)
        case element(XMPElement)
    }

    struct Description {
        /// The number of properties in it, also of those that were not looked for.
        var count = 0
        var tag: XMPElement
        /// The white space before its first element.
        var inset: Range<Int>?
    }

    let packet: [UInt8]
    private(set) var properties: [Property] = []
    private(set) var descriptions: [Description] = []
    /// The indexes of the open descriptions: a property that is not looked for can have others in it.
    private var openDescriptions: [Int] = []
    /// The first `rdf:RDF`; never nil in a finished layout.
    private(set) var rdf: XMPElement?
    /// The URI of the picture with its quotes, as it is written; usually empty.
    private(set) var about: String?

    /// Finds the properties with these names.
    init(_ text: SidecarText, of names: Set<String>) throws(SidecarFault) {
        packet = text.utf8
        var reader = XMLReader(packet)
        var path = XMPPath()
        /// The number of open elements inside of the first `rdf:RDF`, while it is open.
        var depthOfRDF: Int?
        /// The open elements of the property that is read.
        var open: [XMPElement] = []
        var space = 0..<0
        do throws(XMLSyntaxError) {
            while let token = try reader.next() {
                let lead = space.upperBound == reader.start ? space.lowerBound : reader.start
                switch token {
                case .text(let text):
                    let range = reader.start..<reader.offset
                    if text.isEmpty, packet[range].allSatisfy(\.isXMLSpace) {
                        space = range
                    } else if let last = open.indices.last {
                        // The reader returns no text that is too long.
                        open[last].text = text.isEmpty ? nil : open[last].text.map { $0 + text }
                    }
                case .open(let name, let attributes, let isEmpty):
                    path.open(name, attributes)
                    let element = XMPElement(
                        name, path, attributes, lead: lead, start: reader.start, end: reader.offset,
                        isClosed: isEmpty)
                    if path.resolved == "rdf:RDF", rdf == nil {
                        (rdf, depthOfRDF) = (element, isEmpty ? nil : path.depth)
                    }
                    if !open.isEmpty {
                        open.append(element)
                    } else if path.isDescription {
                        read(element, attributes, path, names)
                    } else if path.isPropertyElement, let index = openDescriptions.last {
                        descriptions[index].count += 1
                        descriptions[index].inset = descriptions[index].inset ?? element.lead
                        if path.resolved.map(names.contains) == true { open.append(element) }
                    }
                    if isEmpty { close(&path, &open, element.end..<element.end) }
                case .close:
                    let tag = reader.start..<reader.offset
                    if path.depth == depthOfRDF {
                        rdf?.close(tag, lead: lead)
                        depthOfRDF = nil
                    }
                    close(&path, &open, tag)
                }
            }
        } catch {
            throw text.fault(error)
        }
        guard path.isEmpty else { throw .cut }
        guard rdf != nil else { throw .notXMP }
    }

    private mutating func read(
        _ element: XMPElement, _ attributes: [XMLReader.Attribute], _ path: XMPPath, _ names: Set<String>
    ) {
        var description = Description(tag: element)
        for attribute in attributes where attribute.name != "xmlns" && !attribute.name.hasPrefix("xmlns:") {
            let name = path.resolve(attribute.name)
            guard name != "rdf:about", attribute.name != "about" else {
                about =
                    about ?? String(decoding: packet[value(of: attribute, withQuotes: true)], as: UTF8.self)
                continue
            }
            description.count += 1
            if let name, names.contains(name) {
                properties.append(
                    Property(name: name, place: .attribute(attribute), description: descriptions.count))
            }
        }
        openDescriptions.append(descriptions.count)
        descriptions.append(description)
    }

    private mutating func close(_ path: inout XMPPath, _ open: inout [XMPElement], _ tag: Range<Int>) {
        if var closed = open.popLast() {
            closed.close(tag)
            if !open.isEmpty {
                open[open.count - 1].children.append(closed)
            } else if let name = closed.resolved, let index = openDescriptions.last {
                properties.append(Property(name: name, place: .element(closed), description: index))
            }
        } else if path.isDescription, let index = openDescriptions.popLast() {
            descriptions[index].tag.close(tag)
        }
        path.close()
    }

    /// The bytes between the quotes of an attribute, or with them.
    func value(of attribute: XMLReader.Attribute, withQuotes: Bool = false) -> Range<Int> {
        let isQuote = { (byte: UInt8) in byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
        let start = packet[attribute.range].firstIndex(where: isQuote) ?? attribute.range.lowerBound
        return withQuotes
            ? start..<attribute.range.upperBound : (start + 1)..<(attribute.range.upperBound - 1)
    }
}

/// An element of a packet, by ranges of its bytes.
struct XMPElement {
    /// As it is written.
    let name: String
    /// The name with the packet's prefix; nil in other namespaces.
    let resolved: String?
    /// The value of `xml:lang`, in lower case.
    let language: String?
    /// Its attributes in known namespaces, by their names with the packet's prefixes.
    let attributes: [(name: String, attribute: XMLReader.Attribute)]
    /// Whether it has attributes of RDF, such as `rdf:parseType`, which change what its content means.
    let hasRDF: Bool
    /// From the white space before it to its end.
    private(set) var range: Range<Int>
    /// The white space before it.
    let lead: Range<Int>
    /// What lies between its tags; where it has one tag only, the end of that.
    private(set) var content: Range<Int>
    /// Whether it is one tag, "<a/>".
    let isTag: Bool
    /// The white space before its closing tag.
    private(set) var closingLead: Range<Int>
    /// Its text without that of its children; empty for white space, nil if it is too long to be read.
    var text: String? = ""
    var children: [XMPElement] = []

    init(
        _ name: String, _ path: XMPPath, _ attributes: [XMLReader.Attribute], lead: Int, start: Int, end: Int,
        isClosed: Bool
    ) {
        (self.name, resolved, isTag) = (name, path.resolved, isClosed)
        language = Self.language(attributes)
        self.attributes = attributes.compactMap { attribute in
            path.resolve(attribute.name).map { ($0, attribute) }
        }
        hasRDF = self.attributes.contains { $0.name.hasPrefix("rdf:") }
        (self.lead, range, content, closingLead) = (lead..<start, lead..<end, end..<end, end..<end)
    }

    /// The language of an element's text in lower case; nil without one.
    static func language(_ attributes: [XMLReader.Attribute]) -> String? {
        attributes.first { $0.name == "xml:lang" }?.value.lowercased()
    }

    var end: Int { range.upperBound }

    /// Whether it is a text, or empty.
    var isSimple: Bool { children.isEmpty && !hasRDF }

    mutating func close(_ tag: Range<Int>, lead: Int? = nil) {
        range = range.lowerBound..<tag.upperBound
        content = isTag ? content : content.lowerBound..<tag.lowerBound
        closingLead = (lead ?? tag.lowerBound)..<tag.lowerBound
    }
}
