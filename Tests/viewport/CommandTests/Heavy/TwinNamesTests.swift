import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

#if Server
import TileServing
#endif

@Suite("Names that are equal only after Unicode normalization")
struct TwinNamesTests {
    /// A job of a command: what is run, TWIN stands for both names; and the output for each of them.
    struct Job: Sendable, CustomTestStringConvertible {
        var runs: [String]
        var output: String
        /// Whether the output is a picture of the shape of its image.
        var isPicture = true

        var testDescription: String { runs[0] }
    }

    static let jobs: [Job] = [
        Job(runs: ["render photos/TWIN.jpg -o TWIN.png"], output: "TWIN.png"),
        Job(runs: ["render --manifest ids"], output: "renders/TWIN.png"),
        Job(runs: ["render --manifest paths -o r/{stem}.png"], output: "r/TWIN.png"),
        Job(
            runs: [
                "render --manifest composed --results done", "render --manifest ids --results done --resume",
            ], output: "renders/TWIN.png"),
        Job(runs: ["thumbnail photos/TWIN.jpg -s 32 -o t/{stem}.png"], output: "t/TWIN.png"),
        Job(runs: ["thumbnail --recursive photos -s 32 -o t/{dir}/{stem}.png"], output: "t/photos/TWIN.png"),
        Job(
            runs: ["thumbnail --recursive photos -s 32 -o t/{dir}/{stem}.png"], output: "t/photos/TWIN/a.png"),
        Job(runs: ["thumbnail --manifest ids -s 32 -o t/{id}.png"], output: "t/TWIN.png"),
        Job(runs: ["thumbnail --manifest paths -s 32 -o t/{name}.png"], output: "t/TWIN.jpg.png"),
        Job(
            runs: [
                "thumbnail --manifest composed -s 32 -o t/{id}.png --results done",
                "thumbnail --manifest ids -s 32 -o t/{id}.png --results done --resume",
            ], output: "t/TWIN.png"),
        Job(
            runs: [
                "thumbnail --manifest ids -s 32 -o t/{id}.png --shard 0/2 --results a",
                "thumbnail --manifest ids -s 32 -o t/{id}.png --shard 1/2 --results b",
            ], output: "t/TWIN.png"),
        Job(runs: ["pyramid photos/TWIN.jpg -o TWIN.dzi"], output: "TWIN_files/7/0_0.jpg"),
        Job(runs: ["pyramid photos/TWIN.jpg -o TWIN"], output: "TWIN/full/max/0/default.jpg"),
        Job(runs: ["pyramid --manifest ids -o p/{id}"], output: "p/TWIN/full/max/0/default.jpg"),
        Job(runs: ["pyramid --manifest ids -o p/{id}.tif"], output: "p/TWIN.tif"),
        Job(
            runs: ["fly photos/TWIN.jpg --ken-burns -s 32x24 --fps 1 -o TWIN.gif"], output: "TWIN.gif",
            isPicture: false),
        Job(
            runs: ["compose card -s 40x80 --manifest ids -o c/{id}.png"], output: "c/TWIN.png",
            isPicture: false),
        Job(
            runs: ["compose card -s 40x80 --manifest paths -o c/{stem}.png"], output: "c/TWIN.png",
            isPicture: false),
        Job(runs: ["index photos/TWIN.jpg -o photos/TWIN.vpi"], output: "photos/TWIN.vpi", isPicture: false),
    ]

    @Test("have an output each", arguments: jobs)
    func outputs(_ job: Job) async throws {
        let folder = try TwinFolder()
        for run in job.runs {
            for twin in run.contains("TWIN") ? Twin.allCases : [.composed] {
                let result = try await folder.run(run.split(separator: " ").map { twin.filled("\($0)") })
                #expect(result.code == 0, "\(result.errors)")
            }
        }
        let made = Twin.allCases.map { folder.bytes($0.filled(job.output)) }
        #expect(made.allSatisfy { $0?.isEmpty == false } && made[0] != made[1])
        for twin in job.isPicture ? Twin.allCases : [] {
            let picture = try PyramidCommandTests.image(folder.folder.path(twin.filled(job.output)))
            #expect((picture.width > picture.height) == (twin == .composed), "\(twin)")
        }
    }

    @Test("have a sidecar each in a folder")
    func sidecars() async throws {
        let folder = try TwinFolder()
        let images = Twin.allCases.map { $0.filled("photos/TWIN.jpg") }
        let result = try await folder.run(["index", "-o", "sidecars/"] + images)
        #expect(result.code == 0, "\(result.errors)")
        let names = Twin.allCases.map { Array($0.filled("TWIN.jpg.vpi").utf8) }
        #expect(folder.files(below: "sidecars") == Set(names))
        // Two images of the same name have the same sidecar.
        let same = try await folder.run(
            ["index", "-o", "same/"] + Twin.allCases.map { $0.filled("photos/TWIN/a.jpg") })
        #expect(same.code == 3 && same.errors.contains("same/a.jpg.vpi"), "\(same.errors)")
        #expect(folder.files(below: "same") == [Array("a.jpg.vpi".utf8)])
    }

    @Test("have an entry each in the cache")
    func cache() async throws {
        let folder = try TwinFolder()
        let images = Twin.allCases.map { $0.filled("photos/TWIN.jpg") }
        for _ in 0..<2 { #expect(try await folder.run(["index"] + images).code == 0) }
        let entries = try await folder.run(["cache", "--json"]).json["entries"] as? [[String: Any]] ?? []
        let sources = entries.compactMap { ($0["path"] as? String).map { Array($0.utf8.suffix(12)) } }
        #expect(Set(sources) == Set(images.map { Array($0.utf8.suffix(12)) }) && sources.count == 2)
        for twin in Twin.allCases {
            let info = try await folder.run(["info", twin.filled("photos/TWIN.jpg"), "--json"])
            #expect(info.json["width"] as? Int == (twin == .composed ? 80 : 60))
        }
    }

    @Test("have an entry each in the thumbnail cache of desktops")
    func desktop() async throws {
        let folder = try TwinFolder()
        let images = Twin.allCases.map { $0.filled("photos/TWIN.jpg") }
        let result = try await folder.run(["thumbnail", "--freedesktop"] + images)
        #expect(result.code == 0, "\(result.errors)")
        #expect(folder.files(below: "cache/thumbnails/normal").count == 2)
    }

    @Test("have a result each, which are joined and verified")
    func results() async throws {
        let folder = try TwinFolder()
        for twin in Twin.allCases {
            let made = try await folder.run([
                "thumbnail", "--manifest", "\(twin)", "-s", "32", "-o", "t/{id}.png", "--results",
                "done-\(twin)",
            ])
            #expect(made.code == 0, "\(made.errors)")
        }
        let merged = try await folder.run([
            "thumbnail", "merge", "done-composed", "done-decomposed", "--manifest", "ids", "-o", "all",
        ])
        #expect(merged.code == 0, "\(merged.errors)")
        let results = try PhotoFolder.results(String(decoding: folder.folder.data("all"), as: UTF8.self))
        #expect(
            results.map { Array(($0["id"] as? String ?? "").utf8) }
                == Twin.allCases.map { Array($0.rawValue.utf8) })
        #expect(try await folder.run(["thumbnail", "verify", "all"]).code == 0)
        // One of them has none.
        let missing = try await folder.run([
            "thumbnail", "merge", "done-composed", "--manifest", "ids", "-o", "one", "--missing", "rest",
        ])
        #expect(missing.code == 3)
        let rest = try PhotoFolder.results(String(decoding: folder.folder.data("rest"), as: UTF8.self))
        #expect(rest.map { Array(($0["id"] as? String ?? "").utf8) } == [Array("cafe\u{301}".utf8)])
    }

    @Test("are equal outputs where their bytes are")
    func collisions() async throws {
        let folder = try TwinFolder()
        try folder.write(
            Twin.allCases.map { $0.filled(#"{"path":"photos/TWIN.jpg","output":"same.png"}"#) }, to: "list")
        let result = try await folder.run(["render", "--manifest", "list"])
        #expect(result.code == 3)
        #expect(try PhotoFolder.results(result.text).statuses.sorted() == ["error", "ok"])
    }

    #if Server
    @Test("have a URL each on a server, which remembers both", .inTurn)
    func served() async throws {
        let folder = try TwinFolder()
        let serving = try ServingProgram(BuiltProgram("viewport"), [folder.folder.path("photos")])
        defer { _ = serving.end() }
        let probe = HTTPProbe(host: "127.0.0.1", port: serving.port, timeout: 600)
        let encoded = ["caf%C3%A9", "cafe%CC%81"]
        for _ in 0..<2 {
            for (twin, name) in zip(Twin.allCases, encoded) {
                for identifier in ["\(name).jpg", name, "\(name)%2Fa.jpg", "\(name)%2Fa"] {
                    let answer = try await probe.send("/iiif/3/\(identifier)/info.json")
                    let information = try JSONSerialization.jsonObject(with: Data(answer.text.utf8))
                    let width = (information as? [String: Any])?["width"] as? Int
                    #expect(width == (twin == .composed ? 80 : 60), "\(identifier)")
                    let zoom = try await probe.send("/dzi/\(identifier).dzi")
                    #expect(zoom.text.contains("Width=\"\(twin == .composed ? 80 : 60)\""), "\(zoom.text)")
                }
                let page = try await probe.send("/view/\(name).jpg").text
                #expect(page.contains("/iiif/3/\(name).jpg"), "\(page)")
                let list = try await probe.send("/?folder=\(name)").text
                #expect(list.contains("./view/\(name)%2Fa.jpg") && list.contains("<p>1 image</p>"), "\(list)")
            }
        }
        let index = try await probe.send("/").text
        for name in encoded {
            #expect(index.contains("./?folder=\(name)\"") && index.contains("./view/\(name).jpg"), "\(index)")
        }
        let found = try await probe.send("/?name=caf%C3%A9").text
        for name in encoded { #expect(found.contains("./view/\(name).jpg"), "\(found)") }
        let compared = try await probe.send("/compare/\(encoded[0]).jpg/\(encoded[1]).jpg").text
        for name in encoded { #expect(compared.contains("../../iiif/3/\(name).jpg"), "\(compared)") }
        let neighbors = try await probe.send("/neighbors/\(encoded[0]).jpg").text
        #expect(neighbors.contains(#""number":2,"count":2"#), "\(neighbors)")
        #expect(neighbors.contains("view/\(encoded[1]).jpg"), "\(neighbors)")
    }
    #endif
}
