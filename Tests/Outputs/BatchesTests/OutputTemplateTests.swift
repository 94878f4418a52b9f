import Basics
import Testing
import Thumbnails

@testable import Batches

@Suite("A template for outputs")
struct OutputTemplateTests {
    static func path(_ template: String, of path: String, id: String? = nil, size: String = "256") throws
        -> String?
    {
        let recipe = ThumbnailRecipe(sizes: [try ThumbnailSize(size)])
        let template = try OutputTemplate(template)
        let root = BatchRoot()
        let item = BatchItem(
            line: 1, id: id.map { .string($0) }, path: path, file: path, relativePath: root.relative(path))
        do throws(BatchFailure) {
            return try TemplateStore(template, recipe).outputs(of: item).first
        } catch {
            return nil
        }
    }

    @Test(
        "is filled in",
        arguments: [
            ("out/{dir}/{stem}-{size}.jpg", "a/b/c.tar.gz", "out/a/b/c.tar-256.jpg"),
            ("out/{dir}/{stem}-{size}.jpg", "c.png", "out/c-256.jpg"),
            ("{name}.jpg", "a/c.png", "c.png.jpg"),
            ("{stem}.{ext}.jpg", "plain", "plain..jpg"),
            ("{stem}|{ext}", ".hidden", ".hidden|"),
            ("/out/{dir}{name}", "a/c.png", "/out/ac.png"),
            ("{width}x{height}.jpg", "c.png", "256x256.jpg"),
            ("../{name}", "c.png", "../c.png"),
            ("o//{name}", "./a//../c.png", "o/c.png"),
        ])
    func filling(_ template: String, _ path: String, _ expected: String) throws {
        #expect(try Self.path(template, of: path) == expected)
    }

    @Test(
        "never leaves its folder",
        arguments: [
            ("out/{dir}/{name}", "../../etc/passwd", nil, "out/etc/passwd"),
            ("out/{dir}/{name}", "/etc/passwd", nil, "out/etc/passwd"),
            ("out/{dir}/{name}", "a/../../b.png", nil, "out/b.png"),
            ("out/{stem}/{size}.jpg", "...jpg", nil, "out/256.jpg"),
            ("out/{id}.jpg", "a.png", "../../x", "out/x.jpg"),
            ("out/{id}/a.jpg", "a.png", "/etc", "out/etc/a.jpg"),
            ("{dir}/{name}", "/etc/passwd", nil, "etc/passwd"),
        ])
    func escaping(_ template: String, _ path: String, _ id: String?, _ expected: String) throws {
        #expect(try Self.path(template, of: path, id: id) == expected)
    }

    @Test("has no path if the name is empty")
    func nothing() throws {
        #expect(try Self.path("out/{id}", of: "a.png", id: "..") == nil)
    }

    @Test("is refused with the reason", arguments: ["out/", "{what}.jpg", "{stem", ""])
    func syntax(_ template: String) {
        #expect(throws: InvalidText.self) { try OutputTemplate(template) }
    }

    @Test(
        "has the common folder of all outputs",
        arguments: [
            ("thumbs/{dir}/{name}", "thumbs"), ("/a/b/{name}", "/a/b"), ("{dir}/x/{name}", ""),
            ("{name}", ""),
            ("a/b{id}/{name}", "a"),
        ])
    func folder(_ template: String, _ expected: String) throws {
        #expect(try OutputTemplate(template).folder == expected)
    }
}
