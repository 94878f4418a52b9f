import Foundation
import Replay
import ScrollModel
import TestSupport
import TestTurns
import Testing
import ViewportGeometry

@Suite("The model compiled for browsers", .ownThread)
struct WebModuleTests {
    static let scripts = 24
    static let lines = 150

    @Test(
        "ends gesture scripts in the same state as here",
        arguments: ["built now", "of the viewer page"])
    func sameState(_ which: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var module = Self.root.appending(path: "Sources/ViewerPages/Assets/scroll.wasm").path
        if which == "built now" {
            module = folder.appending(path: "scroll.wasm").path
            let build = try await BuiltProgram(path: Self.root.appending(path: ".ci/build-web").path).run([
                module
            ])
            if build.code == 69 { try Test.cancel("no WebAssembly linker: \(build.errors)") }
            try #require(build.code == 0, "\(build.errors)")
        }
        let size = try #require(try FileManager.default.attributesOfItem(atPath: module)[.size] as? Int)
        #expect(size < 62_000, "the module has grown to \(size) bytes")
        guard let node = BuiltProgram(installed: "node") else {
            try Test.cancel("there is no node to run the module of \(size) bytes")
        }

        let scripts = (0..<Self.scripts).map { number in
            var script = RandomScript(seed: UInt64(number) + 77000)
            return [script.setup()] + (0..<Self.lines).map { _ in script.line() }
        }
        let file = folder.appending(path: "scripts.json")
        let text = scripts.map { "[\($0.joined(separator: ","))]" }.joined(separator: "\n")
        try Data(text.utf8).write(to: file)
        let harness = try #require(Bundle.module.path(forResource: "replay", ofType: "mjs"))
        let played = try await node.run([harness, module, file.path])
        try #require(played.code == 0, "\(played.errors)")
        var answers = played.text.split(separator: "\n").makeIterator()
        for script in scripts {
            var player = Player()
            for line in script {
                _ = try player.play(line)
                let view = try #require(player.view)
                let text = answers.next() ?? "[]"
                let answer = try JSONDecoder().decode([Double?].self, from: Data(text.utf8))
                try #require(answer.count >= 43, "the module played fewer lines")
                let there = answer.prefix(43).map { $0 ?? .nan }
                for (a, b) in zip(Self.numbers(of: view), there)
                where (a - b).magnitude > 1e-9 * max(1, a.magnitude) {
                    Issue.record(
                        "\(a) here, \(b) there after \(line); viewport replay:\n\(script.joined(separator: "\n"))"
                    )
                    return
                }
            }
        }
        #expect(answers.next() == nil)
    }

    /// The same numbers, in the same order, as the module's `scroll_value`.
    static func numbers(of view: ScrollView) -> [Double] {
        let visible = view.visibleRect
        let inset = view.adjustedContentInset
        return [
            view.contentOffset.x, view.contentOffset.y, view.zoomScale, view.contentSize.width,
            view.contentSize.height, visible.minX, visible.minY, visible.width, visible.height,
            view.minimumContentOffset.x, view.minimumContentOffset.y, view.maximumContentOffset.x,
            view.maximumContentOffset.y, inset.top, inset.left, inset.bottom, inset.right,
            view.isTracking ? 1 : 0, view.isDragging ? 1 : 0, view.isDecelerating ? 1 : 0,
            view.isZooming ? 1 : 0,
            view.isZoomBouncing ? 1 : 0, view.isAnimating ? 1 : 0, view.time,
        ]
    }

    /// The package's own folder.
    static var root: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }
}
