package import ViewportGeometry

/// Changes of what an XMP sidecar states about its photo.
///
/// A property is changed where it stands, in its form; a new one goes into a description of its own, with the
/// indentation and line breaks of the sidecar. Everything else, such as the edits of a raw developer, stays as it is, byte
/// for byte, in the encoding of the sidecar. Where it has a text in several languages, the default changes, and those
/// that are equal to it, as Adobe's programs do it; other languages stay. Lists in which other programs repeat
/// the keywords follow.
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
    /// - Throws: `SidecarFault` if the existing sidecar cannot be read to its end, or cannot be edited.
    package func applied(to packet: [UInt8]?) throws(SidecarFault) -> [UInt8] {
        let changed = changed
        var names = Set(changed.map(\.name))
        if keywords != .keep { names.formUnion(XMPEditor.keywordLists) }
        if rating != .keep { names.insert(XMPEditor.pickLabel) }
        if label != .keep { names.insert(XMPEditor.colorLabel) }
        var editor = try XMPEditor(packet ?? Array(Self.empty.utf8), of: names)
        for (name, value) in changed { try editor.change(name, value) }
        switch keywords {
        case .keep: break
        case .remove: try editor.setKeywords(nil)
        case .set(let words): try editor.setKeywords(words)
        }
        if case .set(let rating) = rating { editor.setPickLabel(rating) }
        switch label {
        case .keep: break
        case .remove: editor.setColorLabel(nil)
        case .set(let label): editor.setColorLabel(label)
        }
        return editor.edited
    }

    /// A packet of XMP that states nothing.
    static let empty = """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/">
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
         </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end="w"?>

        """

    /// The properties to change except for the keywords, with their new values; nil removes one.
    private var changed: [(name: String, value: XMPChange)] {
        var properties: [(name: String, value: XMPChange)] = []
        func add<Value>(_ change: Change<Value>, _ names: [String], _ values: (Value) -> [String: String]) {
            switch change {
            case .keep: break
            case .remove: properties += names.map { ($0, .text(nil)) }
            case .set(let value):
                let values = values(value)
                properties += names.map { ($0, .text(values[$0])) }
            }
        }
        func add(_ change: Change<String>, ofAnyLanguage name: String) {
            switch change {
            case .keep: break
            case .remove: properties.append((name, .anyLanguage(nil)))
            case .set(let text): properties.append((name, .anyLanguage(text)))
            }
        }
        // Programs read either of the two.
        let dates = ["exif:DateTimeOriginal", "photoshop:DateCreated"]
        add(date, dates) { date in
            Dictionary(uniqueKeysWithValues: dates.map { ($0, date.textOfXMP) })
        }
        add(
            location,
            [
                "exif:GPSLatitude", "exif:GPSLongitude", "exif:GPSAltitude", "exif:GPSAltitudeRef",
                "exif:GPSHPositioningError", "exif:GPSLatitudeRef", "exif:GPSLongitudeRef", "exif:GPSStatus",
            ]
        ) { $0.propertiesOfXMP }
        add(title, ofAnyLanguage: "dc:title")
        add(caption, ofAnyLanguage: "dc:description")
        add(rating, ["xmp:Rating"]) { ["xmp:Rating": "\($0)"] }
        add(label, ["xmp:Label"]) { ["xmp:Label": $0] }
        add(orientation, ["tiff:Orientation"]) { ["tiff:Orientation": "\($0.rawValue)"] }
        return properties
    }
}

extension CaptureDate {
    /// "2014-05-25T10:00:00.25+02:00", or "2014-05-25" without a time.
    fileprivate var textOfXMP: String { storedText + (hasTime ? offset?.description ?? "" : "") }
}

extension Location {
    fileprivate var propertiesOfXMP: [String: String] {
        var properties: [String: String] = [
            "exif:GPSLatitude": Self.coordinate(latitude, "N", "S"),
            "exif:GPSLongitude": Self.coordinate(longitude, "E", "W"),
        ]
        if let altitude, altitude.magnitude < 1e9 {
            properties["exif:GPSAltitude"] = "\(Int((altitude.magnitude * 1000).rounded()))/1000"
            properties["exif:GPSAltitudeRef"] = altitude < 0 ? "1" : "0"
        }
        // Without it, 0, 0 is no position.
        if isUnset(status: nil) { properties["exif:GPSStatus"] = "A" }
        if let accuracy, (0..<1e9).contains(accuracy) {
            properties["exif:GPSHPositioningError"] = "\(Int((accuracy * 1000).rounded()))/1000"
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
