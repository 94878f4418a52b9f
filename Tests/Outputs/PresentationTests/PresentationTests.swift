import Basics
import Containers
import Files
import Foundation
import ImageReading
import TestSupport
import Testing
import ViewportGeometry
import Vips

@testable import Presentation

@Suite("IIIF Presentation 3.0")
struct PresentationTests {
    private static let base = "https://example.org/images"

    private static func facts(_ width: Int = 1200, _ height: Int = 1800) -> ImageFacts {
        ImageFacts(size: PixelSize(width: width, height: height))
    }

    private static func json(_ options: ManifestOptions, _ facts: ImageFacts) throws -> JSONValue {
        let id = "\(base)/presentation/manifest.json"
        let canvas = options.canvas(
            facts, identifier: "book/page 1.jpg", base: base, id: "\(id)/canvas/1")
        return try JSONValue(parsing: options.manifest(id: id, name: "book").text([canvas]))
    }

    @Test("a canvas has its image with services of both versions, as recipe 0005 of the cookbook")
    func services() throws {
        let json = try Self.json(ManifestOptions(), Self.facts())
        #expect(json["@context"]?.string == "http://iiif.io/api/presentation/3/context.json")
        #expect(json["type"]?.string == "Manifest")
        #expect(json["label"]?["none"]?.array == [.string("book")])
        let canvas = try #require(json["items"]?.array?.first)
        #expect(canvas["width"]?.int == 1200 && canvas["height"]?.int == 1800)
        let annotation = try #require(canvas["items"]?.array?.first?["items"]?.array?.first)
        #expect(annotation["motivation"]?.string == "painting")
        #expect(annotation["target"] == canvas["id"])
        let body = try #require(annotation["body"])
        let name = "book%2Fpage%201.jpg"
        #expect(body["id"]?.string == "\(Self.base)/iiif/3/\(name)/full/max/0/default.jpg")
        #expect(body["format"]?.string == "image/jpeg")
        let services = try #require(body["service"]?.array)
        #expect(services[0]["id"]?.string == "\(Self.base)/iiif/3/\(name)")
        #expect(services[0]["type"]?.string == "ImageService3" && services[0]["profile"]?.string == "level2")
        #expect(services[1]["@id"]?.string == "\(Self.base)/iiif/2/\(name)")
        #expect(services[1]["@type"]?.string == "ImageService2")
        // Recipe 0117.
        let thumbnail = try #require(canvas["thumbnail"]?.array?.first)
        #expect(thumbnail["id"]?.string == "\(Self.base)/iiif/3/\(name)/full/267,400/0/default.jpg")
        #expect(thumbnail["width"]?.int == 267 && thumbnail["height"]?.int == 400)
    }

    @Test(
        "thumbnails have at least a pixel, and never more than the image",
        arguments: [
            (1, 1, "max", 1, 1), (400, 400, "max", 400, 400), (100_000, 3, "400,1", 400, 1),
            (401, 401, "400,400", 400, 400),
        ])
    func thumbnails(_ width: Int, _ height: Int, _ size: String, _ w: Int, _ h: Int) throws {
        let json = try Self.json(ManifestOptions(), Self.facts(width, height))
        let thumbnail = try #require(json["items"]?.array?.first?["thumbnail"]?.array?.first)
        #expect(thumbnail["id"]?.string?.hasSuffix("/full/\(size)/0/default.jpg") == true)
        #expect(thumbnail["width"]?.int == w && thumbnail["height"]?.int == h)
    }

    @Test("options set title, rights, attribution, behavior and direction, as recipes 0007, 0009 and 0010")
    func options() throws {
        var options = ManifestOptions()
        options.title = "Book"
        options.attribution = "<b>Archive</b>"
        options.rights = "http://creativecommons.org/licenses/by/4.0/"
        options.behavior = .paged
        options.direction = .rightToLeft
        let json = try Self.json(options, Self.facts())
        #expect(json["label"]?["none"]?.array == [.string("Book")])
        #expect(json["behavior"]?.array == [.string("paged")])
        #expect(json["viewingDirection"]?.string == "right-to-left")
        #expect(json["rights"]?.string == "http://creativecommons.org/licenses/by/4.0/")
        let statement = try #require(json["requiredStatement"])
        #expect(statement["label"]?["en"]?.array == [.string("Attribution")])
        #expect(statement["value"]?["none"]?.array == [.string("<b>Archive</b>")])
    }

    @Test(
        "metadata of files is stated as asked, positions only with all",
        arguments: ManifestOptions.Metadata.allCases)
    func metadata(_ metadata: ManifestOptions.Metadata) throws {
        let folder = try TemporaryFolder()
        let photo = TinyPhoto.jpeg(date: "2014:05:25 10:00:00", width: 400, height: 300)
        let path = folder.path("a.jpg")
        try Data(TinyPhoto.located(photo, north: [48, 30, 0], east: [2, 15, 0])).write(
            to: URL(fileURLWithPath: path))
        var options = ManifestOptions()
        options.metadata = metadata
        options.language = "de"
        var facts = try ImageFacts(of: path)
        facts.title = "Hütte"
        facts.caption = "<kein HTML>"
        facts.keywords = ["Alm", "See"]
        facts.rights = "© A"
        let text = "\(try Self.json(options, facts))"
        let canvas = try #require(try Self.json(options, facts)["items"]?.array?.first)
        #expect((canvas["navPlace"] != nil) == (metadata == .all))
        #expect(text.contains("48.5") == (metadata == .all))
        #expect(text.contains("navplace") == (metadata == .all))
        if metadata == .none {
            #expect(canvas["navDate"] == nil && canvas["metadata"] == nil && canvas["summary"] == nil)
            #expect(canvas["label"]?["none"]?.array == [.string("page 1.jpg")])
            #expect(!text.contains("Hütte") && !text.contains("© A"))
        } else {
            // Recipes 0006 and 0230; what looks like HTML is text.
            #expect(canvas["label"]?["de"]?.array == [.string("Hütte")])
            #expect(canvas["summary"]?["de"]?.array == [.string(" <kein HTML>")])
            #expect(canvas["navDate"]?.string == "2014-05-25T10:00:00Z")
            #expect(canvas["requiredStatement"]?["value"]?["de"]?.array == [.string("© A")])
            #expect(text.contains(#""value":{"de":["Alm","See"]}"#))
        }
        if metadata == .all {
            // Recipe 0154: longitude first.
            let feature = try #require(canvas["navPlace"]?["features"]?.array?.first)
            #expect(feature["geometry"]?["type"]?.string == "Point")
            #expect(feature["geometry"]?["coordinates"] == .numbers(2.25, 48.5))
        }
    }

    @Test(
        "only licenses that the specification allows are rights",
        arguments: [
            ("https://creativecommons.org/licenses/by/4.0/", "http://creativecommons.org/licenses/by/4.0/"),
            ("http://rightsstatements.org/vocab/InC/1.0/", "http://rightsstatements.org/vocab/InC/1.0/"),
            ("https://example.org/license", nil), ("http://creativecommons.org/ x", nil), ("", nil),
        ])
    func licenses(_ text: String, _ uri: String?) {
        #expect(ImageFacts.license(text) == uri)
    }

    @Test(
        "facts have the size that the reader of the image states",
        arguments: ["jpg", "png", "webp", "tif", "gif"])
    func sizes(_ format: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.\(format)")
        let saver = ["jpg": "jpegsave", "tif": "tiffsave"][format] ?? "\(format)save"
        try TestImages.photo(width: 70, height: 50).save(path, with: saver)
        #expect(try ImageFacts(of: path).size == ImageFile.open(path).uprightSize)
        let turned = folder.path("turned.jpg")
        try TestImages.photo(width: 70, height: 50).save(turned, oriented: .left)
        #expect(try ImageFacts(of: turned).size == PixelSize(width: 50, height: 70))
        try Data("no image".utf8).write(to: URL(fileURLWithPath: folder.path("b.\(format)")))
        #expect(throws: (any Error).self) { try ImageFacts(of: folder.path("b.\(format)")) }
    }

    @Test("rights, credit and license of XMP are stated")
    func rights() throws {
        let folder = try TemporaryFolder()
        let packet = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/"
            xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:Credit="Archive"
            xmpRights:WebStatement="https://creativecommons.org/licenses/by/4.0/">
            <dc:rights xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Alt><rdf:li xml:lang="x-default">© A</rdf:li>
            </rdf:Alt></dc:rights></rdf:Description></rdf:RDF></x:xmpmeta>
            """
        let start = JPEGSegment.startOfImage
        let segment = JPEGSegment.bytes(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet.utf8)
        let path = folder.path("a.jpg")
        try Data(start + segment + TinyPhoto.jpeg().dropFirst(start.count)).write(
            to: URL(fileURLWithPath: path))
        let facts = try ImageFacts(of: path)
        #expect(facts.rights == "© A" && facts.credit == "Archive")
        #expect(facts.license == "http://creativecommons.org/licenses/by/4.0/")
    }

    @Test("names are sorted as people count")
    func order() {
        let sorted = ["1.jpg", "2.jpg", "010.jpg", "a", "A1", "a2", "a10", "a10b", "ä"]
        #expect(NaturalOrder.sorted(sorted.reversed()) == sorted)
        #expect(NaturalOrder.sorted(["a01", "a1", "a001"]) == ["a001", "a01", "a1"])
        #expect(
            NaturalOrder.sorted(["99999999999999999999999", "100000000000000000000000", ""])
                == ["", "99999999999999999999999", "100000000000000000000000"])
    }

    @Test("folders below are ranges, as recipe 0024, without hidden files and links that lead out")
    func ranges() throws {
        let folder = try TemporaryFolder()
        for path in ["p10.jpg", "p2.jpg", "one/a.jpg", "one/deep/b.jpg", ".hidden/c.jpg", "empty/x.txt"] {
            let url = folder.url.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: url)
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("out.jpg"), withDestinationPath: "/etc/hostname")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("q.jpg"), withDestinationPath: "p2.jpg")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("r.jpg"), withDestinationPath: ".hidden/c.jpg")
        let images = try FolderImages(of: folder.url.path, isRecursive: true)
        #expect(images.all == ["p2.jpg", "p10.jpg", "q.jpg", "one/a.jpg", "one/deep/b.jpg"])
        #expect(
            try FolderImages(of: folder.url.path, isRecursive: false).all == ["p2.jpg", "p10.jpg", "q.jpg"])
        var manifest = ManifestOptions().manifest(id: "https://example.org/m", name: "m")
        manifest.ranges = images.ranges {
            "r/\($0)"
        } canvases: {
            $0 == "one/a.jpg" ? [] : ["c/\($0)"]
        }
        let json = try JSONValue(parsing: manifest.text([]))
        let one = try #require(json["structures"]?.array?.first)
        #expect(one["id"]?.string == "r/one" && json["structures"]?.array?.count == 1)
        let deep = try #require(one["items"]?.array?.first)
        #expect(deep["type"]?.string == "Range" && deep["label"]?["none"]?.array == [.string("deep")])
        #expect(deep["items"]?.array?.first?["id"]?.string == "c/one/deep/b.jpg")
    }

    @Test("a collection lists manifests and collections, as recipe 0030")
    func collection() throws {
        var collection = PresentationCollection(
            id: "https://example.org/c", Description(ManifestText("Volumes")),
            items: [
                .init("https://example.org/1", isCollection: false, label: ManifestText("I")),
                .init("https://example.org/2", isCollection: true, label: ManifestText("II")),
            ])
        collection.isOneWork = true
        let json = try JSONValue(parsing: collection.text)
        #expect(json["type"]?.string == "Collection")
        #expect(json["behavior"]?.array == [.string("multi-part")])
        #expect(json["items"]?.array?.map { $0["type"]?.string } == ["Manifest", "Collection"])
    }
}
