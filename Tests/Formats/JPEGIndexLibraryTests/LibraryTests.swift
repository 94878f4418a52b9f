import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("The C libraries")
struct LibraryTests {
    @Test(
        "decode the same pixels as libjpeg-turbo, from C, C++ and Python, and refuse invalid use", .inTurn,
        .enabled(if: BuiltProgram(installed: "cc") != nil && BuiltProgram(installed: "python3") != nil))
    func languages() async throws {
        let script = PackageFolder.url("Tests/c-api.sh")
        #if canImport(Darwin)
        let ending = "dylib"
        #else
        let ending = "so"
        #endif
        let libraries = ["viewport-jpeg-index", "viewport-library"].map {
            BuiltProgram("lib\($0).\(ending)").url.path
        }
        let result = try await BuiltProgram(path: "/usr/bin/env").run(["bash", script.path] + libraries)
        #expect(result.code == 0, "\(result.text)\(result.errors)")
    }
}
