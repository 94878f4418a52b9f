internal import Basics
internal import Containers
internal import ViewportGeometry

/// The properties of an XMP packet that photographs have.
///
/// Simple values and arrays of them, of the namespaces below, directly in a description; deeper values, such as names
/// of faces, are ignored. Namespaces are recognized by their URIs: writers choose the prefixes. Source: ISO 16684-1
/// (XMP), sections 7 and C.
package struct XMPPacket {
    /// The properties by namespace and name, such as "exif:DateTimeOriginal".
    private var values: [String: [String]] = [:]
    /// The texts for readers of all languages.
    private var defaults: [String: String] = [:]

    static let namespaces = [
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
        "http://ns.adobe.com/exif/1.0/": "exif",
        "http://ns.adobe.com/exif/1.0/aux/": "aux",
        "http://cipa.jp/exif/1.0/": "exifEX",
        "http://ns.adobe.com/tiff/1.0/": "tiff",
        "http://ns.adobe.com/xap/1.0/": "xmp",
        "http://ns.adobe.com/xap/1.0/rights/": "xmpRights",
        "http://ns.adobe.com/xmp/note/": "xmpNote",
        "http://creativecommons.org/ns#": "cc",
        "http://ns.adobe.com/photoshop/1.0/": "photoshop",
        "http://purl.org/dc/elements/1.1/": "dc",
        "http://ns.google.com/photos/1.0/camera/": "GCamera",
        "http://ns.google.com/photos/1.0/panorama/": "GPano",
        "http://ns.google.com/photos/1.0/container/": "Container",
        "http://ns.google.com/photos/1.0/container/item/": "Item",
        "http://ns.adobe.com/hdr-gain-map/1.0/": "hdrgm",
        "http://ns.apple.com/pixeldatainfo/1.0/": "apdi",
        "http://ns.apple.com/HDRGainMap/1.0/": "HDRGainMap",
        "http://ns.adobe.com/lightroom/1.0/": "lr",
        "http://www.digikam.org/ns/1.0/": "digiKam",
        "http://darktable.sf.net/": "darktable",
        "http://ns.microsoft.com/photo/1.0/": "MicrosoftPhoto",
        "http://ns.iview-media.com/mediapro/1.0/": "mediapro",
        "http://ns.acdsee.com/iptc/1.0/": "acdsee",
        "http://ns.acdsee.com/regions/": "acdsee-rs",
        "http://www.metadataworkinggroup.com/schemas/regions/": "mwg-rs",
        "http://ns.adobe.com/xmp/sType/Area#": "stArea",
        "http://ns.adobe.com/xap/1.0/sType/Dimensions#": "stDim",
        "http://ns.microsoft.com/photo/1.2/": "MP",
        "http://ns.microsoft.com/photo/1.2/t/RegionInfo#": "MPRI",
        "http://ns.microsoft.com/photo/1.2/t/Region#": "MPReg",
        "http://iptc.org/std/Iptc4xmpExt/2008-02-29/": "Iptc4xmpExt",
        "http://ns.adobe.com/camera-raw-settings/1.0/": "crs",
        "http://ns.google.com/photos/1.0/focus/": "GFocus",
        "http://ns.google.com/photos/1.0/depthmap/": "GDepth",
        "http://ns.google.com/photos/1.0/image/": "GImage",
    ]

    /// The attributes of each picture or film in a file of several, such as "Item:Length".
    private(set) var items: [[String: String]] = []
    private static let mostItems = 64

    /// Whether keywords are stated, even if there are none.
    private(set) var statesKeywords = false
    private var hasRDF = false

    /// Reads a packet up to the first byte that is not XML.
    init(_ bytes: FileBytes) {
        var reader = XMLReader(count: bytes.count) { bytes.extracting($0).array }
        try? read(&reader)
    }

    /// Reads a sidecar, which has to be a whole packet.
    init(_ text: SidecarText) throws(SidecarFault) {
        var reader = XMLReader(text.utf8)
        do throws(XMLSyntaxError) { try read(&reader) } catch { throw text.fault(error) }
        guard hasRDF else { throw .notXMP }
    }

    private mutating func read(_ reader: inout XMLReader) throws(XMLSyntaxError) {
        var path = XMPPath()
        while let token = try reader.next() {
            switch token {
            case .open(let name, let attributes, let isEmpty):
                path.open(name, attributes)
                hasRDF = hasRDF || path.resolved == "rdf:RDF"
                statesKeywords = statesKeywords || path.isPropertyElement && path.resolved == "dc:subject"
                if path.resolved == "Container:Item", items.count < Self.mostItems {
                    let pairs = attributes.compactMap { attribute in
                        path.resolve(attribute.name).map { ($0, attribute.value) }
                    }
                    items.append(Dictionary(pairs) { first, _ in first })
                }
                if path.isDescription {
                    for attribute in attributes {
                        if let property = path.resolve(attribute.name) { add(attribute.value, to: property) }
                    }
                }
                if isEmpty { path.close() }
            case .text(let text):
                if let property = path.property { add(text, to: property, isDefault: path.isOfAnyLanguage) }
            case .close:
                path.close()
            }
        }
        if !path.isEmpty { throw XMLSyntaxError(offset: reader.offset) }
    }

    /// The value of a property: of a text in several languages the default, otherwise the first.
    func first(_ name: String) -> String? { defaults[name] ?? values[name]?.first }

    /// All values of a property.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    private mutating func add(_ value: String, to property: String, isDefault: Bool = false) {
        guard !value.isEmpty else { return }
        values[property, default: []].append(value)
        if isDefault { defaults[property] = defaults[property] ?? value }
    }

    /// Returns a keyword in the form in which keywords are compared: in one line, without white space around it.
    package static func keyword(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            scalar.value < 0x20 || scalar.value == 0x7F || !scalar.isInXML ? " " : scalar
        }
        var word = scalars.drop { $0 == " " }
        while word.last == " " { word.removeLast() }
        return String(String.UnicodeScalarView(word))
    }
}

extension XMPPacket {
    /// Returns a packet without the properties that announce a gain map and other pictures in the file.
    package static func withoutGainMap(_ packet: [UInt8]) -> [UInt8] {
        guard packet.firstIndex(of: "http://ns.adobe.com/hdr-gain-map/1.0/") != nil else { return packet }
        return leavingOut(of: packet) { $0.hasPrefix("hdrgm:") || $0 == "Container:Directory" }
    }

    /// Returns a packet without the name of a color profile.
    package static func withoutProfileName(_ packet: [UInt8]) -> [UInt8] {
        guard packet.firstIndex(of: "ICCProfile") != nil else { return packet }
        return leavingOut(of: packet) { $0 == "photoshop:ICCProfile" || $0 == "exif:Gamma" }
    }

    /// Returns a packet without some of its elements and attributes.
    ///
    /// - Parameter isLeftOut: receives names with the usual prefixes.
    static func leavingOut(of packet: [UInt8], _ isLeftOut: (String) -> Bool) -> [UInt8] {
        var reader = XMLReader(packet)
        var path = XMPPath()
        var result: [UInt8] = []
        // The element that is left out, by the number of open elements around it.
        var skipped: Int?
        var depth = 0
        var start = 0
        while let token = try? reader.next() {
            let bytes = packet[start..<reader.offset]
            start = reader.offset
            switch token {
            case .open(let name, let attributes, let isEmpty):
                path.open(name, attributes)
                func isOut(_ name: String?) -> Bool { name.map(isLeftOut) ?? false }
                if skipped == nil, isOut(path.resolved) { skipped = depth }
                let kept = attributes.filter { !isOut(path.resolve($0.name)) }
                if skipped == nil {
                    result += kept.count == attributes.count ? bytes : tag(name, kept, isEmpty)[...]
                }
                depth += 1
                if isEmpty {
                    path.close()
                    depth -= 1
                    if skipped == depth { skipped = nil }
                }
            case .text:
                if skipped == nil { result += bytes }
            case .close:
                path.close()
                depth -= 1
                if skipped == nil { result += bytes }
                if skipped == depth { skipped = nil }
            }
        }
        // What follows the root element is no XML, or its closing processing instruction.
        return result + packet[start...]
    }

    private static func tag(_ name: String, _ attributes: [XMLReader.Attribute], _ isEmpty: Bool) -> [UInt8] {
        let texts = attributes.map { attribute in
            let value = Markup.escaped(attribute.value, in: .double)
            return " \(attribute.name)=\"\(value)\""
        }
        return Array("<\(name)\(texts.joined())\(isEmpty ? "/" : "")>".utf8)
    }
}

extension FileMetadata {
    /// Adds the values of the XMP packet of the file, which EXIF overrides.
    mutating func add(_ packet: XMPPacket) {
        offer(packet, [.xmpDateTimeOriginal, .xmpDateCreated, .xmpCreateDate, .xmpDateTimeDigitized])
        offer(packet.gpsDate)
        readPosition(packet, .xmp)
        make = make ?? packet.first("tiff:Make")
        model = model ?? packet.first("tiff:Model")
        lens = lens ?? packet.lens
        software = software ?? packet.first("xmp:CreatorTool")
        isScreenshot = isScreenshot || packet.first("exif:UserComment") == "Screenshot"
        burstIdentifier = burstIdentifier ?? packet.first("GCamera:BurstID")
        announcesFilm = announcesFilm || packet.announcesFilm
        panorama = panorama ?? PanoramaTags(packet)
        // Titles, descriptions and keywords of XMP override all others.
        title = packet.first("dc:title") ?? title
        caption = packet.first("dc:description") ?? caption
        keywords = packet.keywords.isEmpty ? keywords : packet.keywords
        rating = packet.rating ?? rating
        label = packet.label ?? label
        readRights(packet)
    }

    /// Reads the sidecar, which overrides the file.
    mutating func readSidecar(_ packet: XMPPacket) {
        offer(
            packet,
            [.sidecarDateTimeOriginal, .sidecarDateCreated, .sidecarCreateDate, .sidecarDateTimeDigitized])
        readPosition(packet, .sidecar)
        title = packet.first("dc:title") ?? title
        caption = packet.first("dc:description") ?? caption
        // An empty list takes the file's keywords away.
        keywords = packet.keywords.isEmpty && !packet.statesKeywords ? keywords : packet.keywords
        rating = packet.rating ?? rating
        label = packet.label ?? label
        readRights(packet)
        if kind == .photo, let orientation = packet.orientation {
            sidecarTurn = self.orientation.inverse.followed(by: orientation)
            self.orientation = orientation
        }
    }

    private mutating func readRights(_ packet: XMPPacket) {
        rights = packet.first("dc:rights") ?? rights
        credit = packet.first("photoshop:Credit") ?? credit
        license = packet.first("cc:license") ?? packet.first("xmpRights:WebStatement") ?? license
    }

    private mutating func offer(_ packet: XMPPacket, _ sources: [DateSource]) {
        let names = [
            "exif:DateTimeOriginal", "photoshop:DateCreated", "xmp:CreateDate", "exif:DateTimeDigitized",
        ]
        for (name, source) in zip(names, sources) {
            offer(CaptureDate(packet.first(name), source: source))
        }
    }
}

extension XMPPacket {
    fileprivate var announcesFilm: Bool {
        ["GCamera:MotionPhoto", "GCamera:MicroVideo", "GCamera:MicroVideoOffset"].contains {
            first($0) != nil
        }
            || items.contains { $0["Item:Semantic"] == "MotionPhoto" }
    }

    fileprivate var lens: String? { first("exifEX:LensModel") ?? first("aux:Lens") }

    /// The plain keywords; without them the last names of the hierarchical ones, "Places|Paris" or "Places/Paris".
    var keywords: [String] {
        let paths = all("lr:hierarchicalSubject").map { $0.split(separator: "|") }
        let plain = all("dc:subject")
        guard plain.isEmpty, !statesKeywords else {
            // darktable notes its own work in tags of its own.
            let ofUser = Set(paths.filter { $0.first != "darktable" }.joined())
            let ofProgram = Set(paths.filter { $0.first == "darktable" }.joined()).subtracting(ofUser)
            return Self.keywords(plain.filter { !ofProgram.contains($0[...]) })
        }
        let hierarchical = paths.filter { $0.first != "darktable" }.compactMap(\.last)
        let ofDigiKam = all("digiKam:TagsList").compactMap { $0.split(separator: "/").last }
        return Self.keywords((hierarchical.isEmpty ? ofDigiKam : hierarchical).map(String.init))
    }

    private static func keywords(_ texts: [String]) -> [String] {
        texts.map(keyword).filter { !$0.isEmpty }
    }

    fileprivate var rating: Int? {
        // digiKam rejects beside the rating.
        if first("digiKam:PickLabel") == "1" { return -1 }
        for name in ["xmp:Rating", "acdsee:rating"] {
            if let stars = first(name).flatMap({ Double($0) }), (-1...5).contains(stars) { return Int(stars) }
        }
        return first("MicrosoftPhoto:Rating").flatMap { Int($0) }.flatMap(RatingPercent.stars)
    }

    /// The color label by its English name, as Lightroom writes it.
    fileprivate var label: String? {
        if let label = first("xmp:Label") { return label }
        let colors = ["Red", "Yellow", "Green", "Blue", "Purple"]
        if let number = first("darktable:colorlabels").flatMap({ Int($0) }), colors.indices.contains(number) {
            return colors[number]
        }
        guard let number = first("digiKam:ColorLabel").flatMap({ Int($0) }) else { return nil }
        return ColorLabel.name(ofDigiKam: number)
    }

    var orientation: Orientation? {
        first("tiff:Orientation").flatMap { Int($0) }.flatMap { Orientation(rawValue: $0) }
    }

    /// In XMP, the time stamp includes the day.
    fileprivate var gpsDate: CaptureDate? {
        guard var date = CaptureDate(first("exif:GPSTimeStamp"), source: .gpsDateTime), date.hasTime else {
            return nil
        }
        if date.offset == nil {
            date.offset = .utc
            date.zoneSource = .definition
        }
        return date
    }
}
