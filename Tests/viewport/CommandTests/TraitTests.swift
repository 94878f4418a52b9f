import Foundation
import TestSupport
import Testing

/// Messages of the program in builds with and without the traits of the package.
@Suite("Traits")
struct TraitTests {
    private static let viewport = BuiltProgram("viewport")

    @Test("keep every command in the help", arguments: ["library", "serve", "doctor"])
    func help(_ command: String) async throws {
        let all = try await Self.viewport.run(["help"])
        #expect(all.code == 0 && all.text.contains("\n  \(command) "))
        let one = try await Self.viewport.run(["help", command])
        #expect(one.code == 0 && one.text.contains("USAGE: viewport \(command)"))
    }

    #if Server
    @Test("that are on add their commands")
    func present() async throws {
        let result = try await Self.viewport.run(["doctor"])
        #expect(!result.text.contains("without its server"))
    }
    #else
    @Test(
        "that are off are reported with the remedy by commands that need them",
        arguments: [
            ["serve", "."], ["serve"], ["serve", ".", "--port", "0", "--json"],
            ["doctor", "http://127.0.0.1:1/"],
        ])
    func missing(_ arguments: [String]) async throws {
        let result = try await Self.viewport.run(arguments)
        #expect(result.code == 69 && result.output.isEmpty)
        let sentence =
            "viewport: this viewport was built without its server; "
            + "`samples/install` in its source builds and installs all of it\n"
        #expect(result.errors == sentence)
        let findings = try await Self.viewport.run(["doctor"])
        #expect(findings.text.contains("ok    this viewport was built without its server; `samples/install`"))
    }
    #endif
}
