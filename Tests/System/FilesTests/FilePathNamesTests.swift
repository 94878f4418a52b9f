import Files
import TestSupport
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

    @Test("are equal, and ordered, by their bytes")
    func order() {
        var random = SplitMix64(seed: 7)
        let parts = ["a", "b", "é", "e\u{301}", "/", "~", "\u{F7FF}", "a name of more than fifteen bytes"]
        func text() -> String {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in parts.randomElement(using: &random)! }
                .joined()
        }
        for _ in 0..<2000 {
            let (a, b) = (text(), text())
            #expect((FilePath(a) == FilePath(b)) == a.utf8.elementsEqual(b.utf8), "\(a) \(b)")
            #expect((FilePath(a) < FilePath(b)) == a.utf8.lexicographicallyPrecedes(b.utf8), "\(a) \(b)")
        }
    }
}
