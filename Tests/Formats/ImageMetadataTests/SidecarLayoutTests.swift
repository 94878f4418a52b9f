import Containers
import ImageMetadata
import TestSupport
import Testing
import ViewportGeometry

@Suite("An edit of another program's sidecar")
struct SidecarLayoutTests {
    /// An edit, and the only change of the text that it makes.
    struct Change: CustomTestStringConvertible, Sendable {
        let name: String
        let edit: SidecarEdit
        let changed: @Sendable (String) -> String

        var testDescription: String { name }

        init(
            _ name: String, _ edit: (inout SidecarEdit) -> Void,
            _ changed: @escaping @Sendable (String) -> String
        ) {
            var made = SidecarEdit()
            edit(&made)
            (self.name, self.edit, self.changed) = (name, made, changed)
        }
    }

    static let changes = [
        // The English title is that for all languages.
        Change("title", { $0.title = .set("New & old") }) {
            $0.replacing(">The lake<", with: ">New &amp; old<")
        },
        Change("description", { $0.caption = .set("Two\nlines") }) {
            $0.replacing(">Words &amp; more<", with: ">Two&#xA;lines<")
        },
        Change("rating", { $0.rating = .set(-1) }) {
            $0.replacing("xmp:Rating=\"4\"", with: "xmp:Rating=\"-1\"")
                .replacing("<xmp:Rating>4<", with: "<xmp:Rating>-1<")
                .replacing("PickLabel=\"0\"", with: "PickLabel=\"1\"")
        },
        Change("added word", { $0.keywords = .set(["places", "Geneva", "boat", "Zoë & Max"]) }) { text in
            text.replacing(/(\s*)<(rdf:)?li>boat<\/(rdf:)?li>/) { match in
                "\(match.0)\(match.1)<\(match.2 ?? "")li>Zoë &amp; Max</\(match.2 ?? "")li>"
            }.replacing(/(&lt;Category Assigned=(.{1,6})1(.{1,6})&gt;)boat(&lt;\/Category&gt;)/) { match in
                "\(match.0)\(match.1)Zoë &amp;amp; Max\(match.4)"
            }
        },
        Change("removed word", { $0.keywords = .set(["places", "Geneva"]) }) { text in
            text.replacing(/\s*<(rdf:)?li>boat<\/(rdf:)?li>/, with: "")
                .replacing(/&lt;Category Assigned=.{1,6}1.{1,6}&gt;boat&lt;\/Category&gt;/, with: "")
        },
        Change("nothing new", { ($0.title, $0.rating) = (.set("The lake"), .set(4)) }) { $0 },
    ]

    @Test("changes nothing but what it is about", arguments: SidecarMaker.layouts, changes)
    func exact(_ layout: SidecarMaker.Layout, _ change: Change) throws {
        let expected = change.changed(layout.text)
        #expect(change.name == "nothing new" || expected != layout.text)
        for form in SidecarMaker.Form.allCases {
            let edited = try change.edit.applied(to: form.bytes(layout.text))
            #expect(edited == form.bytes(expected), "\(form): \(String(decoding: edited, as: UTF8.self))")
        }
    }

    @Test("is read back, as all that it does not change", arguments: SidecarMaker.layouts)
    func roundTrip(_ layout: SidecarMaker.Layout) throws {
        for form in SidecarMaker.Form.allCases {
            let former = try SidecarEditTests.read(form.bytes(layout.text))
            #expect(former.title == "The lake" && former.caption == "Words & more", "\(form)")
            #expect(former.rating == 4 && former.keywords == ["places", "Geneva", "boat"], "\(form)")
            let edited = try SidecarEditTests.read(
                SidecarEditTests.everything().applied(to: form.bytes(layout.text)))
            #expect(edited.sidecarFault == nil && edited.title == "A < B & \"C\"", "\(form)")
            #expect(edited.caption == "two\nlines " && edited.keywords == ["lake", "Zoë & Max"], "\(form)")
            #expect(edited.rating == 4 && edited.label == "Red" && edited.orientation == .right, "\(form)")
            #expect(edited.location?.altitude == -4.5 && edited.date?.local.year == 2014, "\(form)")
        }
    }

    @Test(
        "adds what is new at the end, in the form of the sidecar, and removes it whole",
        arguments: SidecarMaker.layouts)
    func added(_ layout: SidecarMaker.Layout) throws {
        for form in SidecarMaker.Form.allCases {
            let former = form.bytes(layout.text)
            var edit = SidecarEdit()
            edit.orientation = .set(.right)
            let edited = try edit.applied(to: former)
            let start = zip(former, edited).prefix { $0 == $1 }.count
            #expect(edited.suffix(former.count - start).elementsEqual(former[start...]), "\(form)")
            let lineFeeds = { (bytes: [UInt8]) in bytes.count { $0 == 0x0A } }
            let returns = { (bytes: [UInt8]) in bytes.count { $0 == 0x0D } }
            if returns(former) > 0 { #expect(lineFeeds(edited) == returns(edited), "\(form)") }
            edit.orientation = .remove
            #expect(try edit.applied(to: edited) == former, "\(form)")
        }
    }
}

@Suite("Texts in several languages")
struct AlternativeTests {
    static let others = "<rdf:li xml:lang=\"de\">See</rdf:li><rdf:li xml:lang=\"fr\">Lac</rdf:li>"

    static func packet(_ items: String) -> [UInt8] {
        Array(XMPMaker.packet([], elements: "<dc:title><rdf:Alt>\(items)</rdf:Alt></dc:title>").utf8)
    }

    static func item(_ text: String) -> String { "<rdf:li xml:lang=\"x-default\">\(text)</rdf:li>" }

    static let changes: [(String, String)] = [
        (others, item("New") + others), ("", item("New")),
        ("<rdf:li>Old</rdf:li>", "<rdf:li>New</rdf:li>"),
        (others + item("Lake"), others + item("New")),
        (item("See") + others, item("New") + others.replacing("See", with: "New")),
        ("<rdf:li xml:lang=\"X-Default\"/>", "<rdf:li xml:lang=\"X-Default\">New</rdf:li>"),
    ]

    @Test("change in the default, and where they are equal to it", arguments: changes)
    func set(_ former: String, _ expected: String) throws {
        var edit = SidecarEdit()
        edit.title = .set("New")
        let edited = try edit.applied(to: Self.packet(former))
        #expect(edited == Self.packet(expected), "\(String(decoding: edited, as: UTF8.self))")
        #expect(try SidecarEditTests.read(edited).title == "New")
    }

    @Test(
        "lose the default, and what is equal to it; other languages stay, and the first of them is shown",
        arguments: [
            (item("Lake") + others, others, "See"), (others, others, "See"),
            (item("See") + others, "<rdf:li xml:lang=\"fr\">Lac</rdf:li>", "Lac"),
        ])
    func removed(_ former: String, _ expected: String, _ title: String) throws {
        var edit = SidecarEdit()
        edit.title = .remove
        let edited = try edit.applied(to: Self.packet(former))
        #expect(edited == Self.packet(expected), "\(String(decoding: edited, as: UTF8.self))")
        #expect(try SidecarEditTests.read(edited).title == title)
    }

    @Test("are read in the default language, wherever it stands")
    func read() throws {
        #expect(try SidecarEditTests.read(Self.packet(Self.others + Self.item("Lake"))).title == "Lake")
        #expect(try SidecarEditTests.read(Self.packet(Self.others)).title == "See")
    }

    @Test(
        "in a form that cannot be edited alone are refused",
        arguments: [
            "<dc:title rdf:parseType=\"Resource\"><rdf:value>T</rdf:value><xmp:q>1</xmp:q></dc:title>",
            "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\"><b>T</b></rdf:li></rdf:Alt></dc:title>",
            "<dc:title><rdf:Alt><rdf:li>a</rdf:li></rdf:Alt><rdf:Alt><rdf:li>b</rdf:li></rdf:Alt></dc:title>",
        ])
    func refused(_ element: String) {
        var edit = SidecarEdit()
        edit.title = .set("New")
        let packet = Array(XMPMaker.packet([], elements: element).utf8)
        #expect(throws: SidecarFault.form(property: "dc:title")) { try edit.applied(to: packet) }
    }
}

@Suite("Keywords of a sidecar")
struct KeywordEditTests {
    private static func list(_ name: String, _ words: [String]) -> String {
        "<\(name)><rdf:Bag>\(words.map { "<rdf:li>\($0)</rdf:li>" }.joined())</rdf:Bag></\(name)>"
    }

    private static func packet(_ plain: [String], _ paths: [String], tags: [String]) -> [UInt8] {
        let lists =
            list("dc:subject", plain) + list("lr:hierarchicalSubject", paths)
            + list("digiKam:TagsList", tags)
        return Array(XMPMaker.packet([], elements: lists).utf8)
    }

    @Test(
        "take the paths along that end in them, and no others",
        arguments: [
            // Added: a word of its own, unless a path ends in it.
            (
                ["a"], ["a|b", "c"], ["a/b"], ["a", "b", "c", "lake"], ["a", "b", "c", "lake"],
                ["a|b", "c", "lake"], ["a/b", "c", "lake"]
            ),
            // Removed: "a" is above "b", which stays.
            (["a", "b"], ["a|b", "a"], ["a/b"], ["b"], ["b"], ["a|b"], ["a/b"]),
            (["a", "b"], ["a|b", "a"], ["a/b"], ["a"], ["a"], ["a"], []),
            // Words with a separator in them are one word.
            (["AC/DC", "a"], ["AC/DC", "a"], ["AC/DC", "a"], ["a"], ["a"], ["a"], ["a"]),
            // What was at odds before stays so.
            (["a"], ["x|y"], ["z"], ["a"], ["a"], ["x|y"], ["z"]),
            // darktable's own words are none of the photo's.
            (["jpg", "a"], ["darktable|format|jpg", "a"], ["a"], [], ["jpg"], ["darktable|format|jpg"], []),
            (["a"], ["a"], ["a"], [], [], [], []),
        ])
    func paths(
        _ plain: [String], _ paths: [String], _ tags: [String], _ words: [String], _ newPlain: [String],
        _ newPaths: [String], _ newTags: [String]
    ) throws {
        var edit = SidecarEdit()
        edit.keywords = .set(words)
        let edited = try edit.applied(to: Self.packet(plain, paths, tags: tags))
        #expect(
            edited == Self.packet(newPlain, newPaths, tags: newTags),
            "\(String(decoding: edited, as: UTF8.self))")
        #expect(try SidecarEditTests.read(edited).keywords == words)
    }

    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    @Test("are equal if they look the same: the spelling that is there stays, and is removed by the other")
    func normalization() throws {
        let former = Self.packet([Self.decomposed], [Self.decomposed], tags: [])
        var edit = SidecarEdit()
        edit.keywords = .set([Self.composed])
        #expect(try edit.applied(to: former) == former)
        edit.keywords = .set(["lake"])
        let removed = try edit.applied(to: former)
        #expect(removed == Self.packet(["lake"], ["lake"], tags: ["lake"]))
    }

    @Test(
        "of any characters are read back in one line",
        arguments: [
            ("<b>&amp;</b>", "<b>&amp;</b>"), ("a\u{1}\u{7F}b", "a  b"), (" a\tb\r\n", "a b"), ("]]>", "]]>"),
            ("\u{202E}\u{5E9}\u{5DC}\u{5D5}\u{5DD}", "\u{202E}\u{5E9}\u{5DC}\u{5D5}\u{5DD}"),
            ("a,b|c/d", "a,b|c/d"),
            ("\u{1F3D4}\u{FE0F}", "\u{1F3D4}\u{FE0F}"), ("a\u{FFFE}b", "a b"),
        ])
    func characters(_ word: String, _ expected: String) throws {
        for layout in SidecarMaker.layouts {
            for form in SidecarMaker.Form.allCases {
                var edit = SidecarEdit()
                edit.keywords = .set(["places", word])
                let edited = try edit.applied(to: form.bytes(layout.text))
                #expect(
                    try SidecarEditTests.read(edited).keywords == ["places", expected], "\(layout) \(form)")
                // Again nothing is new.
                #expect(try edit.applied(to: edited) == edited, "\(layout) \(form)")
                edit.keywords = .set(["places"])
                #expect(try SidecarEditTests.read(edit.applied(to: edited)).keywords == ["places"])
            }
        }
    }

    @Test("can be thousands, and long")
    func many() throws {
        let words = (0..<5000).map { "word \($0)" } + [String(repeating: "long ", count: 100_000) + "end"]
        for layout in SidecarMaker.layouts {
            var edit = SidecarEdit()
            edit.keywords = .set(["places", "Geneva", "boat"] + words)
            let edited = try edit.applied(to: Array(layout.text.utf8))
            #expect(
                try SidecarEditTests.read(edited).keywords == ["places", "Geneva", "boat"] + words,
                "\(layout)")
            edit.keywords = .set(["places", "Geneva", "boat"])
            #expect(try edit.applied(to: edited) == Array(layout.text.utf8), "\(layout)")
        }
    }

    @Test("that are all removed are none, whatever the file states")
    func none() throws {
        let file = PhotoMaker.jpeg(xmp: SampleFiles.xmp)
        #expect(FileMetadata(FileBytes(file), name: "x.jpg")?.keywords.isEmpty == false)
        var edit = SidecarEdit()
        edit.keywords = .set([])
        let read = FileMetadata(FileBytes(file), name: "x.jpg", sidecar: try edit.applied(to: nil))
        #expect(read?.keywords == [])
    }
}

@Suite("A broken sidecar")
struct SidecarFaultTests {
    static let whole = SidecarMaker.layouts[0].text

    static let cases: [(name: String, bytes: [UInt8], fault: SidecarFault)] = [
        ("empty", [], .empty),
        ("zeros", [UInt8](repeating: 0, count: 512), .notXMP),
        ("text", Array("no XMP".utf8), .notXMP),
        ("JSON", Array("{\"a\": 1}".utf8), .notXMP),
        ("another root", Array("<html><body/></html>".utf8), .notXMP),
        ("JPEG", TinyPhoto.jpeg(), .notText(encoding: "UTF-8")),
        ("cut in a tag", Array(whole.utf8.prefix(700)), .cut),
        ("cut before its end", Array(whole.utf8.dropLast(900)), .cut),
        (
            "UTF-16, cut in a character", Array(SidecarMaker.Form.utf16Little.bytes(whole).dropLast()),
            .notText(encoding: "UTF-16")
        ),
        ("UTF-16, half a pair", [0xFF, 0xFE, 0x3C, 0, 0, 0xD8, 0x3C, 0], .notText(encoding: "UTF-16")),
        ("Latin-1", Array(whole.utf8) + [0xE9], .notText(encoding: "UTF-8")),
        (
            "Latin-1 by its declaration", Array("<?xml version='1.0' encoding='ISO-8859-1'?>\(whole)".utf8),
            .encoding("ISO-8859-1")
        ),
        (
            "entities", Array("<!DOCTYPE x [<!ENTITY a \"aaaa\">]>\(whole)".utf8), .notXML(offset: 1)
        ),
        ("unknown entity", Array(whole.replacing("The lake", with: "&lol;").utf8), .notXML(offset: 0)),
        ("crossed tags", Array(whole.replacing("</rdf:Alt>", with: "</rdf:Bag>").utf8), .notXML(offset: 0)),
        ("two roots", Array((whole + whole).utf8), .notXML(offset: 0)),
        ("deep", Array("<a>".utf8).repeated(100_000), .notXML(offset: 0)),
        ("large", [UInt8](repeating: 0x20, count: 100 << 20), .tooLarge),
    ]

    @Test("is named with its fault, and neither read nor edited", arguments: cases.indices)
    func faults(_ index: Int) throws {
        let (name, bytes, fault) = Self.cases[index]
        let file = PhotoMaker.jpeg(exif: SampleFiles.exif, xmp: SampleFiles.xmp)
        let plain = try #require(FileMetadata(FileBytes(file), name: "x.jpg"))
        var read = try #require(FileMetadata(FileBytes(file), name: "x.jpg", sidecar: bytes))
        // The place in the text is checked where it is known.
        let found = try #require(read.sidecarFault, "\(name)")
        if case (.notXML, .notXML(0)) = (found, fault) {} else { #expect(found == fault, "\(name)") }
        read.sidecarFault = nil
        #expect(read == plain, "\(name)")
        var edit = SidecarEdit()
        edit.rating = .set(1)
        #expect(throws: found, "\(name)") { try edit.applied(to: bytes) }
    }

    @Test("in UTF-16 is broken at a byte of the file")
    func offset() {
        let broken = "<?xml version='1.0'?><é></ö>"
        var edit = SidecarEdit()
        edit.rating = .set(1)
        let offset = "<?xml version='1.0'?><é></ö".utf16.count
        #expect(throws: SidecarFault.notXML(offset: 2 * offset + 2)) {
            try edit.applied(to: SidecarMaker.Form.utf16Big.bytes(broken))
        }
        #expect(throws: SidecarFault.notXML(offset: "<?xml version='1.0'?><é></ö".utf8.count)) {
            try edit.applied(to: Array(broken.utf8))
        }
    }

    @Test(
        "is whole though its declaration names UTF-16, or it has no line break or declaration",
        arguments: [
            "<?xml version=\"1.0\" encoding=\"utf-16\"?>", "<?xml version='1.0'?>",
            "<?xml version=\"1.0\" encoding='utf8' ?>",
        ])
    func declarations(_ declaration: String) throws {
        let body = SidecarMaker.layouts[1].text.drop { $0 != "\n" }
        #expect(try SidecarEditTests.read(Array((declaration + body).utf8)).rating == 4)
    }
}

extension [UInt8] {
    fileprivate func repeated(_ count: Int) -> [UInt8] { (0..<count).flatMap { _ in self } }
}
