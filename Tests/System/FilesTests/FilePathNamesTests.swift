import Files
import Testing

@Suite("The names of a path")
struct FilePathNamesTests {
    @Test(
        "have an ending, which is replaced by bytes",
        arguments: [
            ("a/b.jpg", ".jpg", "a/b.jpg.xmp", "a/c"), ("b", "", "b.xmp", "c"), ("/b.", ".", "/b..xmp", "/c"),
            (".b", "", ".b.xmp", "c"),
            ("a.b/\u{301}c.\u{301}d", ".\u{301}d", "a.b/\u{301}c.\u{301}d.xmp", "a.b/c"),
        ])
    func endings(_ path: String, _ ending: String, _ longer: String, _ renamed: String) {
        let path = FilePath(path)
        #expect(path.ending.utf8.elementsEqual(ending.utf8))
        #expect(path.withoutExtension.adding(path.ending) == path)
        #expect(path.adding(".xmp") == FilePath(longer) && path.renamed("c") == FilePath(renamed))
    }
}
