import PhotoCatalog
import Testing

@Suite("A library's folder")
struct LibraryFolderTests {
    @Test("is hidden")
    func hidden() { #expect(LibraryFolder.name.hasPrefix(".")) }
}
