import Foundation
import PNGEncoding
import TestSupport
import Testing
import ViewportGeometry

@testable import PDFWriting

@Suite("A page of a PDF")
struct PDFPageTests {
    /// A document as a reader sees it: the objects that its table of offsets leads to.
    struct Document {
        let text: String
        let objects: [Int: String]
        let root: Int

        init(_ file: [UInt8]) throws {
            // Latin-1 keeps one character per byte.
            text = String(file.map { Character(Unicode.Scalar($0)) })
            let bytes = Array(text)
            let start = try #require(text.firstMatch(of: /startxref\n(\d+)\n%%EOF\n$/).flatMap { Int($0.1) })
            let table = String(bytes[start...])
            let count = try #require(table.firstMatch(of: /^xref\n0 (\d+)\n/).flatMap { Int($0.1) })
            let entries = table.matches(of: /(\d{10}) (\d{5}) ([nf]) \n/)
            try #require(entries.count == count)
            var objects: [Int: String] = [:]
            for (number, entry) in entries.enumerated() where entry.3 == "n" {
                let object = String(bytes[(try #require(Int(entry.1)))..<start])
                try #require(object.hasPrefix("\(number) 0 obj\n"))
                objects[number] = object.components(separatedBy: "\nendobj\n")[0]
            }
            self.objects = objects
            root = try #require(table.firstMatch(of: /\/Root (\d+) 0 R/).flatMap { Int($0.1) })
        }

        /// Returns the object that a key of another one refers to.
        func follow(_ key: String, from number: Int) throws -> Int {
            let pattern = try Regex("/\(key) \\[?(\\d+) 0 R", as: (Substring, Substring).self)
            return try #require(objects[number]?.firstMatch(of: pattern).flatMap { Int($0.1) })
        }

        var page: Int { get throws { try follow("Kids", from: follow("Pages", from: root)) } }

        var content: String { get throws { try objects[follow("Contents", from: page)] ?? "" } }
    }

    static func page(_ width: Double = 320, _ height: Double = 480) -> PDFPage {
        PDFPage(size: Size(width: width, height: height))
    }

    static let pixel = PDFImage(.init(width: 1, height: 1, channels: 3, .plain, [255, 0, 0]))

    @Test("has a table of offsets that leads to every object")
    func table() throws {
        var page = Self.page()
        page.fill(Rect(x: 10, y: 20, width: 30, height: 40), red: 1, green: 0.5, blue: 0)
        page.draw(Self.pixel, in: Rect(x: 0, y: 0, width: 320, height: 240))
        let document = try Document(page.file)
        #expect(document.objects.count == 5)
        #expect(try document.objects[document.page]?.contains("/MediaBox [0 0 320 480]") == true)
        let content = try document.content
        #expect(content.contains("1 0 0 -1 0 480 cm\nq 1 0.5 0 rg 10 20 30 40 re f Q\n"))
        #expect(content.contains("q 320 0 0 -240 0 240 cm /Im0 Do Q\n"))
        let stated = try #require(content.firstMatch(of: /Length (\d+)/).flatMap { Int($0.1) })
        let stream = content.components(separatedBy: "stream\n")[1].dropLast("\nendstream".count)
        #expect(stream.count == stated)
    }

    @Test("writes each opacity once, and none for opaque colors")
    func opacities() throws {
        var page = Self.page()
        for opacity in [0.25, 1, 0.5, 0.25] {
            page.fill(Rect(x: 0, y: 0, width: 1, height: 1), red: 0, green: 0, blue: 0, opacity: opacity)
        }
        let document = try Document(page.file)
        #expect(
            try document.objects[document.page]?.contains("/A0 << /ca 0.25 >> /A1 << /ca 0.5 >> >>") == true)
        #expect(try document.content.matches(of: /gs/).count == 3)
    }

    @Test(
        "writes numbers without exponents and with at most six decimals",
        arguments: [
            (1e-9, "0"), (0.1, "0.1"), (-0.25, "-0.25"), (1.0 / 3, "0.333333"), (1e30, "1000000000"),
            (.nan, "0"), (-.infinity, "0"), (12, "12"),
        ])
    func numbers(_ value: Double, _ text: String) throws {
        var page = Self.page()
        page.fill(Rect(x: value, y: 0, width: 1, height: 1), red: 0, green: 0, blue: 0)
        #expect(try Document(page.file).content.contains(" rg \(text) 0 1 1 re"))
    }

    @Test("has a larger unit where the page exceeds the limit of readers")
    func unit() throws {
        let document = try Document(Self.page(65_000, 1000).file)
        #expect(try document.objects[document.page]?.contains("/UserUnit 5") == true)
        #expect(try document.objects[document.page]?.contains("[0 0 13000 200]") == true)
    }

    @Test("gives equal bytes for equal pages")
    func equal() {
        func made() -> [UInt8] {
            var page = Self.page()
            page.draw(Self.pixel, in: Rect(x: 1, y: 2, width: 3, height: 4))
            return page.file
        }
        #expect(made() == made())
    }

    @Test("shows deflated rows, opacities and colors as pdftoppm draws them")
    func drawn() async throws {
        guard let poppler = BuiltProgram(installed: "pdftoppm") else { return }
        let (width, height) = (16, 8)
        var rows: [UInt8] = []
        for index in 0..<(width * height) {
            rows += [UInt8(index % width * 16), UInt8(index / width * 32), 77]
        }
        let stream = try PNGEncoder().zlibStream(
            of: rows.span, as: PNGFormat(width: width, height: height, channels: .rgb))
        var page = Self.page(32, 16)
        page.draw(
            PDFImage(.init(width: width, height: height, channels: 3, .deflatedRows, stream)),
            in: Rect(x: 0, y: 0, width: 16, height: 8))
        page.fill(Rect(x: 16, y: 0, width: 16, height: 8), red: 0, green: 0, blue: 1)
        page.draw(
            PDFImage(
                .init(width: 1, height: 1, channels: 3, .plain, [255, 0, 0]),
                opacity: .init(width: 2, height: 1, channels: 1, .plain, [255, 0])),
            in: Rect(x: 16, y: 0, width: 16, height: 8))
        let folder = try TemporaryFolder()
        try Data(page.file).write(to: folder.url.appendingPathComponent("page.pdf"))
        let run = try await poppler.run(["-r", "72", "page.pdf", "out"], in: folder.url)
        #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
        let name = try #require(folder.names.first { $0.hasPrefix("out") })
        let pixels = [UInt8](try folder.data(name)).suffix(32 * 16 * 3)
        func pixel(_ x: Int, _ y: Int) -> [UInt8] {
            Array(pixels.dropFirst((y * 32 + x) * 3).prefix(3))
        }
        for y in 0..<height {
            for x in 0..<width {
                // Poppler draws images one pixel wider and higher than they are.
                let offset = (y * width + x) * 3
                let differences = zip(pixel(x, y), rows[offset...]).map { abs(Int($0) - Int($1)) }
                #expect(differences.allSatisfy { $0 < 33 })
            }
        }
        #expect(
            pixel(18, 4) == [255, 0, 0] && pixel(30, 4) == [0, 0, 255] && pixel(8, 12) == [255, 255, 255])
    }

    // MARK: Words and structure

    /// A page with a picture that has words over it, and a figure.
    static func card() -> PDFPage {
        var page = Self.page()
        (page.title, page.producer, page.profile) = ("Größe", "viewport", [1, 2, 3])
        let whole = Rect<ViewSpace>(x: 0, y: 0, width: 320, height: 480)
        page.add(.decoration, in: whole) { $0.fill(whole, red: 1, green: 1, blue: 1) }
        let place = Rect<ViewSpace>(x: 10, y: 20, width: 100, height: 80)
        page.add(.figure("A lake"), in: place) { $0.draw(pixel, in: place) }
        let line = Rect<ViewSpace>(x: 10, y: 110, width: 60, height: 20)
        page.add(.paragraph, in: line) {
            $0.draw(pixel, in: line)
            $0.addWords("Größe ", in: line, isRightToLeft: false)
            $0.addWords("שלום", in: Rect(x: 100, y: 110, width: 40, height: 20), isRightToLeft: true)
        }
        return page
    }

    @Test("says what its parts are, and has a title and the meaning of its colors")
    func structure() throws {
        let document = try Document(Self.card().file)
        let catalog = try #require(document.objects[document.root])
        #expect(catalog.contains("/MarkInfo << /Marked true >>") && catalog.contains("/DisplayDocTitle true"))
        #expect(catalog.contains("/S /GTS_PDFA1"))
        let tree = try document.follow("StructTreeRoot", from: document.root)
        let body = try document.objects[document.follow("K", from: tree)]
        #expect(body?.contains("/S /Document") == true)
        let parts = document.objects.values.filter { $0.contains("/StructElem") }
        let figure = try #require(parts.first { $0.contains("/S /Figure") })
        // In units from the bottom-left corner.
        #expect(
            figure.contains("/Alt <FEFF00410020006C0061006B0065>")
                && figure.contains("/BBox [10 380 110 460]"))
        #expect(parts.contains { $0.contains("/S /P ") && $0.contains("/K 1") })
        let content = try document.content
        #expect(
            content.contains("/Artifact BMC\nq 1 1 1 rg") && content.contains("/Figure << /MCID 0 >> BDC"))
        #expect(content.matches(of: /EMC/).count == 3)
        let trailer = try #require(document.text.firstMatch(of: /\/Info (\d+) 0 R/).flatMap { Int($0.1) })
        #expect(document.objects[trailer]?.contains("/Title <FEFF0047007200F600DF0065>") == true)
    }

    @Test("has words over a picture that programs find, copy and place")
    func words() async throws {
        let folder = try TemporaryFolder()
        try Data(Self.card().file).write(to: folder.url.appendingPathComponent("card.pdf"))
        if let qpdf = BuiltProgram(installed: "qpdf") {
            let checked = try await qpdf.run(["--check", "card.pdf"], in: folder.url)
            #expect(checked.code == 0, "\(checked.text) \(checked.errors)")
        }
        guard let poppler = BuiltProgram(installed: "pdftotext") else { return }
        let read = try await poppler.run(["-bbox", "card.pdf", "-"], in: folder.url)
        // It says that the profile of this page is none.
        #expect(read.code == 0, "\(read.errors)")
        let word = try #require(
            read.text.firstMatch(of: /xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">Größe</)
        )
        let box = [word.1, word.2, word.3, word.4].compactMap { Double($0) }
        // Readers give words the height of usual fonts.
        for (found, right) in zip(box, [10.0, 110, 60, 130]) { #expect(abs(found - right) < 5, "\(box)") }
        let plain = try await poppler.run(["card.pdf", "-"], in: folder.url)
        #expect(plain.text.contains("שלום"), "\(plain.text)")
    }

    @Test("has any number of different characters")
    func manyCharacters() async throws {
        var page = Self.page(3000, 3000)
        let text = String((0x4E00..<(0x4E00 + 700)).compactMap { Unicode.Scalar($0) }.map(Character.init))
        page.add(.paragraph, in: Rect(x: 0, y: 0, width: 2800, height: 20)) {
            $0.addWords(text, in: Rect(x: 0, y: 0, width: 2800, height: 20), isRightToLeft: false)
        }
        let document = try Document(page.file)
        #expect(document.objects.values.filter { $0.contains("/Subtype /Type3") }.count == 3)
        guard let poppler = BuiltProgram(installed: "pdftotext") else { return }
        let folder = try TemporaryFolder()
        try Data(page.file).write(to: folder.url.appendingPathComponent("page.pdf"))
        let read = try await poppler.run(["page.pdf", "-"], in: folder.url)
        #expect(read.text.trimmingCharacters(in: .whitespacesAndNewlines) == text)
    }
}
