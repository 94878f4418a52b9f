import Basics
import Containers
import Files
import ImageMetadata
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering

@testable import PictureEncoding

@Suite("Metadata of a file is the same in the catalog, in reports and in copies")
struct OneReaderTests {
    /// What is stated of the parts of metadata.
    private struct Facts: Equatable {
        var make: String?
        var date: String?
        var rating: Int?
        var keywords: [String]

        init(_ metadata: FileMetadata?) {
            make = metadata?.make
            date = metadata?.date?.description
            rating = metadata?.rating
            keywords = metadata?.keywords ?? []
        }

        init(_ parts: Set<MetadataKind.Part>) {
            make = parts.contains(.exif) ? MetadataKind.make : nil
            date = parts.contains(.exif) ? MetadataKind.date : nil
            rating = parts.contains(.xmp) ? MetadataKind.rating : nil
            keywords = parts.contains(.iptc) ? [MetadataKind.keyword] : []
        }
    }

    /// The parts that a format can hold.
    private static func holds(_ format: PictureFormat) -> Set<MetadataKind.Part> {
        switch format {
        case .jpg, .png, .tif: [.exif, .xmp, .iptc]
        case .webp, .avif: [.exif, .xmp]
        case .gif, .jp2: []
        }
    }

    private static func whole(_ file: ImageFile) -> Viewport {
        let size = file.uprightSize
        return Viewport(
            imageRect: Rect(x: 0, y: 0, width: Double(size.width), height: Double(size.height)), scale: 1)
    }

    @Test("wherever programs write it", arguments: MetadataKind.all)
    func kinds(_ kind: MetadataKind) throws {
        let bytes = try kind.file()
        let expected = Facts(kind.has)
        let inCatalog = try #require(FileMetadata(of: bytes))
        #expect(Facts(inCatalog) == expected)
        #expect(inCatalog.format == kind.format)
        // libvips does not trust its loader, which is allowed for a whole process only.
        guard kind.format != .jp2 else { return }
        let file = try ImageFile(bytes: bytes)
        #expect(Facts(file.metadata(.all)) == expected)
        #expect(file.exif?.make == expected.make)
        #expect(inCatalog.uprightSize == file.uprightSize)
        let report = JSONValue.object(file.report())
        #expect(report["make"]?.string == expected.make)
        #expect(report["dateSource"]?.string == inCatalog.date?.source.rawValue)

        let viewport = Self.whole(file)
        let picture = try ViewportRenderer().renderSynchronously(viewport, of: file).picture
        for format in PictureFormat.installed {
            let (copy, leftOut) = try PictureEncoder(format).encodeSynchronously(
                picture, withWritingOf: file, showing: viewport.imageRect)
            let held = kind.has.intersection(Self.holds(format))
            #expect(Set(leftOut) == Set(kind.has.subtracting(held).map { "\($0)".uppercased() }), "\(format)")
            let read = try #require(FileMetadata(of: copy))
            #expect(Facts(read) == Facts(held), "\(format)")
            #expect(read.uprightSize?.width == picture.size.width, "\(format)")
            guard format != .jp2 else { continue }
            let opened = try ImageFile(bytes: copy)
            #expect(Facts(opened.metadata(.all)) == Facts(held) && opened.fileOrientation == .up, "\(format)")
        }
    }

    @Test("in at least sixty kinds of files")
    func count() { #expect(MetadataKind.all.count >= 60) }

    @Test("as a lossless crop has it", arguments: MetadataKind.jpegs)
    func lossless(_ kind: MetadataKind) throws {
        let file = try ImageFile(bytes: kind.file())
        let crop = try LosslessCrop(PixelRect(x: 0, y: 0, width: 16, height: 16), of: file)
        #expect(Facts(FileMetadata(of: crop.jpeg)) == Facts(kind.has))
        var segments = JPEGSegments(crop.jpeg)
        var blocks = 0
        while let segment = try segments.next(), !segment.endsHeader {
            if segment.marker == 0xE1, crop.jpeg[segment.body].starts(with: "Exif".utf8) { blocks += 1 }
        }
        #expect(blocks == (kind.has.contains(.exif) || file.orientation != .up ? 1 : 0))
    }

    @Test(
        "also after the way from JPEG to PNG and back",
        arguments: MetadataKind.jpegs)
    func way(_ kind: MetadataKind) throws {
        var bytes = try kind.file()
        for format in [PictureFormat.png, .jpg, .tif, .jpg] {
            let file = try ImageFile(bytes: bytes)
            let viewport = Self.whole(file)
            let picture = try ViewportRenderer().renderSynchronously(viewport, of: file).picture
            let copy = try PictureEncoder(format).encodeSynchronously(
                picture, withWritingOf: file, showing: viewport.imageRect)
            #expect(copy.leftOut == [])
            bytes = copy.file
            #expect(Facts(FileMetadata(of: bytes)) == Facts(kind.has), "\(format)")
        }
    }
}
