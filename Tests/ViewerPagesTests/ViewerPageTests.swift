import Foundation
import TestSupport
import TestTurns
import Testing
import ViewerPages

@Suite("The viewer page", .heavy)
struct ViewerPageTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test("contains every file of its folder")
    func files() throws {
        let folder = Self.root.appending(path: "Sources/ViewerPages/Assets")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(ViewerPage.names == names)
        for name in names {
            #expect(
                ViewerPage.asset(named: name)?.bytes
                    == Array(try Data(contentsOf: folder.appending(path: name))))
        }
        #expect(ViewerPage.asset(named: "../Package.swift") == nil)
    }

    @Test("has different entity tags for different files")
    func tags() {
        #expect(
            Set(ViewerPage.names.compactMap { ViewerPage.asset(named: $0)?.etag }).count
                == ViewerPage.names.count)
    }

    @Test("stays small")
    func size() {
        // Those of static sites are not served.
        let others: Set = ["regions.wasm", "static-pyramid.js", "viewport-tiles.js"]
        let bytes = ViewerPage.names.filter { !others.contains($0) }
            .compactMap { ViewerPage.asset(named: $0)?.bytes.count }.reduce(0, +)
        #expect(bytes < 120_000, "the page has grown to \(bytes) bytes")
    }

    @Test("has HTML that satisfies a strict content security policy")
    func policy() throws {
        let html = String(decoding: try #require(ViewerPage.asset(named: "viewer.html")).bytes, as: UTF8.self)
        #expect(!html.contains("style=") && !html.contains("<style") && !html.contains("http://"))
        #expect(!html.contains("https://") && html.ranges(of: "<script").count == 1)
        #expect(!html.contains(/\son[a-z]+=/))
    }

    @Test("contains the modules built from these sources", arguments: ["scroll", "regions"])
    func model(_ kind: String) async throws {
        let module = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).wasm")
        defer { try? FileManager.default.removeItem(at: module) }
        let build = try await BuiltProgram(path: Self.root.appending(path: ".ci/build-web").path).run([
            module.path, kind,
        ])
        if build.code == 69 { try Test.cancel("there is no WebAssembly linker") }
        try #require(build.code == 0, "\(build.errors)")
        // Another compiler gives other bytes. These are from the compiler of CI.
        let compiler = try await BuiltProgram(path: "/usr/bin/env").run(["swiftc", "--version"]).text
            .prefix { $0 != "\n" }
        guard compiler.contains("6.3.1") else {
            try Test.cancel("the module was made by Swift 6.3.1, not \(compiler)")
        }
        let now = Array(try Data(contentsOf: module))
        #expect(
            ViewerPage.asset(named: "\(kind).wasm")?.bytes == now,
            "run .ci/build-web Sources/ViewerPages/Assets/\(kind).wasm \(kind)")
    }
}
