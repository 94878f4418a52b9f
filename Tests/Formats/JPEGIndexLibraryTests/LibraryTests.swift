import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("The C library of the JPEG index")
struct LibraryTests {
    @Test(
        "decodes the same pixels as libjpeg-turbo, from C and Python, and refuses invalid use", .inTurn,
        .enabled(if: BuiltProgram(installed: "cc") != nil && BuiltProgram(installed: "python3") != nil))
    func languages() async throws {
        let script = PackageFolder.url("Tests/c-api.sh")
        #if canImport(Darwin)
        let library = BuiltProgram("libviewport-jpeg-index.dylib")
        #else
        let library = BuiltProgram("libviewport-jpeg-index.so")
        #endif
        let result = try await BuiltProgram(path: "/usr/bin/env").run(["bash", script.path, library.url.path])
        #expect(result.code == 0, "\(result.text)\(result.errors)")
    }
}
