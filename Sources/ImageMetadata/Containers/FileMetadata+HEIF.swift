internal import Basics
internal import ViewportGeometry

/// The items of a HEIF or AVIF file: the primary picture, its transforms and its metadata.
///
/// Source: ISO/IEC 14496-12, section 8.11; ISO/IEC 23008-12.
struct HEIFItems {
    /// The ID of the primary item.
    private var primary: Int?
    /// The four-character types by item.
    private var types: [Int: Int] = [:]
    /// The content types of items of the type "mime".
    private var mimeTypes: [Int: String] = [:]
    private var locations: [Int: Range<Int>] = [:]
    private var properties: [Box] = []
    /// The picture's indices in `properties`, in order.
    private var associations: [Int] = []

    /// The most items and properties that are read.
    private static let limit = 4096

    /// - Parameter meta: The contents of the box "meta".
    init(_ bytes: FileBytes, meta: Range<Int>) {
        let content = min(meta.lowerBound + 4, meta.upperBound)..<meta.upperBound
        var boxes = BoxList(bytes, in: content)
        var held: [Int: Range<Int>] = [:]
        while let box = boxes.next() { held[box.type] = held[box.type] ?? box.content }
        func box(_ type: String) -> Range<Int>? { held[BoxList.code(type)] }
        if let start = box("pitm")?.lowerBound {
            primary = bytes.uint8(at: start) == 0 ? bytes.uint16(at: start + 4) : bytes.uint32(at: start + 4)
        }
        if let range = box("iinf") { readTypes(bytes, range) }
        if let range = box("iloc") { readLocations(bytes, range, data: box("idat")) }
        if let range = box("iprp") { readProperties(bytes, range) }
    }

    /// The range of the EXIF block.
    func exif(in bytes: FileBytes) -> Range<Int>? {
        guard let item = types.first(where: { $0.value == BoxList.code("Exif") })?.key,
            let location = locations[item],
            let skipped = bytes.uint32(at: location.lowerBound), skipped <= location.count - 4
        else { return nil }
        return (location.lowerBound + 4 + skipped)..<location.upperBound
    }

    /// The range of the XMP packet.
    var xmp: Range<Int>? {
        mimeTypes.first { $0.value == "application/rdf+xml" }.flatMap { locations[$0.key] }
    }

    /// The size and orientation of the picture: first the clean aperture, then rotation and mirroring in order.
    func geometry(in bytes: FileBytes) -> (size: PixelSize<StoredGrid>?, orientation: Orientation) {
        var size: PixelSize<StoredGrid>?
        var orientation = Orientation.up
        for index in associations where properties.indices.contains(index - 1) {
            let property = properties[index - 1]
            let start = property.content.lowerBound
            switch property.type {
            case BoxList.code("ispe"):
                guard let width = bytes.uint32(at: start + 4), let height = bytes.uint32(at: start + 8) else {
                    continue
                }
                size = PixelSize(width: width, height: height)
            case BoxList.code("clap"):
                size = Self.cleanAperture(bytes, start) ?? size
            case BoxList.code("irot"):
                // Counter-clockwise.
                let turn = Orientation(degrees: -90 * ((bytes.uint8(at: start) ?? 0) & 3)) ?? .up
                orientation = orientation.followed(by: turn)
            case BoxList.code("imir"):
                let axis = (bytes.uint8(at: start) ?? 0) & 1
                orientation = orientation.followed(by: axis == 0 ? .downMirrored : .upMirrored)
            default: break
            }
        }
        return (size, orientation)
    }

    private static func cleanAperture(_ bytes: FileBytes, _ start: Int) -> PixelSize<StoredGrid>? {
        guard let width = bytes.uint32(at: start), let widthBelow = bytes.uint32(at: start + 4),
            widthBelow > 0,
            let height = bytes.uint32(at: start + 8), let heightBelow = bytes.uint32(at: start + 12),
            heightBelow > 0
        else { return nil }
        return PixelSize(width: width / widthBelow, height: height / heightBelow)
    }
}

extension HEIFItems {
    private mutating func readTypes(_ bytes: FileBytes, _ range: Range<Int>) {
        let head = bytes.uint8(at: range.lowerBound) == 0 ? 6 : 8
        guard range.count >= head else { return }
        var boxes = BoxList(bytes, in: (range.lowerBound + head)..<range.upperBound)
        while let entry = boxes.next(), types.count < Self.limit {
            let start = entry.content.lowerBound
            guard entry.type == BoxList.code("infe"), let version = bytes.uint8(at: start), version >= 2
            else {
                continue
            }
            let wide = version == 2 ? 2 : 4
            guard let item = bytes.unsigned(wide, at: start + 4),
                let type = bytes.uint32(at: start + 6 + wide)
            else {
                continue
            }
            types[item] = type
            guard type == BoxList.code("mime") else { continue }
            // A name, usually empty, then the content type; both end with NUL.
            let texts = bytes.slice((start + 10 + wide)..<max(start + 10 + wide, entry.content.upperBound))
            guard let texts, let end = (0..<texts.count).first(where: { texts[$0] == 0 }) else { continue }
            mimeTypes[item] = texts.extracting((end + 1)...).text
        }
    }

    private mutating func readLocations(_ bytes: FileBytes, _ range: Range<Int>, data: Range<Int>?) {
        var at = range.lowerBound
        guard let version = bytes.uint8(at: at), version <= 2, let sizes = bytes.uint16(at: at + 4) else {
            return
        }
        let (offsetSize, lengthSize) = (sizes >> 12, sizes >> 8 & 15)
        let (baseSize, indexSize) = (sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
        guard [offsetSize, lengthSize, baseSize, indexSize].allSatisfy({ $0 <= 8 }) else { return }
        let numberSize = version < 2 ? 2 : 4
        guard let count = bytes.unsigned(numberSize, at: at + 6) else { return }
        at += 6 + numberSize
        for _ in 0..<min(count, Self.limit) {
            guard let item = bytes.unsigned(numberSize, at: at) else { return }
            at += numberSize
            let method = version == 0 ? 0 : (bytes.uint16(at: at) ?? 0) & 15
            at += version == 0 ? 2 : 4
            guard let base = bytes.unsigned(baseSize, at: at), let extents = bytes.uint16(at: at + baseSize)
            else {
                return
            }
            at += baseSize + 2
            if extents == 1, let offset = bytes.unsigned(offsetSize, at: at + indexSize),
                let length = bytes.unsigned(lengthSize, at: at + indexSize + offsetSize)
            {
                locations[item] = Self.location(base, offset, length, method == 1 ? data : 0..<bytes.count)
            }
            at += extents * (indexSize + offsetSize + lengthSize)
        }
    }

    /// The range in the file; nil if it is not inside of `container`.
    ///
    /// A length of 0 extends to the end.
    private static func location(_ base: Int, _ offset: Int, _ length: Int, _ container: Range<Int>?)
        -> Range<
            Int
        >?
    {
        let (start, overflow) = base.addingReportingOverflow(offset)
        guard let container, !overflow, base >= 0, offset >= 0, start <= container.count, length >= 0,
            length <= container.count - start
        else { return nil }
        let first = container.lowerBound + start
        return length == 0 ? first..<container.upperBound : first..<(first + length)
    }

    private mutating func readProperties(_ bytes: FileBytes, _ range: Range<Int>) {
        if let container = BoxList.first("ipco", in: range, of: bytes) {
            var boxes = BoxList(bytes, in: container)
            while let box = boxes.next(), properties.count < Self.limit { properties.append(box) }
        }
        guard let start = BoxList.first("ipma", in: range, of: bytes)?.lowerBound,
            let version = bytes.uint8(at: start), let flags = bytes.uint24(at: start + 1),
            let count = bytes.uint32(at: start + 4)
        else { return }
        let (numberSize, indexSize) = (version == 0 ? 2 : 4, flags & 1 == 0 ? 1 : 2)
        var at = start + 8
        for _ in 0..<min(count, Self.limit) {
            guard let item = bytes.unsigned(numberSize, at: at), let links = bytes.uint8(at: at + numberSize)
            else {
                return
            }
            at += numberSize + 1
            if item == primary {
                let mask = indexSize == 1 ? 0x7F : 0x7FFF
                associations = (0..<links).compactMap { index in
                    bytes.unsigned(indexSize, at: at + index * indexSize).map { $0 & mask }
                }
            }
            at += links * indexSize
        }
    }
}

extension FileMetadata {
    /// Reads the items of a HEIF or AVIF file.
    ///
    /// Its rotation replaces EXIF's, so that the picture is rotated once.
    mutating func readHEIF(_ bytes: FileBytes) {
        guard let meta = BoxList.first("meta", in: 0..<bytes.count, of: bytes) else { return }
        let items = HEIFItems(bytes, meta: meta)
        if let exif = items.exif(in: bytes) { readExif(exif, in: bytes) }
        if let xmp = items.xmp, let packet = bytes.slice(xmp) { readXMP(packet) }
        let geometry = items.geometry(in: bytes)
        storedSize = geometry.size
        orientation = geometry.orientation
        // Image sequences also have a movie box.
        guard let range = BoxList.first("moov", in: 0..<bytes.count, of: bytes) else { return }
        let movie = MovieHeader(bytes, in: range)
        guard movie.samples > 1 else { return }
        frames = movie.samples
        duration = movie.duration
    }
}
