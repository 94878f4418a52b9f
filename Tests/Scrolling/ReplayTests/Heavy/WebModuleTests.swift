import Foundation
import Replay
import ScrollModel
import TestHarness
import TestSupport
import Testing
import ViewportGeometry

@Suite("The model compiled for browsers", .ownThread)
struct WebModuleTests {
    static let scripts = 24
    static let lines = 150

    // Another test compares the module of the page with one that is built now.
    @Test("ends gesture scripts in the same state as here")
    func sameState() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let module = PackageFolder.url("Sources/Serving/ViewerPages/Assets/scroll.wasm").path
        let size = try #require(try FileManager.default.attributesOfItem(atPath: module)[.size] as? Int)
        #expect(size < 60_000, "the module has grown to \(size) bytes")
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
        let tables = PackageFolder.url("Sources/Serving/ViewerPages/Assets/scroll-view.js").path
        let played = try await node.run([harness, module, tables, file.path])
        try #require(played.code == 0, "\(played.errors)")
        var answers = played.text.split(separator: "\n").makeIterator()
        for script in scripts {
            var player = Player()
            for line in script {
                let here = try #require(try player.play(line))
                let view = try #require(player.view)
                let text = answers.next() ?? "{}"
                let there = try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
                let values = Self.values(of: view)
                try #require(Set(values.keys) == Set(there.values.keys))
                for (name, a) in values {
                    let b = (there.values[name] ?? nil) ?? .nan
                    guard (a - b).magnitude > 1e-9 * max(1, a.magnitude) || b.isNaN else { continue }
                    Issue.record(
                        "\(name) is \(a) here, \(b) there after \(line); viewport replay:\n\(script.joined(separator: "\n"))"
                    )
                    return
                }
                let events = there.events.map { $0.prefix { $0 != "." } }
                // The log has no events of the setup.
                if !line.contains("\"setup\"") { try #require(events == InvariantTests.names(here)) }
            }
        }
        #expect(answers.next() == nil)
    }

    /// A line played by the module: the numbers of the state by name, and the names of the events.
    struct Answer: Decodable {
        var values: [String: Double?]
        var events: [String]
    }

    /// The numbers of the state by name.
    static func values(of view: ScrollView) -> [String: Double] {
        var values: [String: Double] = [
            "zoomScale": view.zoomScale, "minimumZoomScale": view.minimumZoomScale,
            "maximumZoomScale": view.maximumZoomScale, "fittingZoomScale": view.fittingZoomScale,
            "contentSize.width": view.contentSize.width, "contentSize.height": view.contentSize.height,
            "archive.zoom": view.archive.zoom, "archive.rotation": view.archive.rotation, "time": view.time,
        ]
        func add<Space>(_ name: String, _ point: Point<Space>) {
            values["\(name).x"] = point.x
            values["\(name).y"] = point.y
        }
        func add<Space>(_ name: String, _ rect: Rect<Space>) {
            add(name, rect.origin)
            values["\(name).width"] = rect.width
            values["\(name).height"] = rect.height
        }
        add("contentOffset", view.contentOffset)
        add("minimumContentOffset", view.minimumContentOffset)
        add("maximumContentOffset", view.maximumContentOffset)
        add("archive.center", view.archive.center)
        add("visibleRect", view.visibleRect)
        add("restingRect", view.projectedRestingState.visibleRect)
        add("verticalScrollIndicator", view.verticalScrollIndicator ?? .zero)
        add("horizontalScrollIndicator", view.horizontalScrollIndicator ?? .zero)
        let inset = view.adjustedContentInset
        let edges = [
            ("top", inset.top), ("left", inset.left), ("bottom", inset.bottom), ("right", inset.right),
        ]
        for (name, value) in edges { values["adjustedContentInset.\(name)"] = value }
        let flags = [
            ("isTracking", view.isTracking), ("isDragging", view.isDragging),
            ("isDecelerating", view.isDecelerating), ("isZooming", view.isZooming),
            ("isZoomBouncing", view.isZoomBouncing), ("isAnimating", view.isAnimating),
        ]
        for (name, flag) in flags { values[name] = flag ? 1 : 0 }
        return values
    }

    @Test("exports exactly the functions that the viewer page and the tests call")
    func exports() throws {
        func names(_ path: String, _ pattern: Regex<(Substring, Substring)>) throws -> Set<String> {
            let text = try String(contentsOf: PackageFolder.url(path), encoding: .utf8)
            return Set(text.matches(of: pattern).map { String($0.output.1) })
        }
        let sources = try FileManager.default.contentsOfDirectory(
            atPath: PackageFolder.url("Sources/Scrolling/ScrollModelWeb").path)
        var exported: Set<String> = []
        for source in sources {
            exported.formUnion(try names("Sources/Scrolling/ScrollModelWeb/\(source)", /@_cdecl\("(\w+)"\)/))
        }
        let page = try names("Sources/Serving/ViewerPages/Assets/scroll-view.js", /module\.(scroll_\w+)/)
        let harness = try names("Tests/Scrolling/ReplayTests/replay.mjs", /page\.(scroll_\w+)/)
        #expect(exported == page.union(harness))
        let panorama = try ["WebInterface", "WebState"].map {
            try names("Sources/Scrolling/PanoramaModelWeb/\($0).swift", /@_cdecl\("(\w+)"\)/)
        }
        let view = "Sources/Serving/ViewerPages/Assets/panorama-view.js"
        #expect(try panorama[0].union(panorama[1]) == names(view, /module\.(panorama_\w+)/))
    }
}
