import Basics
import Foundation
import TestSupport
import Testing
import Thumbnails

@testable import Batches

@Suite("A plan of a batch")
struct BatchPlanTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns the tasks of a manifest, such as "make a.jpg", "duplicate a.jpg", "bad-line".
    func tasks(_ manifest: Data, template: String = "out/{stem}.jpg", shard: Shard? = nil) throws -> [String]
    {
        try manifest.write(to: folder.url.appendingPathComponent("list"))
        let recipe = ThumbnailRecipe(sizes: [ThumbnailSize(256)])
        let work = ThumbnailWork(recipe, to: TemplateStore(try OutputTemplate(template), recipe))
        let list = try BatchList(manifest: folder.path("list"), root: BatchRoot())
        var plan = BatchPlan(list, for: work, shard: shard)
        var tasks: [String] = []
        while let task = try plan.next() {
            switch task {
            case .make(let item, _): tasks.append("make \(item.path)")
            case .known(let result):
                let json = result.json
                let word = result.failure?.code ?? json["status"]?.string ?? ""
                tasks.append(word + (json["path"]?.string.map { " \($0)" } ?? ""))
            }
        }
        return tasks
    }

    func tasks(_ lines: [String]) throws -> [String] { try tasks(Data(lines.joined(separator: "\n").utf8)) }

    @Test("has one task for every line that is not blank")
    func lines() throws {
        let lines = [
            #"{"path":"a.jpg"}"#, "", "   \r", #"{"path":"b.jpg","id":7}"#, "nonsense", "[]", "7",
            #"{"id":"x"}"#,
            #"{"path":""}"#, #"{"path":3}"#, #"{"path":"c","path":"d"}"#, #"{"path":"z\u0000.jpg"}"#,
            #"{"path":"e.jpg","id":""}"#, #"{"path":"e.jpg","id":[1]}"#, #"{"path":"f.jpg","id":null}"#,
            #"{"path":"g.jpg"} x"#, #"{"path":"h.jpg","id":"a\u0000b"}"#,
        ]
        #expect(
            try tasks(lines) == [
                "make a.jpg", "make b.jpg", "bad-line", "bad-line", "bad-line", "bad-line", "bad-line ",
                "bad-line",
                "bad-line", "bad-line z\u{0}.jpg", "bad-line e.jpg", "bad-line e.jpg", "make f.jpg",
                "bad-line", "bad-line h.jpg",
            ])
    }

    @Test("reports a line that is not UTF-8 or too long, and reads the next one")
    func bytes() throws {
        var data = Data(#"{"path":""#.utf8) + [0xFF, 0xFE] + Data("\"}\n".utf8)
        data += Data(#"{"path":""#.utf8) + Data(repeating: 0x61, count: 3 << 20) + Data("\"}\n".utf8)
        data += Data(#"{"path":"a.jpg"}"#.utf8)
        #expect(try tasks(data) == ["bad-line", "bad-line", "make a.jpg"])
    }

    @Test("finds duplicate files and colliding names")
    func meeting() throws {
        let lines = [
            #"{"path":"a.jpg"}"#, #"{"path":"./x/../a.jpg"}"#, #"{"path":"a.png"}"#,
            #"{"path":"b.jpg","id":"1"}"#,
            #"{"path":"c.jpg","id":"1"}"#, #"{"path":"c.jpg"}"#,
        ]
        #expect(
            try tasks(lines) == [
                "make a.jpg", "duplicate ./x/../a.jpg", "collision a.png", "make b.jpg", "collision c.jpg",
                "duplicate c.jpg",
            ])
    }

    @Test("has an item for each line with a look, by its id, and one for a file without")
    func looks() throws {
        let lines = [
            #"{"path":"a.jpg"}"#, #"{"path":"a.jpg","id":1,"look":[0,0]}"#,
            #"{"path":"a.jpg","id":2,"look":[9,0]}"#,
            #"{"path":"a.jpg","id":3}"#, #"{"path":"a.jpg","id":2,"look":[8,0]}"#,
            #"{"path":"b.jpg","id":4,"look":[0,0]}"#, #"{"path":"b.jpg"}"#,
        ]
        let made = try tasks(Data(lines.joined(separator: "\n").utf8), template: "{stem}-{id}.jpg")
        #expect(
            made == [
                "make a.jpg", "make a.jpg", "make a.jpg", "duplicate a.jpg", "duplicate a.jpg", "make b.jpg",
                "make b.jpg",
            ])
    }

    @Test("decides the same in every shard, and the shards are complete", arguments: [1, 2, 3, 7])
    func shares(_ count: Int) throws {
        var random = SplitMix64(seed: 5)
        let lines = (0..<300).map { number in
            random.next() % 20 == 0
                ? "broken \(number)"
                : "{\"path\":\"\(random.next() % 200).\(["jpg", "png"][Int(random.next() % 2)])\"}"
        }
        let data = Data(lines.joined(separator: "\n").utf8)
        let whole = try tasks(data)
        let parts = try (0..<count).map { try tasks(data, shard: Shard(index: $0, count: count)) }
        #expect(whole.count == 300)
        #expect(parts.flatMap(\.self).sorted() == whole.sorted())
        #expect(count == 1 || parts.allSatisfy { $0.count < 300 })
    }

    @Test("keeps other members of a line")
    func rest() throws {
        let line = #"{"label":{"a":[1,2.50,"é"]},"path":"a.jpg","status":"mine","id":7,"n":null}"#
        try Data(line.utf8).write(to: folder.url.appendingPathComponent("list"))
        var list = try BatchList(manifest: folder.path("list"), root: BatchRoot())
        guard case .item(let item) = try list.next(isStopped: { false }) else {
            Issue.record("no item")
            return
        }
        let json = BatchResult(item, outcome: .duplicate).json
        #expect(json["label"]?.description == #"{"a":[1,2.50,"é"]}"#)
        #expect(json["n"] == .null)
        #expect(json["id"] == .int(7))
        #expect(json["status"]?.string == "duplicate")
    }

    @Test("normalizes the keys of shards to Unicode NFC, and keeps those of results")
    func composed() {
        let root = BatchRoot()
        let names = ["e\u{301}.jpg", "\u{E9}.jpg"]
        let items = names.map {
            BatchItem(line: 1, path: $0, file: $0, relativePath: root.relative($0))
        }
        #expect(
            items.map { Array($0.shardKey.utf8) } == [Array("\u{E9}.jpg".utf8), Array("\u{E9}.jpg".utf8)])
        #expect(items.map { Array($0.key.utf8) } == names.map { Array($0.utf8) })
    }

    @Test(
        "makes paths relative to the root",
        arguments: [
            ("/data", true, "/data/a/b.jpg", "a/b.jpg", "/data/a/b.jpg"),
            ("/data", true, "a.jpg", "a.jpg", "/data/a.jpg"),
            ("/data", true, "/other/a.jpg", "/other/a.jpg", "/other/a.jpg"),
            ("/data", false, "/data/a.jpg", "a.jpg", "/data/a.jpg"),
            (".", true, "../a.jpg", "../a.jpg", "../a.jpg"),
        ])
    func roots(_ root: String, _ isManifest: Bool, _ path: String, _ relative: String, _ file: String) {
        let root = BatchRoot(root, isForManifest: isManifest)
        #expect(root.relative(path) == relative)
        #expect(root.file(path) == file)
    }
}

@Suite("Names that are equal only after Unicode normalization, in a plan")
struct PlannedTwinsTests {
    let plan: BatchPlanTests

    init() throws { plan = try BatchPlanTests() }

    static let composed = "caf\u{E9}"
    static let decomposed = "cafe\u{301}"

    @Test("are two paths and two ids, also in a shard")
    func items() throws {
        let lines = [Self.composed, Self.decomposed].flatMap { name in
            [#"{"path":"\#(name).jpg"}"#, #"{"path":"\#(name).png","id":"\#(name)"}"#]
        }
        let template = "out/{id}.png"
        let whole = try plan.tasks(Data(lines.joined(separator: "\n").utf8), template: template)
        #expect(whole.count == 4 && whole.allSatisfy { $0.hasPrefix("make ") }, "\(whole)")
        // The key in NFC decides the shard.
        for index in 0..<3 {
            let tasks = try plan.tasks(
                Data(lines.joined(separator: "\n").utf8), template: template,
                shard: Shard(index: index, count: 3))
            #expect(tasks.count % 2 == 0, "\(tasks)")
        }
    }

    @Test("collide where the template leaves nothing of them")
    func collision() throws {
        let lines = [Self.composed, Self.decomposed].map { #"{"path":"\#($0)/a.jpg"}"# }
        let tasks = try plan.tasks(Data(lines.joined(separator: "\n").utf8))
        #expect(tasks.map { $0.prefix { $0 != " " } } == ["make", "collision"])
    }

    @Test("have keys of their own in results, and one shard")
    func keys() {
        let root = BatchRoot(hasItemsOfLines: true)
        let items = [Self.composed, Self.decomposed].map { root.item(line: 1, path: $0) }
        #expect(BatchPlan.Digest(items[0].key) != BatchPlan.Digest(items[1].key))
        #expect(Array(items[0].shardKey.utf8) == Array(items[1].shardKey.utf8))
    }

    @Test("are told apart by a root, which takes a slash and a combining mark for two characters")
    func root() {
        let root = BatchRoot("/photos/\(Self.composed)")
        #expect(root.relative("/photos/\(Self.composed)/a.jpg") == "a.jpg")
        #expect(root.relative("/photos/\(Self.decomposed)/a.jpg").hasPrefix("/photos/"))
        #expect(root.relative("x/\u{301}y/../z") == "x/z")
        #expect(BatchRoot("in").file("/\u{301}a.jpg").unicodeScalars.first == "/")
    }
}
