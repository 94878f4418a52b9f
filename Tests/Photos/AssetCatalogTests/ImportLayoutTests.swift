import Files
import ImageMetadata
import PhotoCatalog
import TestLibraries
import Testing

@testable import AssetCatalog

@Suite("A layout")
struct ImportLayoutTests {
    static func base(
        _ template: String, dated: Bool = true, make: String? = "Nikon", original: String = "IMG_1"
    )
        throws -> String
    {
        let clock = try clock("2014-05-25T09:08:07")
        let date = dated ? CaptureDate(local: clock, source: .dateTimeOriginal) : nil
        return try ImportLayout(template).base(
            for: ImportLayout.Subject(
                date: date, make: make, model: nil, original: original, fileExtension: "jpg")
        ).text
    }

    @Test(
        "is expanded to a path",
        arguments: [
            ("{year}/{year}-{month}-{day}/{name}", "2014/2014-05-25/IMG_1"),
            ("{make}/{model}/{hour}{minute}{second} {original}", "Nikon/unknown/090807 IMG_1"),
            ("{ext}/{original}.{ext}", "jpg/IMG_1"), ("all/{original}", "all/IMG_1"),
        ])
    func fields(_ template: String, _ path: String) throws {
        #expect(try Self.base(template) == path)
    }

    @Test("uses the folder for undated files only if it contains a date")
    func undated() throws {
        #expect(try Self.base("{year}/{name}", dated: false) == "undated/IMG_1")
        #expect(try Self.base("{make}/{name}", dated: false) == "Nikon/IMG_1")
    }

    @Test(
        "lets no name leave its folder or be hidden",
        arguments: ["../../etc/x", ".hidden", "a/b", "", "  ", "a\nb"])
    func hostile(_ name: String) throws {
        let path = try Self.base("x/{make}/{name}", make: name, original: name)
        #expect(path.split(separator: "/").count == 3)
        #expect(!path.split(separator: "/").contains { $0.hasPrefix(".") } && !path.contains("\n"))
    }

    @Test(
        "that leaves the library or has unknown fields is an error",
        arguments: ["", "/a", "../a", "a//b", "{x}", "{year", ".a/b"])
    func refused(_ template: String) {
        #expect(throws: LibraryError.self) { try ImportLayout(template) }
    }
}
