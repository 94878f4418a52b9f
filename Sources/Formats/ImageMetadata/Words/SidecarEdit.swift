internal import Basics
package import ViewportGeometry

/// An XMP sidecar cannot be edited.
package enum SidecarEditError: Error, Equatable, Sendable {
    /// The file is not an XMP packet in UTF-8; the byte at which reading ended.
    case notXMP(offset: Int)
}

/// Changes of what an XMP sidecar states about its photo.
///
/// All other properties, such as the edits of a raw developer, stay as they are, byte for byte.
package struct SidecarEdit: Equatable, Sendable {
    /// What becomes of a property.
    package enum Change<Value: Equatable & Sendable>: Equatable, Sendable {
        case keep
        case remove
        case set(Value)
    }

    /// The date of capture, in the camera's time.
    package var date = Change<CaptureDate>.keep
    /// The location of capture.
    package var location = Change<Location>.keep
    package var title = Change<String>.keep
    package var caption = Change<String>.keep
    package var keywords = Change<[String]>.keep
    /// -1 (rejected) to 5.
    package var rating = Change<Int>.keep
    /// A color label, such as "Red".
    package var label = Change<String>.keep
    /// The orientation of the stored pixels.
    package var orientation = Change<Orientation>.keep

    package init() {}

    /// Whether nothing changes.
    package var isEmpty: Bool { self == Self() }

    /// Returns a sidecar with the changes.
    ///
    /// - Parameter packet: The bytes of the existing sidecar; nil makes a new one.
    /// - Throws: `SidecarEditError` if the existing sidecar cannot be read to its end.
    package func applied(to packet: [UInt8]?) throws(SidecarEditError) -> [UInt8] {
        try XMPSplice(packet ?? Array(Self.empty.utf8), without: Set(changed.map(\.name)))
            .inserting(changed.compactMap { property in property.value.map { (property.name, $0) } })
    }

    private static let empty = """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/">
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
         </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end="w"?>

        """

    /// The properties to replace, with their new values; nil removes one.
    private var changed: [(name: String, value: XMPValue?)] {
        var properties: [(name: String, value: XMPValue?)] = []
        func add<Value>(_ change: Change<Value>, _ names: [String], _ values: (Value) -> [String: XMPValue]) {
            switch change {
            case .keep: break
            case .remove: properties += names.map { ($0, nil) }
            case .set(let value):
                let values = values(value)
                properties += names.map { ($0, values[$0]) }
            }
        }
        // Programs read either of the two.
        let dates = ["exif:DateTimeOriginal", "photoshop:DateCreated"]
        add(date, dates) { date in
            Dictionary(uniqueKeysWithValues: dates.map { ($0, .text(date.textOfXMP)) })
        }
        add(
            location,
            [
                "exif:GPSLatitude", "exif:GPSLongitude", "exif:GPSAltitude", "exif:GPSAltitudeRef",
                "exif:GPSHPositioningError",
            ]
        ) { $0.propertiesOfXMP }
        add(title, ["dc:title"]) { ["dc:title": .anyLanguage($0)] }
        add(caption, ["dc:description"]) { ["dc:description": .anyLanguage($0)] }
        add(keywords, ["dc:subject"]) { ["dc:subject": .bag($0)] }
        add(rating, ["xmp:Rating"]) { ["xmp:Rating": .text("\($0)")] }
        add(label, ["xmp:Label"]) { ["xmp:Label": .text($0)] }
        add(orientation, ["tiff:Orientation"]) { ["tiff:Orientation": .text("\($0.rawValue)")] }
        return properties
    }
}

/// A value of a property.
private enum XMPValue {
    case text(String)
    /// A text in the default language.
    case anyLanguage(String)
    /// Values without an order.
    case bag([String])

    /// The content of the property's element.
    var xml: String {
        switch self {
        case .text(let text): Self.escaped(text)
        case .anyLanguage(let text):
            "<rdf:Alt><rdf:li xml:lang=\"x-default\">\(Self.escaped(text))</rdf:li></rdf:Alt>"
        case .bag(let values):
            "<rdf:Bag>\(values.map { "<rdf:li>\(Self.escaped($0))</rdf:li>" }.joined())</rdf:Bag>"
        }
    }

    /// Characters that XML does not allow become spaces.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\r": "&#xD;"
            case "\t", "\n": String(scalar)
            case _ where scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE: " "
            default: String(scalar)
            }
        }.joined()
    }
}

/// A packet with places that are cut out, and one at which properties are inserted.
private struct XMPSplice {
    private let packet: [UInt8]
    private var cuts: [Range<Int>] = []
    /// The place for a description, and what encloses it there.
    private var insertion: (range: Range<Int>, before: String, after: String)?
    /// The URI of the picture, as it is written; usually empty.
    private var about = ""

    /// Cuts properties of the picture out of a packet.
    init(_ packet: [UInt8], without names: Set<String>) throws(SidecarEditError) {
        self.packet = packet
        var reader = XMLReader(packet)
        var path = XMPPath()
        /// The start of the property that is cut out, and the number of elements around it.
        var property: (start: Int, depth: Int)?
        var description = Description()
        var depth = 0
        var space = 0..<0
        do throws(XMLSyntaxError) {
            while let token = try reader.next() {
                // The white space before a tag goes with it.
                let start = space.upperBound == reader.start ? space.lowerBound : reader.start
                switch token {
                case .text(let text): if text.isEmpty { space = reader.start..<reader.offset }
                case .open(let name, let attributes, let isEmpty):
                    path.open(name, attributes.compactMap(XMPPacket.binding))
                    if path.isDescription {
                        description = Description(start: start)
                        read(attributes, path, names, &description)
                    } else if path.isPropertyElement {
                        if property == nil, path.resolved.map(names.contains) == true {
                            property = (start, depth)
                            description.hasLost = true
                        } else {
                            description.isNeeded = true
                        }
                    }
                    if isEmpty {
                        if path.resolved == "rdf:RDF", insertion == nil {
                            insertion = ((reader.offset - 2)..<reader.offset, ">", "</\(name)>")
                        }
                        close(&path, depth, reader.offset, &property, &description)
                    } else {
                        depth += 1
                    }
                case .close:
                    depth -= 1
                    if path.resolved == "rdf:RDF", insertion == nil { insertion = (start..<start, "", "") }
                    close(&path, depth, reader.offset, &property, &description)
                }
            }
        } catch {
            throw .notXMP(offset: error.offset)
        }
        guard path.isEmpty, insertion != nil else { throw .notXMP(offset: reader.offset) }
    }

    /// What is known of the open description.
    private struct Description {
        var start = 0
        /// Whether it states something that stays.
        var isNeeded = false
        /// Whether something was cut out of it.
        var hasLost = false
    }

    private mutating func read(
        _ attributes: [XMLReader.Attribute], _ path: XMPPath, _ names: Set<String>,
        _ description: inout Description
    ) {
        for attribute in attributes {
            if path.resolve(attribute.name) == "rdf:about" {
                // As it is written, with its entities.
                let text = String(decoding: packet[attribute.range], as: UTF8.self)
                about = String(text.drop { $0 != "\"" && $0 != "'" }.dropFirst().dropLast())
            } else if path.resolve(attribute.name).map(names.contains) == true {
                cuts.append(attribute.range)
                description.hasLost = true
            } else if !attribute.name.hasPrefix("xmlns") {
                description.isNeeded = true
            }
        }
    }

    private mutating func close(
        _ path: inout XMPPath, _ depth: Int, _ end: Int, _ property: inout (start: Int, depth: Int)?,
        _ description: inout Description
    ) {
        if let open = property, open.depth == depth {
            cuts.append(open.start..<end)
            property = nil
        }
        if path.isDescription, description.hasLost, !description.isNeeded {
            cuts.removeAll { $0.lowerBound >= description.start }
            cuts.append(description.start..<end)
        }
        path.close()
    }

    /// Returns the packet with a description of these properties.
    func inserting(_ properties: [(name: String, value: XMPValue)]) -> [UInt8] {
        guard let insertion else { return packet }
        var result: [UInt8] = []
        var position = 0
        for cut in cuts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            result += packet[position..<cut.lowerBound]
            position = cut.upperBound
        }
        // Everything that is cut out lies before the end of rdf:RDF.
        result += packet[position..<max(position, insertion.range.lowerBound)]
        if !properties.isEmpty {
            result += (insertion.before + description(properties) + insertion.after).utf8
            result += packet[max(position, insertion.range.upperBound)...]
        } else {
            result += packet[max(position, insertion.range.lowerBound)...]
        }
        return result
    }

    private func description(_ properties: [(name: String, value: XMPValue)]) -> String {
        let used = Set(properties.map { $0.name.prefix { $0 != ":" } })
        let namespaces = XMPPacket.namespaces.filter { used.contains($0.value[...]) || $0.value == "rdf" }
            .sorted { $0.value < $1.value }.map { " xmlns:\($0.value)=\"\($0.key)\"" }.joined()
        let quote = about.contains("\"") ? "'" : "\""
        let elements = properties.map { "\n   <\($0.name)>\($0.value.xml)</\($0.name)>" }.joined()
        return "\n  <rdf:Description\(namespaces) rdf:about=\(quote)\(about)\(quote)>\(elements)\n"
            + "  </rdf:Description>"
    }
}

extension CaptureDate {
    /// "2014-05-25T10:00:00.25+02:00", or "2014-05-25" without a time.
    fileprivate var textOfXMP: String {
        hasTime ? local.description + (offset?.description ?? "") : String(local.description.prefix(10))
    }
}

extension Location {
    fileprivate var propertiesOfXMP: [String: XMPValue] {
        var properties: [String: XMPValue] = [
            "exif:GPSLatitude": .text(Self.coordinate(latitude, "N", "S")),
            "exif:GPSLongitude": .text(Self.coordinate(longitude, "E", "W")),
        ]
        if let altitude, altitude.magnitude < 1e9 {
            properties["exif:GPSAltitude"] = .text("\(Int((altitude.magnitude * 1000).rounded()))/1000")
            properties["exif:GPSAltitudeRef"] = .text(altitude < 0 ? "1" : "0")
        }
        if let accuracy, (0..<1e9).contains(accuracy) {
            properties["exif:GPSHPositioningError"] = .text("\(Int((accuracy * 1000).rounded()))/1000")
        }
        return properties
    }

    /// Degrees and minutes with seven decimals: "52,30.5000000N".
    private static func coordinate(_ degrees: Double, _ positive: String, _ negative: String) -> String {
        let unit = 10_000_000
        let total = Int((degrees.magnitude * 60 * Double(unit)).rounded())
        let decimals = "\(unit + total % unit)".dropFirst()
        return "\(total / (60 * unit)),\(total / unit % 60).\(decimals)\(degrees < 0 ? negative : positive)"
    }
}
