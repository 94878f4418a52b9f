import Basics
import Files
import Foundation
import ImageMetadata
import TestSupport
import Testing
import ViewportGeometry
import Vips

@testable import Presentation

/// Recipes of the IIIF cookbook whose structure a folder of images can have: all members of the recipe are in our manifest.
///
/// The recipes about sound and video on canvases (0026, 0064) have no images, and our canvases have the size of their image
/// (0004 with equal sizes).
@Suite("Recipes of the IIIF cookbook are reproduced by folders")
struct CookbookTests {
    /// A recipe: the folder, the options, and the members of the published JSON.
    ///
    /// `*` is any text or number.
    struct Recipe: CustomTestStringConvertible, Sendable {
        var number: String
        var files: [String] = ["page 1.jpg"]
        var options: @Sendable (inout ManifestOptions) -> Void = { _ in }
        var facts: @Sendable (inout ImageFacts) -> Void = { _ in }
        var json: String

        var testDescription: String { number }
    }

    /// The canvas that all recipes have: an image painted on it.
    private static let canvas = """
        {"id": "*", "type": "Canvas", "height": 60, "width": 40, "items": [{"id": "*", "type": "AnnotationPage", "items": [
        {"id": "*", "type": "Annotation", "motivation": "painting", "body": {"id": "*", "type": "Image",
        "format": "image/jpeg", "height": 60, "width": 40}, "target": "*"}]}]}
        """
    private static let service = """
        {"body": {"id": "*", "service": [{"id": "*", "profile": "level2", "type": "ImageService3"}]}}
        """
    private static let context = "http://iiif.io/api/presentation/3/context.json"

    private static func manifest(_ members: String) -> String {
        #"{"@context": "\#(context)", "id": "*", "type": "Manifest", \#(members)}"#
    }

    static let recipes: [Recipe] = [
        Recipe(
            number: "0001 simplest manifest of an image",
            json: manifest(#""label": {"none": ["book"]}, "items": [\#(canvas)]"#)),
        Recipe(
            number: "0004 canvas and image of one size",
            json: manifest(#""items": [{"height": 60, "width": 40, "type": "Canvas"}]"#)),
        Recipe(
            number: "0005 image service",
            json: manifest(#""items": [{"items": [{"items": [\#(service)]}]}]"#)),
        Recipe(
            number: "0006 language of texts", options: { $0.language = "fr" },
            facts: {
                $0.title = "Le titre"
                $0.caption = "Un résumé"
            },
            json: manifest(
                #""items": [{"label": {"fr": ["Le titre"]}, "summary": {"fr": ["Un résumé"]}}]"#)),
        Recipe(
            number: "0007 metadata, rights and required statement",
            options: {
                $0.rights = "http://creativecommons.org/licenses/by-sa/3.0/"
                $0.attribution = "<span>Archive</span>"
            }, facts: { $0.camera = "X100V" },
            json: manifest(
                """
                "rights": "http://creativecommons.org/licenses/by-sa/3.0/", "requiredStatement": {"label": {"en": ["Attribution"]},
                "value": {"none": ["<span>Archive</span>"]}},
                "items": [{"metadata": [{"label": {"en": ["Camera"]}, "value": {"none": ["X100V"]}}]}]
                """)),
        Recipe(
            number: "0009 a book", files: ["page 10.jpg", "page 2.jpg", "page 1.jpg"],
            options: { $0.behavior = .paged },
            json: manifest(
                """
                "behavior": ["paged"], "items": [{"label": {"none": ["page 1.jpg"]}}, {"label": {"none": ["page 2.jpg"]}},
                {"label": {"none": ["page 10.jpg"]}}]
                """)),
        Recipe(
            number: "0010 viewing direction", options: { $0.direction = .rightToLeft },
            json: manifest(#""viewingDirection": "right-to-left", "items": [\#(canvas)]"#)),
        Recipe(
            number: "0024 table of contents",
            files: ["cover.jpg", "one/a.jpg", "one/deep/b.jpg", "two/c.jpg"],
            json: manifest(
                """
                "structures": [{"id": "*", "type": "Range", "label": {"none": ["one"]}, "items": [
                {"id": "https://example.org/manifest.json/canvas/one%2Fa.jpg", "type": "Canvas"},
                {"id": "*", "type": "Range", "label": {"none": ["deep"]}, "items": [{"id": "*", "type": "Canvas"}]}]},
                {"id": "*", "type": "Range", "label": {"none": ["two"]}, "items": [{"id": "*", "type": "Canvas"}]}]
                """)),
        Recipe(
            number: "0117 thumbnail",
            json: manifest(
                """
                "items": [{"thumbnail": [{"id": "*", "type": "Image", "format": "image/jpeg", "height": 60, "width": 40,
                "service": [{"id": "*", "profile": "level2", "type": "ImageService3"}]}]}]
                """)),
        Recipe(
            number: "0154 a position", options: { $0.metadata = .all },
            facts: { $0.location = Location(latitude: 35.683, longitude: 139.753, source: .exif) },
            json: """
                {"@context": ["http://iiif.io/api/extension/navplace/context.json", "\(context)"], "type": "Manifest",
                "items": [{"navPlace": {"id": "*", "type": "FeatureCollection", "features": [{"id": "*", "type": "Feature",
                "properties": {"label": {"none": ["page 1.jpg"]}},
                "geometry": {"type": "Point", "coordinates": [139.753, 35.683]}}]}}]}
                """),
        Recipe(
            number: "0230 a date", facts: { $0.date = CaptureDate(edited: "1987-01-01T00:00:00") },
            json: manifest(#""items": [{"navDate": "1987-01-01T00:00:00Z"}]"#)),
    ]

    @Test("the manifest of a folder has every member", arguments: recipes)
    func reproduced(_ recipe: Recipe) throws {
        let folder = try TemporaryFolder()
        for file in recipe.files {
            let url = folder.url.appendingPathComponent("book/\(file)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try TestImages.photo(width: 40, height: 60).save(url.path, with: "jpegsave")
        }
        let images = try FolderImages(of: folder.path("book"), isRecursive: true)
        let id = "https://example.org/manifest.json"
        func canvas(_ name: String) -> String { "\(id)/canvas/\(PercentCoding.encode(name))" }
        var options = ManifestOptions()
        recipe.options(&options)
        var manifest = options.manifest(id: id, name: "book")
        manifest.ranges = images.ranges({ "\(id)/range/\($0)" }, canvases: { [canvas($0)] })
        let canvases = try images.all.map { name in
            var facts = try ImageFacts(of: folder.path("book/\(name)"))
            recipe.facts(&facts)
            return options.canvas(facts, identifier: name, base: "https://example.org", id: canvas(name))
        }
        let ours = try JSONValue(parsing: manifest.text(canvases))
        #expect(Self.missing(try JSONValue(parsing: recipe.json), in: ours) == [])
        // The comparison finds what is missing.
        #expect(
            Self.missing(try JSONValue(parsing: #"{"type": "Collection", "none": 1}"#), in: ours).count == 2)
    }

    @Test("0030: the volumes of a large folder are parts of one work")
    func volumes() throws {
        let id = "https://example.org/collection.json"
        var collection = PresentationCollection(
            id: id, ManifestOptions().description(name: "Work"),
            items: (1...2).map {
                .init("https://example.org/\($0)", isCollection: false, label: ManifestText("Volume \($0)"))
            })
        collection.isOneWork = true
        let recipe = """
            {"@context": "\(Self.context)", "id": "*", "type": "Collection", "label": {"none": ["Work"]},
            "behavior": ["multi-part"], "items": [{"id": "*", "type": "Manifest", "label": {"none": ["Volume 1"]}},
            {"id": "*", "type": "Manifest", "label": {"none": ["Volume 2"]}}]}
            """
        let ours = try JSONValue(parsing: collection.text)
        #expect(Self.missing(try JSONValue(parsing: recipe), in: ours) == [])
    }

    /// The members and entries of a recipe that ours lacks, or has with other values.
    private static func missing(_ recipe: JSONValue, in ours: JSONValue?, at path: String = "") -> [String] {
        guard let ours else { return [path] }
        if recipe.string == "*" { return ours.string?.isEmpty == false || ours.int != nil ? [] : [path] }
        if let list = recipe.array {
            guard let entries = ours.array, entries.count >= list.count else { return [path] }
            return list.indices.flatMap { missing(list[$0], in: entries[$0], at: "\(path)/\($0)") }
        }
        if let members = recipe.members {
            return members.flatMap { missing($0.value, in: ours[$0.name], at: "\(path)/\($0.name)") }
        }
        return recipe == ours ? [] : [path]
    }
}
