import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

#if Server
import TileServing
#endif

private let bash = BuiltProgram(installed: "bash")
#if os(Linux)
private let takesAnyNames = bash != nil
#else
private let takesAnyNames = false
#endif

/// Foundation cannot represent such names, so the tests run a shell.
@Suite("A name that is not UTF-8", .enabled(if: takesAnyNames, "this system takes UTF-8 only"))
struct RawNameTests {
    /// The path of the photo as displayed and in JSON.
    static let shown = #"d\xE9p\xF4t/f\xFFo.jpg"#
    static let path = "d\u{F7E9}p\u{F7F4}t/f\u{F7FF}o.jpg"

    /// Returns a folder that contains a photo of 96 x 64 in a subfolder.
    static func folder() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 96, height: 64).save(folder.path("photo.jpg"), with: "jpegsave")
        _ = try await run(#"mkdir -p -- "${P%/*}" && mv photo.jpg "$P""#, in: folder)
        return folder
    }

    /// Runs a script in the folder: $V is the program, $P the photo.
    static func run(_ script: String, in folder: TemporaryFolder, input: String? = nil) async throws
        -> BuiltProgram.Result
    {
        try await #require(bash).run(
            ["-c", #"V=$0; P=$'d\xE9p\xF4t/f\xFFo.jpg'; "# + script, BuiltProgram("viewport").url.path],
            in: folder.url, input: input.map { Data($0.utf8) },
            environment: ["XDG_CACHE_HOME": folder.path("cache"), "XDG_DATA_HOME": folder.path("data")])
    }

    @Test(
        "is read, written and searched for",
        arguments: [
            #""$V" render "$P" -s 32x32 -o $'v\xFE.png' && test -s $'v\xFE.png'"#,
            #""$V" render "$P" -s 32x32 -o - | cmp - <("$V" render "$P" -s 32x32 -o -)"#,
            #"cd "${P%/*}" && "$V" render "${P##*/}" -s 32x32 && test -s $'f\xFFo.viewport.png'"#,
            #""$V" index "$P" && "$V" render "$P" --rect 0,0,9,9 -o x.png --json | grep index"#,
            #""$V" pyramid "$P" -o $'p\xFE.dzi' && test -s $'p\xFE_files/0/0_0.jpg'"#,
            #""$V" pyramid "$P" -o $'p\xFE.tif' && "$V" info $'p\xFE.tif'"#,
            #""$V" pyramid "$P" -o $'p\xFE' && test -s $'p\xFE/info.json'"#,
            #""$V" thumbnail "$P" -s 16 && test -s "thumbnails/$P-16.jpg""#,
            #""$V" thumbnail --recursive . -s 16 --results r && test -s "thumbnails/$P-16.jpg" && "$V" thumbnail verify r"#,
            #"echo '{"path":"d\uF7E9p\uF7F4t/f\uF7FFo.jpg"}' | "$V" thumbnail --manifest - -s 16 -o $'o\xFE/{name}.png' && test -s $'o\xFE/f\xFFo.jpg.png'"#,
            #"echo '{"path":"d\uF7E9p\uF7F4t/f\uF7FFo.jpg","size":"16x16","output":"o\uF7FE.png"}' | "$V" render --manifest - --results r && test -s $'o\xFE.png' && "$V" thumbnail verify r"#,
            #"echo '{"path":"d\uF7E9p\uF7F4t/f\uF7FFo.jpg"}' | "$V" pyramid --manifest - -o 'p/{name}.dzi' && test -s $'p/f\xFFo.jpg_files/0/0_0.jpg'"#,
            #"export XDG_CACHE_HOME=$PWD/$'c\xFE' && "$V" index "$P" && ls $'c\xFE/viewport'"#,
            #""$V" thumbnail "$P" --freedesktop && strings -a $'cache/thumbnails/normal/'* | grep -q 'd%E9p%F4t/f%FFo.jpg'"#,
        ])
    func works(_ script: String) async throws {
        let folder = try await Self.folder()
        let run = try await Self.run(script, in: folder)
        #expect(run.code == 0, "\(run.errors)")
        #expect(folder.names.allSatisfy { !$0.contains("\u{FFFD}\u{FFFD}") })
    }

    @Test("is escaped on the terminal, and round-trips through JSON")
    func shown() async throws {
        let folder = try await Self.folder()
        let table = try await Self.run(#""$V" info "$P""#, in: folder)
        #expect(table.text.contains(Self.shown))
        let missing = try await Self.run(#""$V" render "${P%.jpg}""#, in: folder)
        #expect(missing.code == 66 && missing.errors.contains(Self.shown.dropLast(4)), "\(missing.errors)")
        let json = try await Self.run(#""$V" info "$P" --json"#, in: folder)
        #expect(json.text.utf8.allSatisfy { $0 < 0x80 } && json.json["path"] as? String == Self.path)
        // A name that contains the scalar that represents 0xFF is a different name.
        let other = try await Self.run(
            #"cp "$P" $'x\xEF\x9F\xBF.jpg'; "$V" info $'x\xEF\x9F\xBF.jpg' --json"#, in: folder)
        #expect(other.json["path"] as? String == "x\u{F7EF}\u{F79F}\u{F7BF}.jpg", "\(other.errors)")
    }

    @Test("is a photo of a library: indexed, listed, shown, exported, imported and moved")
    func library() async throws {
        let folder = try await Self.folder()
        func viewport(_ arguments: String) async throws -> BuiltProgram.Result {
            let run = try await Self.run("\"$V\" library \(arguments)", in: folder)
            #expect(run.code == 0, "\(arguments): \(run.errors)")
            return run
        }
        for root in [".", #"$'l\xFE'"#] {
            _ = try await Self.run("mkdir -p \(root)/in; cp \"$P\" \(root)/in", in: folder)
            _ = try await viewport("init \(root)")
            _ = try await viewport("index \(root)")
            let listed = try await viewport("list \(root) --json")
            #expect(listed.text.contains(#""in/f\uf7ffo.jpg""#), "\(listed.text)")
            #expect(try await viewport("list \(root)").text.contains(#"f\xFFo.jpg"#))
            #expect(try await viewport("show \(root) $'in/f\\xFFo.jpg'").text.contains(#"f\xFFo.jpg"#))
            #expect(try await viewport("verify \(root)").code == 0)
        }
        _ = try await viewport(#"export . -o $'e\xFE'"#)
        _ = try await viewport(#"init new && "$V" library import new "${P%/*}" --move"#)
        let moved = try await Self.run(
            #"find $'e\xFE' new -name $'f\xFFo.jpg' | wc -l; find "${P%/*}" -type f | wc -l"#, in: folder)
        #expect(moved.text.split(whereSeparator: \.isWhitespace).map { Int($0) ?? 0 }.last == 0)
        #expect((moved.text.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) } ?? 0) >= 2)
    }

    #if Server
    @Test("has a URL on a server, and is listed", .inTurn)
    func served() async throws {
        let folder = try await Self.folder()
        let serving = try ServingProgram(BuiltProgram("viewport"), [folder.url.path])
        defer { _ = serving.end() }
        let probe = HTTPProbe(host: "127.0.0.1", port: serving.port, timeout: 600)
        for name in ["d%E9p%F4t%2Ff%FFo.jpg", "d%e9p%f4t/f%FFo"] {
            let answer = try await probe.send("/iiif/3/\(name)/info.json")
            #expect(answer.status == 200 && answer.text.contains("d%E9p%F4t%2Ff%FFo"), "\(answer.text)")
            #expect(try await probe.send("/iiif/3/\(name)/full/max/0/default.png").status == 200)
        }
        let folders = try await probe.send("/").text
        #expect(folders.contains(#"d\xE9p\xF4t/"#) && folders.contains("./?folder=d%E9p%F4t"), "\(folders)")
        let list = try await probe.send("/?folder=d%E9p%F4t").text
        #expect(list.contains(#"f\xFFo"#) && list.contains("d%E9p%F4t%2Ff%FFo"), "\(list)")
    }
    #endif
}
