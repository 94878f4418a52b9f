internal import Containers
internal import Files
internal import ImageMetadata
internal import ImageReading
internal import Pictures
internal import ViewportGeometry

/// Whether EXIF, XMP and IPTC of a file are copied to a picture that is made from it.
public enum MetadataChoice: String, CaseIterable, Codable, Sendable {
    /// Copies all of it, adapted to the new picture.
    case all
    /// Copies nothing.
    case none
}

/// EXIF, XMP and IPTC of a file, adapted to a picture that is made from it.
struct PictureMetadata {
    private(set) var exif: [UInt8]?
    private(set) var xmp: [UInt8]?
    private(set) var iptc: [UInt8]?
    /// The resolution of the picture, if known.
    private(set) var resolution: Resolution?
    /// All segments of a JPEG, for another JPEG.
    private var segments: [JPEGFile.Segment] = []

    /// - Throws: `RenderingError` where the file cannot be read: metadata that was asked for is not left out in silence.
    init(of file: ImageFile, _ change: PictureChange) throws(RenderingError) {
        let blocks = try file.metadataBlocks()
        exif = blocks.exif.flatMap(change.exif)
        xmp = blocks.xmp.flatMap(change.xmp)
        iptc = blocks.iptc
        resolution = change.resolution
        // A segment has at most 64 kB, so all of them lie in the first bytes.
        guard file.format == .jpeg, file.rawPreview == nil else { return }
        var all: JPEGFile
        do throws(FileError) {
            all = JPEGFile(head: try file.opened.prefix(1 << 23))
        } catch {
            throw RenderingError(error, file: file.path)
        }
        all.describe(change)
        segments = all.segments.filter { $0.isExif || $0.isXMP || $0.isPhotoshop }
    }

    /// Blocks that were made for a picture.
    init(exif: [UInt8]?, xmp: [UInt8]?) {
        (self.exif, self.xmp) = (exif, xmp)
    }

    /// XMP and IPTC by libvips' names, as its saver of TIFF expects them.
    var blobs: [String: [UInt8]] {
        var blobs: [String: [UInt8]] = [:]
        blobs["xmp-data"] = xmp
        // libvips 8.14 writes a quarter of it to TIFF: it confuses words with bytes.
        blobs["iptc-data"] = iptc.map { $0 + [UInt8](repeating: 0, count: 3 * $0.count) }
        return blobs
    }

    /// Returns the file with the metadata, and the names of the blocks that it cannot hold.
    func added(to file: [UInt8], _ format: PictureFormat) -> (file: [UInt8], leftOut: [String]) {
        switch format {
        case .jpg: jpeg(file)
        case .png: (png(file), [])
        case .jp2: (StatedResolution.jp2(file, resolution), names(exif, xmp, iptc))
        case .webp: (webp(file), iptc == nil ? [] : ["IPTC"])
        case .avif: avif(file)
        case .tif, .gif: (file, names(exif, xmp, iptc))
        }
    }

    /// The names of blocks that there are.
    private func names(_ exif: [UInt8]?, _ xmp: [UInt8]?, _ iptc: [UInt8]?) -> [String] {
        [("EXIF", exif), ("XMP", xmp), ("IPTC", iptc)].compactMap { $1 == nil ? nil : $0 }
    }

    private func avif(_ file: [UInt8]) -> (file: [UInt8], leftOut: [String]) {
        guard exif != nil || xmp != nil else { return (file, names(nil, nil, iptc)) }
        guard let copy = HEIFCopy.of(file, exif: exif, xmp: xmp) else {
            return (file, names(exif, xmp, iptc))
        }
        return (copy, names(nil, nil, iptc))
    }

    private func jpeg(_ file: [UInt8]) -> (file: [UInt8], leftOut: [String]) {
        var added = segments
        if added.isEmpty {
            if let exif { added.append(.init(exif: exif)) }
            if let xmp { added += JPEGFile.Segment.xmp(xmp) }
            if let iptc { added.append(.init(photoshop: PhotoshopResources.resources(record: iptc))) }
        }
        let tooLong = added.filter { $0.body.count > JPEGSegment.longestBody }
        var result = JPEGFile(file)
        // libvips adds an EXIF block of its own where it writes a profile.
        result.segments.removeAll(where: \.isExif)
        result.insert(added.filter { $0.body.count <= JPEGSegment.longestBody })
        result.state(resolution)
        return (result.bytes, tooLong.map { $0.isExif ? "EXIF" : $0.isXMP ? "XMP" : "IPTC" })
    }

    private func png(_ file: [UInt8]) -> [UInt8] {
        var chunks = resolution.map { PNGChunk.bytes("pHYs", $0.png) } ?? []
        if let exif { chunks += PNGChunk.bytes("eXIf", exif) }
        if let xmp {
            chunks += PNGChunk.bytes("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + xmp)
        }
        if let iptc {
            // ImageMagick's form, which other programs read too: PNG defines none.
            let digits = iptc.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            let lines = stride(from: 0, to: digits.count, by: 36).map {
                digits[$0..<min($0 + 36, digits.count)].joined() + "\n"
            }
            let text = "\niptc\n\(iptc.count)\n" + lines.joined()
            chunks += PNGChunk.bytes("tEXt", Array("Raw profile type iptc".utf8) + [0] + Array(text.utf8))
        }
        // After the header, whose length is fixed.
        return file[..<PNGChunk.headerEnd] + chunks + file[PNGChunk.headerEnd...]
    }

    private func webp(_ file: [UInt8]) -> [UInt8] {
        guard exif != nil || xmp != nil else { return file }
        var result = WebPFile(WebPFile.extended(file))
        if let exif { result = result.adding("EXIF", exif, flag: 0b1000) }
        if let xmp { result = result.adding("XMP ", xmp, flag: 0b100) }
        return result.bytes
    }
}
