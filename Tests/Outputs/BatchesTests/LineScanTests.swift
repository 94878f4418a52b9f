import Basics
import Files
import Foundation
import TestSupport
import Testing
import Thumbnails

@testable import Batches

@Suite("A scan of a line")
struct LineScanTests {
    /// Lines of manifests and results, with what a scan without a parser gets wrong.
    static let lines: [String] = [
        #"{"path":"a.jpg"}"#, #"{"path":"a/b.jpg","id":"7","n":1}"#, #"{"id":7,"path":"/data/x/c.jpg"}"#,
        #"{"path":"./a.jpg"}"#, #"{"path":"a//b.jpg"}"#, #"{"path":"a/../b.jpg"}"#, #"{"path":"../a.jpg"}"#,
        #"{"path":"a/"}"#, #"{"path":"/"}"#, #"{"path":"/data"}"#, #"{"path":"/data/"}"#, #"{"path":"..."}"#,
        #"{"path":"é.jpg"}"#, "{\"path\":\"e\u{301}.jpg\"}", #"{"path":"\u00e9.jpg","id":"\u65e5"}"#,
        "{\"path\":\"/data/a/\u{338}b.jpg\"}", "{\"path\":\"\u{2126}.jpg\"}", #"{"path":"日本/写真.jpg"}"#,
        #"{"path":"a\u0000b"}"#, #"{"path":"a\/b.jpg"}"#, #"{"path":"a","id":""}"#,
        #"{"path":"a","id":null}"#,
        #"{"path":"a","id":-0}"#, #"{"path":"a","id":1e3}"#, #"{"path":"a","id":[1]}"#, #"{"path":7}"#,
        #"{"path":""}"#,
        #"{"path":"a","path":"b"}"#, #"{"path":"a","rect":[0,0,512,512],"zoom":0.50}"#,
        #"{"path":"a","n":-0}"#,
        #"{"path":"a","b":{"c": 1}}"#, #"{"path":"a","b":[1, 2],"c":[-3,0.5,[]]}"#,
        #"{"path":"a","b":[-0]}"#, #"{"path":"a","b":"\n"}"#,
        #"{"path":"a","b":true}"#,
        #"{"path":"a","id":"1","status":"mine","output":"o/x.png"}"#, "nonsense", "[]", "{}", "",
        "{\"path\":\"\u{F780}.jpg\"}", " {\"path\" : \"a b.jpg\" } \r",
        #"{"path":"a","id":123456789012345678901}"#,
    ]

    static let roots: [(folder: String, isOfLine: Bool)] = [
        (".", false), ("/data", false), ("/", false), ("photos", false), (".", true), ("/data", true),
    ]

    @Test("has the key, path and id of the parsed line, or none", arguments: roots)
    func equality(_ folder: String, _ isOfLine: Bool) {
        let root = BatchRoot(folder, hasItemsOfLines: isOfLine)
        var scan = LineScan(root)
        var random = SplitMix64(seed: 3)
        var read = 0
        for number in 0..<3000 {
            var bytes = Array(Self.lines[number % Self.lines.count].utf8)
            if number >= Self.lines.count, !bytes.isEmpty {
                let signs = Array("{}[]\",:\\/.u0-\u{e9}".utf8) + [0, 0x80, 0xCC]
                bytes[Int(random.next() % UInt64(bytes.count))] =
                    signs[
                        Int(random.next() % UInt64(signs.count))]
            }
            guard scan.read(bytes.span) else { continue }
            read += 1
            let text = String(decoding: bytes, as: UTF8.self)
            guard case .item(let item) = ManifestLine(LineReader.Line(bytes: bytes), number: 1, root: root)
            else {
                Issue.record("the parser refuses \(text)")
                continue
            }
            #expect(Array(item.key.utf8) == scan.key, "\(text)")
            #expect(Array(item.relativePath.utf8) == scan.path, "\(text)")
            #expect(item.idText.map { Array($0.utf8) } == scan.id, "\(text)")
            guard let rest = scan.rest(bytes.span) else { continue }
            #expect(String(decoding: rest, as: UTF8.self) == "\(JSONValue.object(item.rest))", "\(text)")
        }
        #expect(read > 200)
    }

    /// The work of thumbnails whose lines are always parsed.
    struct ParsedWork: BatchWork {
        let work: ThumbnailWork
        var noun: String { work.noun }
        var identity: BatchIdentity { work.identity }
        var naming: OutputNaming? { nil }
        var ownMembers: [StaticString] { work.ownMembers }
        func outputs(of item: BatchItem) throws(BatchFailure) -> [String] { try work.outputs(of: item) }
        func fingerprint(of item: BatchItem) -> String { work.fingerprint(of: item) }
        func make(
            _ item: BatchItem, _ outputs: [String], _ source: FileStatus?
        ) throws(BatchFailure) -> BatchOutput {
            try work.make(item, outputs, source)
        }
    }

    @Test(
        "decides as the parser does in every shard", arguments: ["out/{stem}-{size}.jpg", "{id}/{dir}.{ext}"])
    func shards(_ template: String) throws {
        let folder = try TemporaryFolder()
        var random = SplitMix64(seed: 9)
        let list =
            (0..<2000).map { _ in Self.lines[Int(random.next() % UInt64(Self.lines.count))] }
            + (0..<2000).map { _ in
                let number = random.next() % 900
                if number % 50 == 0 {
                    return "{\"path\":\"\(number).jpg\",\"id\":\(random.next() % 900),\"look\":[\(number),0]}"
                }
                return random.next() % 3 == 0
                    ? "{\"path\":\"d\(number % 7)/\(number).png\",\"id\":\(random.next() % 900)}"
                    : "{\"path\":\"d\(number % 7)/\(number).jpg\"}"
            }
        try list.joined(separator: "\n").write(
            to: folder.url.appendingPathComponent("list"), atomically: false, encoding: .utf8)
        let recipe = ThumbnailRecipe(sizes: [ThumbnailSize(256)])
        let work = ThumbnailWork(recipe, to: TemplateStore(try OutputTemplate(template), recipe))
        func tasks(_ work: any BatchWork, _ shard: Shard?) throws -> [String] {
            var plan = BatchPlan(
                try BatchList(manifest: folder.path("list"), root: BatchRoot()), for: work, shard: shard)
            var tasks: [String] = []
            while let task = try plan.next() {
                switch task {
                case .make(let item, let outputs): tasks.append("\(item.line) \(outputs)")
                case .known(let result): tasks.append("\(result.json)")
                }
            }
            return tasks
        }
        for index in 0..<4 {
            let shard = Shard(index: index, count: 4)
            #expect(try tasks(work, shard) == tasks(ParsedWork(work: work), shard))
        }
    }
}
