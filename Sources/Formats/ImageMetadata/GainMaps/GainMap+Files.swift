package import Basics
package import Containers

extension GainMap {
    /// Finds the gain map of a JPEG or HEIC file; nil where it has none.
    ///
    /// Reads only the headers of the file and of the pictures that they refer to.
    package init?(_ bytes: FileBytes) {
        switch FileType(bytes) {
        case .jpeg?: self.init(jpeg: bytes)
        case .heif?, .avif?: self.init(heif: bytes)
        default: return nil
        }
    }

    private init?(jpeg bytes: FileBytes) {
        let main = JPEGSummary(bytes)
        // Most files end here.
        guard main.pictures != nil || main.packet?.first("hdrgm:Version") != nil else { return nil }
        let note = main.exif.flatMap { bytes.slice($0) }.flatMap(Exif.init)?.apple
        var lost: (range: Range<Int>, defect: String)?
        for range in Self.candidates(main, in: bytes) {
            guard let part = bytes.slice(range) else {
                let there = max(0, bytes.count - range.lowerBound)
                lost = lost ?? (range, "it is cut off after \(there) of \(range.count) bytes")
                continue
            }
            // The headers of maps are short; those of hostile pictures could be read again and again.
            let head = part.extracting(0..<min(part.count, 1 << 20))
            if let map = Self(JPEGSummary(head), at: range, note) {
                self = map
                return
            }
        }
        // Only a file that announces a map has lost one: other pictures may be missing, too.
        guard let lost, main.packet?.first("hdrgm:Version") != nil else { return nil }
        self.init(
            kind: .ultraHDR, size: nil, values: nil, place: .jpeg(lost.range),
            defect: lost.defect)
    }

    /// Creates the map of a JPEG that is a gain map; nil for other pictures.
    private init?(_ jpeg: JPEGSummary, at range: Range<Int>, _ note: AppleMakerNote?) {
        guard let frame = jpeg.frame, frame.isPicture else { return nil }
        let stated = jpeg.packet.flatMap(GainMapValues.init(_:))
        let iso = jpeg.iso.flatMap(GainMapValues.init(iso:))
        let kind: Kind
        if jpeg.packet?.first("hdrgm:Version") != nil {
            kind = .ultraHDR
        } else if jpeg.iso != nil {
            kind = .iso
        } else if jpeg.packet?.first("apdi:AuxiliaryImageType") == Self.appleType {
            kind = .apple
        } else {
            return nil
        }
        let values = kind == .apple ? GainMapValues(apple: jpeg.packet, note) : iso ?? stated
        self.init(
            kind: kind, size: frame.size, values: values, place: .jpeg(range),
            defect: values == nil ? Self.defect(kind) : nil)
    }

    private init?(heif bytes: FileBytes) {
        guard let items = HEIFItems(bytes), let primary = items.primary,
            let item = items.items(referring: "auxl", to: primary).first(where: {
                $0.auxiliaryType == Self.appleType
            })
        else { return nil }
        let note = items.exif(in: bytes).flatMap { bytes.slice($0) }.flatMap(Exif.init)?.apple
        // Texts of other programs may describe the map, too.
        let packets = items.items(referring: "cdsc", to: item.id).filter {
            $0.contentType == "application/rdf+xml" && $0.data.count == 1
        }
        let packet = packets.first.flatMap { bytes.slice($0.data[0]) }.flatMap { XMPPacket($0) }
        let values = GainMapValues(apple: packet, note)
        self.init(
            kind: .apple, size: item.storedSize, values: values,
            place: .item(item.id), defect: values == nil ? Self.defect(.apple) : nil)
    }

    private static func defect(_ kind: Kind) -> String {
        switch kind {
        case .apple: "its headroom is neither in XMP nor in the maker note, tags 33 and 48"
        case .ultraHDR: "its XMP lacks GainMapMax or HDRCapacityMax, or has invalid numbers"
        case .iso: "its metadata of ISO 21496-1 is damaged"
        }
    }

    /// Apple's name of the map.
    private static let appleType = "urn:com:apple:photo:2020:aux:hdrgainmap"

    /// The ranges of the file in which other pictures are, according to the index of pictures, then to XMP.
    private static func candidates(_ main: JPEGSummary, in bytes: FileBytes) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        if let block = main.pictures { ranges = MultiPictureIndex(block, in: bytes)?.others ?? [] }
        // XMP states lengths: the last picture ends with the file.
        var end = bytes.count
        for item in (main.packet?.items ?? []).reversed() {
            guard let length = item["Item:Length"].flatMap({ Int($0) }), length > 0, length < end else {
                break
            }
            let range = (end - length)..<end
            if item["Item:Semantic"] == "GainMap", !ranges.contains(range) { ranges.append(range) }
            // Neither number is trusted: sums of larger ones overflow.
            end -= length + min(end, max(0, item["Item:Padding"].flatMap { Int($0) } ?? 0))
        }
        return ranges
    }
}

/// The segments of a JPEG that describe its picture and refer to others, up to its compressed data.
struct JPEGSummary {
    private(set) var frame: JPEGFrame?
    private(set) var packet: XMPPacket?
    /// The block of EXIF with its name.
    private(set) var exif: Range<Int>?
    /// The block of the index of pictures, from its byte-order mark on.
    private(set) var pictures: Range<Int>?
    /// The metadata of ISO 21496-1, empty in the picture that has a map.
    private(set) var iso: FileBytes?

    init(_ file: FileBytes) {
        // Large enough for all segments, also those with depths and further pictures.
        let bytes = file.extracting(0..<min(file.count, 1 << 25))
        frame = JPEGFrame(bytes)
        guard FileType(bytes) == .jpeg else { return }
        var segments = JPEGSegments(bytes)
        // What cannot be read is missing: the check of the file reports it.
        while let segment = (try? segments.next()) ?? nil, !segment.endsHeader, segment.end <= bytes.count {
            let range = segment.body
            let body = bytes.extracting(range)
            switch segment.marker {
            case 0xE1 where exif == nil && body.has("Exif\0\0"): exif = range
            case 0xE1 where packet == nil && body.has(Self.xmp):
                packet = XMPPacket(body.extracting(Self.xmp.utf8.count...))
            case 0xE2 where pictures == nil && body.has("MPF\0"):
                pictures = (range.lowerBound + 4)..<range.upperBound
            case 0xE2 where iso == nil && body.has(GainMapValues.isoName):
                iso = body.extracting(GainMapValues.isoName.utf8.count...)
            default: break
            }
        }
    }

    private static let xmp = "http://ns.adobe.com/xap/1.0/\0"
}

/// The index of the pictures in a JPEG file: "MPF" of CIPA DC-007.
package struct MultiPictureIndex {
    /// The ranges of all pictures but the first.
    package private(set) var others: [Range<Int>] = []
    /// What each of them is, by its number: 0 for no stated kind.
    private var kinds: [Int] = []
    /// The offset of the entries in the file, of 16 bytes each, and their byte order.
    package let entries: Range<Int>
    package let order: ByteOrder
    /// The offset of the byte-order mark, from which positions count.
    package let base: Int

    /// - Parameter block: The range of the block from its byte-order mark on.
    init?(_ range: Range<Int>, in bytes: FileBytes) {
        guard let part = bytes.slice(range), let block = TIFFBlock(part),
            let found = block.main?.range(0xB002),
            found.count >= 32
        else { return nil }
        (base, order) = (range.lowerBound, block.order)
        entries = (base + found.lowerBound)..<(base + found.upperBound)
        for entry in stride(from: found.lowerBound + 16, to: found.upperBound - 15, by: 16).prefix(64) {
            guard let length = part.uint32(at: entry + 4, order),
                let offset = part.uint32(at: entry + 8, order),
                length > 0, offset > 0
            else { continue }
            kinds.append((part.uint32(at: entry, order) ?? 0) & 0xFF_FFFF)
            others.append((base + offset)..<(base + offset + length))
        }
    }

    /// Returns the ranges of the pictures that show another view or moment, as stereo cameras write them.
    ///
    /// Previews, maps of gain and of depth are no views: a picture of no stated kind is one if it has the size of the first.
    package static func views(in bytes: FileBytes) -> [Range<Int>] {
        guard let block = block(in: bytes), let index = Self(block, in: bytes), let first = JPEGFrame(bytes)
        else { return [] }
        var views: [Range<Int>] = []
        for (range, kind) in zip(index.others, index.kinds) where kind == 0 || kind >> 16 == 2 {
            guard let part = bytes.slice(range) else { continue }
            let summary = JPEGSummary(part.extracting(0..<min(part.count, 1 << 20)))
            guard let frame = summary.frame, frame.isPicture, kind != 0 || frame.size == first.size,
                summary.iso == nil, summary.packet?.first("hdrgm:Version") == nil,
                summary.packet?.first("apdi:AuxiliaryImageType") == nil
            else { continue }
            views.append(range)
        }
        return views
    }

    /// Returns the range of the block in the segments of a file.
    private static func block(in bytes: FileBytes) -> Range<Int>? {
        var segments = JPEGSegments(bytes)
        while let segment = (try? segments.next()) ?? nil, !segment.endsHeader, segment.end <= bytes.count {
            if segment.marker == 0xE2, bytes.extracting(segment.body).has("MPF\0") {
                return (segment.body.lowerBound + 4)..<segment.body.upperBound
            }
        }
        return nil
    }

    /// Finds the index in a file; nil where it has none.
    package init?(_ file: FileBytes) {
        guard let range = JPEGSummary(file).pictures else { return nil }
        self.init(range, in: file)
    }
}
