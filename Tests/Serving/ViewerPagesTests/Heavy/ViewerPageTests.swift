import Foundation
import TestHarness
import TestSupport
import Testing
import ViewerPages

@Suite("The viewer page")
struct ViewerPageTests {
    @Test("contains every file of its folder")
    func files() throws {
        let folder = try PackageFolder.sources(of: "ViewerPages").appending(path: "Assets")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(ViewerPage.all.keys.sorted() == names)
        for name in names {
            #expect(
                ViewerPage.all[name]?.bytes
                    == Array(try Data(contentsOf: folder.appending(path: name))))
        }
        #expect(ViewerPage.all["../Package.swift"] == nil)
    }

    @Test("escapes texts also where a combining mark follows")
    func escaped() {
        #expect(
            PageTemplate.escaped("<b\"'&>\"\u{301}") == "&lt;b&quot;&#39;&amp;&gt;&quot;\u{301}")
        #expect(Array(PageTemplate.escaped("e\u{301}<\u{301}").utf8) == Array("e\u{301}&lt;\u{301}".utf8))
    }

    @Test("names files by their content, and gives pages and scripts these names")
    func names() throws {
        let files = ViewerPage.files
        #expect(Set(files.finalNames).count == files.finalNames.count && !files.finalNames.isEmpty)
        for name in files.finalNames {
            let file = try #require(files[name])
            #expect(file.isFinal && name.contains(/-[0-9a-f]{16}\./))
            #expect(name.contains(file.etag.filter { $0 != "\"" }))
        }
        for page in ["viewer.html", "compare.html"] {
            let html = String(decoding: try #require(files[page]).bytes, as: UTF8.self)
            let links = html.matches(of: /\/page\/([^"]+)"/).map { String($0.output.1) }
            #expect(links.count >= 4)
            for link in links { #expect(files[link]?.isFinal == true, "\(link)") }
            let script = try #require(links.first { $0.hasSuffix(".js") })
            let text = String(decoding: try #require(files[script]).bytes, as: UTF8.self)
            // Everything is in one script, and what it loads later has final names.
            #expect(!("\n" + text).contains("\nimport "))
            for match in text.matches(of: /"\.\/([\w.-]+\.(?:js|wasm))"/) where match.output.1 != "photo.js" {
                #expect(files[String(match.output.1)]?.isFinal == true, "\(match.output.1)")
            }
        }
    }

    @Test("changes the names of scripts when what they load changes")
    func changes() throws {
        func address(_ text: String) -> String {
            let script = { (text: String) in
                ViewerPage.Asset(bytes: Array(text.utf8), mediaType: "text/javascript")
            }
            let page = ViewerPage.Asset(bytes: Array("<p a=\"/page/a.js\">".utf8), mediaType: "text/html")
            let style = ViewerPage.Asset(bytes: Array("p {}".utf8), mediaType: "text/css")
            return PageFiles([
                "a.js": script("import { b as c } from \"./b.js\";\nc();\n"),
                "b.js": script("import { d } from \"./c.js\";\nexport function b() { d(); }\n"),
                "c.js": script("export const d = () => import(\"./d.js\");\n"), "d.js": script(text),
                "p.html": page, "s.css": style,
            ]).address(of: "a.js")
        }
        #expect(address("1") == address("1") && address("1") != address("2"))
        #expect(address("1").wholeMatch(of: /a-[0-9a-f]{16}\.js/) != nil)
    }

    @Test("leaves comments out of scripts, and nothing else")
    func comments() throws {
        let script = { (text: String) in
            ViewerPage.Asset(bytes: Array(text.utf8), mediaType: "text/javascript")
        }
        let files = PageFiles([
            "a.js": script(
                "// one\nconst a = `//two`;\n\n/** Three\n * four. */\n  /* five */\n  f(a); // six\n/* 7 */ g();\n"
            ),
            "p.html": ViewerPage.Asset(
                bytes: Array("<p a=\"/page/a.js\">".utf8), mediaType: "text/html"),
        ])
        let made = String(decoding: try #require(files[files.address(of: "a.js")]).bytes, as: UTF8.self)
        #expect(made == "const a = `//two`;\nf(a); // six\n/* 7 */ g();")
    }

    @Test(
        "leaves modules as they are that are written in another way",
        arguments: [
            "import * as b from \"./b.js\";", "export default 1;", "export { a };",
            "import x from \"./b.js\";",
            "import { b } from \"./a.js\";", "import { b } from \"./missing.js\";",
            "import { b } from \"./awaits.js\";",
        ])
    func otherModules(_ text: String) throws {
        let script = { (text: String) in
            ViewerPage.Asset(bytes: Array(text.utf8), mediaType: "text/javascript")
        }
        let page = ViewerPage.Asset(bytes: Array("<p a=\"/page/a.js\">".utf8), mediaType: "text/html")
        let files = PageFiles([
            "a.js": script(text), "b.js": script("export const b = 1;"), "p.html": page,
            "awaits.js": script("const a = await 1;\nexport const b = a;"),
        ])
        let made = String(decoding: try #require(files[files.address(of: "a.js")]).bytes, as: UTF8.self)
        #expect(
            made
                == text.replacing("b.js", with: files.address(of: "b.js")).replacing(
                    "awaits.js", with: files.address(of: "awaits.js")))
    }

    @Test("stays small")
    func size() throws {
        // Those of static sites are not served.
        let names = ["viewer.js", "viewer.css", "scroll.wasm", "icon.svg"].map {
            ViewerPage.files.address(of: $0)
        }
        let files =
            try names.map { try #require(ViewerPage.files[$0]) } + [
                try #require(ViewerPage.files["viewer.html"])
            ]
        let (bytes, packed) = (
            files.reduce(0) { $0 + $1.bytes.count }, files.reduce(0) { $0 + ($1.gzip ?? $1.bytes).count }
        )
        #expect(
            bytes < 170_000 && packed < 60_000, "the page has grown to \(bytes) bytes, \(packed) compressed")
    }

    @Test("has HTML that satisfies a strict content security policy")
    func policy() throws {
        for name in ["viewer.html", "compare.html"] { try Self.expectPolicy(name) }
    }

    private static func expectPolicy(_ name: String) throws {
        let html = String(decoding: try #require(ViewerPage.all[name]).bytes, as: UTF8.self)
        #expect(!html.contains("style=") && !html.contains("<style") && !html.contains("http://"))
        #expect(!html.contains("https://") && html.ranges(of: "<script").count == 1)
        #expect(!html.contains(/\son[a-z]+=/))
    }

    @Test("contains the modules built from these sources", arguments: ["scroll", "panorama", "regions"])
    func model(_ kind: String) async throws {
        let module = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).wasm")
        defer { try? FileManager.default.removeItem(at: module) }
        let build = try await BuiltProgram(path: PackageFolder.url(".ci/build-web").path).run([
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
            ViewerPage.all["\(kind).wasm"]?.bytes == now,
            "run .ci/build-web Sources/Serving/ViewerPages/Assets/\(kind).wasm \(kind)")
    }
}
