internal import Basics

extension XMPPacket {
    /// A packet in two parts, of which the first states the digest of the second.
    package struct Divided {
        /// The packet without its longest properties, up to the place of the digest, and behind that.
        fileprivate let first: (ArraySlice<UInt8>, ArraySlice<UInt8>)
        fileprivate let isBound: Bool
        /// A packet of the longest properties.
        package let second: [UInt8]

        /// Returns the first part.
        ///
        /// - Parameter digest: the MD5 of the second part in hexadecimal digits.
        package func first(digest: String) -> [UInt8] {
            first.0 + Array(XMPPacket.statement(digest, isBound).utf8) + first.1
        }
    }

    /// The attribute of a description that names the second part.
    fileprivate static func statement(_ digest: String, _ isBound: Bool) -> String {
        (isBound ? "" : " xmlns:xmpNote=\"http://ns.adobe.com/xmp/note/\"")
            + " xmpNote:HasExtendedXMP=\"\(digest)\""
    }

    /// Divides a packet so that the first part has at most this many bytes; nil where that cannot be done.
    ///
    /// Source: XMP part 3, section 1.1.3.1.
    package static func divided(_ packet: [UInt8], longest: Int) -> Divided? {
        let parts = DividedProperties(packet)
        guard let place = parts.descriptions.first else { return nil }
        let digestSize = statement(String(repeating: "0", count: 32), false).utf8.count
        var excess = packet.count + digestSize - longest
        var moved: [DividedProperties.Property] = []
        for property in parts.properties.sorted(by: { $0.range.count > $1.range.count }) where excess > 0 {
            moved.append(property)
            excess -= property.range.count
        }
        guard excess <= 0 else { return nil }
        moved.sort { $0.range.lowerBound < $1.range.lowerBound }
        var main: [UInt8] = []
        var at = 0
        for property in moved {
            main += packet[at..<property.range.lowerBound]
            at = property.range.upperBound
        }
        main += packet[at...]
        var second = Array(
            ("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
                + "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">").utf8)
        for (index, description) in parts.descriptions.enumerated() {
            let own = moved.filter { $0.description == index }
            guard !own.isEmpty else { continue }
            second += Array("<rdf:Description rdf:about=\"\"\(description.bindings)".utf8)
            for property in own where property.isAttribute { second += packet[property.range] }
            second.append(UInt8(ascii: ">"))
            for property in own where !property.isAttribute { second += packet[property.range] }
            second += Array("</rdf:Description>".utf8)
        }
        second += Array("</rdf:RDF></x:xmpmeta>".utf8)
        // Nothing before the first description moves.
        return Divided(
            first: (main[..<place.nameEnd], main[place.nameEnd...]), isBound: place.bindsNote, second: second)
    }
}

/// The properties of a packet, of any namespace, as ranges of its bytes.
private struct DividedProperties {
    struct Property {
        let range: Range<Int>
        let isAttribute: Bool
        /// The index of its description.
        let description: Int
    }

    struct Description {
        /// The position after the name in its tag.
        let nameEnd: Int
        /// The namespaces that are bound in it and around it, as attributes, but RDF's.
        let bindings: String
        let bindsNote: Bool
    }

    private(set) var properties: [Property] = []
    private(set) var descriptions: [Description] = []

    init(_ packet: [UInt8]) {
        var reader = XMLReader(packet)
        var path = XMPPath()
        var bindings: [[XMLReader.Attribute]] = []
        var element = 0
        while let token = try? reader.next() {
            switch token {
            case .open(let name, let attributes, let isEmpty):
                path.open(name, attributes)
                bindings.append(attributes.filter { $0.name.hasPrefix("xmlns") })
                if path.isDescription { add(name, attributes, bindings.joined(), at: reader.start) }
                if path.isPropertyElement { element = reader.start }
                if isEmpty { close(&path, &bindings, element..<reader.offset) }
            case .close: close(&path, &bindings, element..<reader.offset)
            case .text: break
            }
        }
    }

    private mutating func add(
        _ name: String, _ attributes: [XMLReader.Attribute],
        _ bindings: some Sequence<XMLReader.Attribute>, at start: Int
    ) {
        let all = Dictionary(bindings.map { ($0.name, $0.value) }) { $1 }
        let texts = all.filter { $0.key != "xmlns:rdf" }.sorted { $0 < $1 }
            .map { " \($0.key)=\"\(Markup.escaped($0.value, in: .double))\"" }
        properties += attributes.filter { !$0.name.hasPrefix("xmlns") && !$0.name.hasPrefix("rdf:") }
            .map { Property(range: $0.range, isAttribute: true, description: descriptions.count) }
        descriptions.append(
            Description(
                nameEnd: start + 1 + name.utf8.count, bindings: texts.joined(),
                bindsNote: all["xmlns:xmpNote"] != nil))
    }

    private mutating func close(
        _ path: inout XMPPath, _ bindings: inout [[XMLReader.Attribute]], _ element: Range<Int>
    ) {
        if path.isPropertyElement {
            properties.append(
                Property(range: element, isAttribute: false, description: descriptions.count - 1))
        }
        path.close()
        _ = bindings.popLast()
    }
}
