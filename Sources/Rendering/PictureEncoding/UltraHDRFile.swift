internal import Basics
internal import Containers
internal import ImageMetadata

/// Joins a JPEG and its gain map to one file: the two JPEGs one after the other, which refer to each other.
///
/// The picture announces the map in XMP and lists both in an index of pictures; the map has its numbers in XMP and in
/// the segment of ISO 21496-1. Source: Ultra HDR Image Format 1.1; CIPA DC-007; ISO 21496-1, annex C.
struct UltraHDRFile {
    /// The bytes of the file.
    let bytes: [UInt8]

    /// - Parameters:
    ///   - picture: a JPEG, whose XMP is completed.
    ///   - map: the JPEG of the map.
    init(picture: [UInt8], map: [UInt8], _ values: GainMapValues) {
        var second = JPEGFile(map)
        Self.complete(&second, values)
        self.init(picture: picture, mapFile: second.bytes, isAnnounced: true)
    }

    /// Adds the numbers of a map to its JPEG, in the forms that it lacks.
    static func complete(_ map: inout JPEGFile, _ values: GainMapValues) {
        var missing: [JPEGFile.Segment] = []
        if !map.segments.contains(where: \.isXMP) { missing.append(xmp(values.description)) }
        if !map.segments.contains(where: \.isOfMorePictures) { missing.append(iso(values.isoMetadata)) }
        map.insert(missing)
    }

    /// - Parameters:
    ///   - mapFile: a JPEG that has the numbers of the map.
    ///   - isAnnounced: whether the picture announces the map as one of Ultra HDR; otherwise it only lists it.
    init(picture: [UInt8], mapFile: [UInt8], isAnnounced: Bool) {
        var first = JPEGFile(picture)
        first.segments.removeAll { $0.isOfMorePictures }
        var added = [Self.index(pictureBytes: 0, position: 0, mapBytes: 0)]
        if isAnnounced {
            let own = first.segments.firstIndex(where: \.isXMP).map { first.segments.remove(at: $0).body }
            added =
                [Self.xmp(Self.announcement(of: mapFile.count), in: own), Self.iso([0, 0, 0, 0])] + added
        }
        // After EXIF, which precedes all others.
        let place = first.segments.prefix { $0.marker == 0xE0 || $0.isExif }.count
        first.segments.insert(contentsOf: added, at: place)
        // The index has the lengths and positions that follow from its own.
        let count = first.bytes.count
        let last = place + added.count - 1
        let base = 2 + first.segments[..<last].reduce(0) { $0 + $1.body.count + 4 } + 8
        first.segments[last] = Self.index(
            pictureBytes: count, position: count - base, mapBytes: mapFile.count)
        bytes = first.bytes + mapFile
    }

    /// The segment that lists both pictures; positions count from its byte-order mark.
    ///
    /// Source: CIPA DC-007, 5.2.
    private static func index(pictureBytes: Int, position: Int, mapBytes: Int) -> JPEGFile.Segment {
        var entries = ByteWriter(.big)
        // The primary picture is a baseline JPEG; the type of the other one is not defined.
        for entry in [(0x0003_0000, pictureBytes, 0), (0, mapBytes, position)] {
            for value in [entry.0, entry.1, entry.2, 0] { entries.append(value, size: 4) }
        }
        // Version, number of pictures, and their entries.
        let block = TIFFWriter(.big).block([
            TIFFValue(tag: 0xB000, type: 7, count: 4, bytes: Array("0100".utf8)),
            TIFFValue(tag: 0xB001, type: 4, [2], .big),
            TIFFValue(tag: 0xB002, type: 7, count: 32, bytes: entries.bytes),
        ])
        return .init(marker: 0xE2, body: Array("MPF\0".utf8) + block)
    }

    private static func iso(_ metadata: [UInt8]) -> JPEGFile.Segment {
        .init(marker: 0xE2, body: Array(GainMapValues.isoName.utf8) + metadata)
    }

    /// Returns a segment with a description, in an existing packet if there is one that has room for it.
    private static func xmp(_ description: String, in body: [UInt8]? = nil) -> JPEGFile.Segment {
        let end = Array("</rdf:RDF>".utf8)
        if let body, let place = body.firstIndex(of: "</rdf:RDF>"),
            body.count + description.utf8.count <= JPEGSegment.longestBody
        {
            return .init(
                marker: 0xE1, body: body[..<place] + Array(description.utf8) + body[place...])
        }
        let start = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            """
        return .init(
            marker: 0xE1,
            body: Array(JPEGWords.packetName.utf8) + Array((start + description).utf8) + end
                + Array("</x:xmpmeta>".utf8))
    }

    /// The description of the picture: its gain map follows it.
    private static func announcement(of mapBytes: Int) -> String {
        """
        <rdf:Description rdf:about="" xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" \
        xmlns:Container="http://ns.google.com/photos/1.0/container/" \
        xmlns:Item="http://ns.google.com/photos/1.0/container/item/" hdrgm:Version="1.0">\
        <Container:Directory><rdf:Seq>\
        <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="\(FileType.jpeg.mediaType)"/></rdf:li>\
        <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="\(FileType.jpeg.mediaType)" \
        Item:Length="\(mapBytes)"/></rdf:li></rdf:Seq></Container:Directory></rdf:Description>
        """
    }
}

extension GainMapValues {
    /// The numbers as a description of XMP.
    fileprivate var description: String {
        let channels = [
            ("GainMapMin", minimum), ("GainMapMax", maximum), ("Gamma", gamma), ("OffsetSDR", baseOffset),
            ("OffsetHDR", alternateOffset),
        ]
        let equal = channels.filter { Self.isUniform($0.1) }.map { " hdrgm:\($0.0)=\"\(Self.text($0.1.x))\"" }
        let lists = channels.filter { !Self.isUniform($0.1) }.map { name, values in
            let items = (0..<3).map { "<rdf:li>\(Self.text(values[$0]))</rdf:li>" }.joined()
            return "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
        }
        return """
            <rdf:Description rdf:about="" xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"\
            \(equal.joined()) hdrgm:HDRCapacityMin="\(Self.text(baseHeadroom))" \
            hdrgm:HDRCapacityMax="\(Self.text(alternateHeadroom))" hdrgm:BaseRenditionIsHDR="False">\
            \(lists.joined())</rdf:Description>
            """
    }

    private static func isUniform(_ values: SIMD3<Double>) -> Bool {
        values == SIMD3(repeating: values.x)
    }

    /// A number as XMP writes it: decimal, with six digits after the point, or fewer.
    private static func text(_ value: Double) -> String {
        let millionths = Int((abs(value) * 1e6).rounded())
        let digits = String("\(1_000_000 + millionths % 1_000_000)".dropFirst())
        let fraction = digits.reversed().drop { $0 == "0" }.reversed()
        let sign = value < 0 && millionths > 0 ? "-" : ""
        return sign + "\(millionths / 1_000_000)" + (fraction.isEmpty ? "" : "." + String(fraction))
    }

    /// The numbers in the binary form of ISO 21496-1.
    fileprivate var isoMetadata: [UInt8] {
        // The versions that readers need, and of the writer.
        var writer = ByteWriter(.big, [0, 0, 0, 0])
        let channels = [minimum, maximum, gamma, baseOffset, alternateOffset]
        let count = channels.allSatisfy(Self.isUniform) ? 1 : 3
        writer.append((count == 3 ? 0x80 : 0) | (usesBaseColorSpace ? 0x40 : 0), size: 1)
        for headroom in [baseHeadroom, alternateHeadroom] { Self.append(headroom, to: &writer) }
        for channel in 0..<count {
            for values in channels { Self.append(values[channel], to: &writer) }
        }
        return writer.bytes
    }

    /// Appends a fraction of 32-bit numbers; values are at most 1024.
    private static func append(_ value: Double, to writer: inout ByteWriter) {
        let denominator = 1 << 20
        writer.append(Int32((value * Double(denominator)).rounded()))
        writer.append(UInt32(denominator))
    }
}
