import Containers
import Files
import ImageMetadata
import TestSupport
import Testing

@Suite("The film inside of a motion photo")
struct EmbeddedFilmTests {
    static let film = FilmMaker.film(brand: "mp42", seconds: 2)

    private func find(_ file: [UInt8]) throws(EmbeddedFilmError) -> EmbeddedFilm? {
        try EmbeddedFilm.find(in: FileBytes(file))
    }

    private static func little(_ value: Int, _ size: Int) -> [UInt8] { big(value, size).reversed() }

    /// A packet that states the items of Android's format 1.0.
    private static func directory(_ items: [(semantic: String, length: String, padding: Int)]) -> String {
        let list = items.map { item in
            """
            <rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="video/mp4" Item:Semantic="\(item.semantic)"
             Item:Length="\(item.length)" Item:Padding="\(item.padding)"/></rdf:li>
            """
        }
        return """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description xmlns:GCamera="http://ns.google.com/photos/1.0/camera/"
             xmlns:Container="http://ns.google.com/photos/1.0/container/"
             xmlns:Item="http://ns.google.com/photos/1.0/container/item/" GCamera:MotionPhoto="1">
            <Container:Directory><rdf:Seq>\(list.joined())</rdf:Seq></Container:Directory>
            </rdf:Description></rdf:RDF></x:xmpmeta>
            """
    }

    static func motionPhoto(_ length: String = "\(film.count)", padding: Int = 0, rest: [UInt8] = [])
        -> [UInt8]
    {
        let items =
            [("Primary", "0", padding), ("MotionPhoto", length, 0)]
            + (rest.isEmpty ? [] : [("Other", "\(rest.count)", 0)])
        return PhotoMaker.jpeg(xmp: directory(items)) + [UInt8](repeating: 0, count: padding) + film + rest
    }

    static func microVideo(_ offset: String = "\(film.count)") -> [UInt8] {
        PhotoMaker.jpeg(
            xmp: XMPMaker.packet([("GCamera:MicroVideo", "1"), ("GCamera:MicroVideoOffset", offset)])) + film
    }

    /// A JPEG with Samsung's trailer.
    static func samsung(size: Int? = nil, back: Int? = nil) -> [UInt8] {
        let name = text("MotionPhoto_Data")
        let record = [0, 0, 0x30, 0x0A] + little(name.count, 4) + name + film
        let other = [0, 0, 1, 0x0A] + little(5, 4) + text("Other") + text("1")
        let all = other + record
        let head =
            text("SEFH") + little(107, 4) + little(2, 4)
            + [0, 0, 1, 0x0A] + little(all.count, 4) + little(other.count, 4)
            + [0, 0, 0x30, 0x0A] + little(back ?? record.count, 4) + little(size ?? record.count, 4)
        let exif = ExifBuilder(bigEndian: true).block([(0x010F, .text("samsung"))])
        return PhotoMaker.jpeg(exif: exif) + all + head + little(head.count, 4) + text("SEFT")
    }

    static func heic(length: Int? = nil) -> [UInt8] {
        let photo = SampleFiles.all.first { $0.format == .heif }?.bytes ?? []
        return photo + big(length ?? film.count + 8, 4) + text("mpvd") + film
    }

    struct Photo: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: EmbeddedFilm.Kind
        var bytes: [UInt8]
        var rest = 0
    }

    static let photos = [
        Photo(testDescription: "a directory of items", kind: .motionPhoto, bytes: motionPhoto()),
        Photo(testDescription: "padding", kind: .motionPhoto, bytes: motionPhoto(padding: 9)),
        Photo(
            testDescription: "an item behind it", kind: .motionPhoto, bytes: motionPhoto(rest: text("rest")),
            rest: 4),
        Photo(testDescription: "an offset from the end", kind: .microVideo, bytes: microVideo()),
        Photo(testDescription: "Samsung's trailer", kind: .samsung, bytes: samsung(), rest: 44),
        Photo(testDescription: "a box of HEIC", kind: .box, bytes: heic()),
        Photo(testDescription: "a box up to the end", kind: .box, bytes: heic(length: 0)),
    ]

    @Test("is found by", arguments: photos)
    func found(_ photo: Photo) throws {
        let film = try #require(try find(photo.bytes))
        #expect(film.kind == photo.kind && film.format == .mp4)
        #expect(Array(photo.bytes[film.range]) == Self.film)
        #expect(film.range.upperBound == photo.bytes.count - photo.rest)
        let metadata = try #require(FileMetadata(of: photo.bytes))
        #expect(metadata.film == film && metadata.kind == .photo)
    }

    /// A JPEG that states to be a motion photo, but not where its film is: its items are a picture and a gain map.
    private static func announced(_ rest: [UInt8]) -> [UInt8] {
        let map = PhotoMaker.jpeg()
        return PhotoMaker.jpeg(xmp: directory([("Primary", "0", 0), ("GainMap", "\(map.count)", 0)])) + map
            + rest
    }

    /// Samsung's trailer without a film.
    private static let trailer: [UInt8] = {
        let record = [0, 0, 1, 0x0A] + little(14, 4) + text("Image_UTC_Data1714982889000")
        let head =
            text("SEFH") + little(107, 4) + little(1, 4) + [0, 0, 1, 0x0A] + little(record.count, 4)
            + little(record.count, 4)
        return record + head + little(head.count, 4) + text("SEFT")
    }()

    static let appended = [
        Photo(testDescription: "nothing", kind: .appended, bytes: PhotoMaker.jpeg() + film),
        Photo(
            testDescription: "nothing, before Samsung's trailer", kind: .appended,
            bytes: PhotoMaker.jpeg() + film + trailer, rest: trailer.count),
        Photo(
            testDescription: "nothing, behind padding and before a text", kind: .appended,
            bytes: PhotoMaker.jpeg() + [UInt8](repeating: 0, count: 70_000) + film + text("LIVE_3512341"),
            rest: 12),
        Photo(testDescription: "XMP without an entry", kind: .appended, bytes: announced(film)),
        Photo(
            testDescription: "XMP without an entry, before Samsung's trailer", kind: .appended,
            bytes: announced(film + trailer), rest: trailer.count),
        Photo(
            testDescription: "XMP without an entry, before another picture", kind: .appended,
            bytes: announced(film + PhotoMaker.jpeg()), rest: PhotoMaker.jpeg().count),
        Photo(
            testDescription: "nothing, behind HEIC", kind: .appended,
            bytes: (SampleFiles.all.first { $0.format == .heif }?.bytes ?? []) + film),
    ]

    @Test("is found behind the picture where its place is stated by", arguments: appended)
    func unstated(_ photo: Photo) throws { try found(photo) }

    @Test("of another maker's photo is found by Samsung's trailer")
    func otherMaker() throws {
        let exif = ExifBuilder(bigEndian: true).block([(0x010F, .text("Apple"))])
        let photo = Self.samsung()
        let trailer = photo.dropFirst(PhotoMaker.jpeg(exif: Self.exif("samsung")).count)
        let metadata = FileMetadata(of: PhotoMaker.jpeg(exif: exif) + trailer)
        #expect(metadata?.make == "Apple" && metadata?.film?.kind == .samsung)
    }

    private static func exif(_ make: String) -> [UInt8] {
        ExifBuilder(bigEndian: true).block([(0x010F, .text(make))])
    }

    @Test("that is announced without a place, and is not there, is an error that says so")
    func nowhere() {
        for file in [Self.announced([]), Self.announced(Self.trailer), Self.announced(Self.film.dropLast(1))]
        {
            #expect(throws: EmbeddedFilmError.nowhere) { try find(file) }
            #expect(FileMetadata(of: file)?.film == nil)
        }
        #expect(
            EmbeddedFilmError.nowhere.description
                == "states that it is a motion photo, but not where its film is")
    }

    @Test("is not seen in other bytes behind a picture")
    func otherBytes() throws {
        let brands = box("ftyp", text("isom"), big(0, 4), text("isom"))
        let audio = brands + box("moov", box("mvhd", [UInt8](repeating: 0, count: 100))) + box("mdat", [0])
        let heif = SampleFiles.all.first { $0.format == .heif }?.bytes ?? []
        var number: UInt64 = 1
        let noise = (0..<100_000).map { _ -> UInt8 in
            number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: number >> 40)
        }
        for rest in [noise, brands, brands + noise, audio, heif, text("ftyp"), Array(Self.film.dropLast(1))] {
            #expect(try find(PhotoMaker.jpeg() + rest) == nil)
            #expect(FileMetadata(of: PhotoMaker.jpeg() + rest)?.film == nil)
        }
    }

    @Test("is looked for by one page at the end of a photo without one")
    func cost() throws {
        let photo = PhotoMaker.jpeg() + [UInt8](repeating: 7, count: 1 << 20) + JPEGSegment.endOfImage
        for file in [photo, photo + [UInt8](repeating: 0, count: 500)] {
            let counted = MemoryFile(file)
            #expect(FileMetadata(FileBytes(counted), name: "a.jpg")?.film == nil)
            #expect(try EmbeddedFilm.find(in: FileBytes(counted)) == nil)
            // A page at the start and one or two at the end, for each.
            #expect(counted.readBytes <= 6 << 14)
        }
    }

    @Test("is not looked for in photos without one, nor in films")
    func none() throws {
        for sample in SampleFiles.all { #expect(try find(sample.bytes) == nil, "\(sample.format)") }
        #expect(try find(Self.film) == nil)
        #expect(try find([]) == nil)
    }

    @Test(
        "that is stated and missing is an error that says so",
        arguments: [
            (motionPhoto("999999999"), true), (motionPhoto("9223372036854775807"), true),
            (motionPhoto("100"), false),
            (motionPhoto("-5"), true), (microVideo("0"), true), (microVideo("17"), false),
            (microVideo("-9223372036854775808"), true), (samsung(size: 1 << 30), true),
            (samsung(size: 3), true),
            (heic(length: 1 << 30), true), (Array(heic().dropLast(5)), true),
            (Array(motionPhoto().dropLast(5)), false),
        ])
    func lies(_ file: [UInt8], _ isOutside: Bool) {
        do throws(EmbeddedFilmError) {
            let film = try find(file)
            Issue.record("is \(String(describing: film))")
        } catch {
            if case .outside = error { #expect(isOutside) } else { #expect(!isOutside) }
            #expect(error.description.hasPrefix("states a film ("))
        }
        // It is a photo all the same.
        #expect(FileMetadata(of: file)?.film == nil)
    }

    @Test("that cannot be read is no missing one, and the photo is one all the same")
    func unreadable() {
        let page = 1 << 14
        let file = FileBytes(BrokenFile(Self.motionPhoto(padding: 2 * page), readable: page))
        #expect(throws: EmbeddedFilmError.unreadable(.unreadable("its disk is broken"))) {
            try EmbeddedFilm.find(in: file)
        }
        let metadata = FileMetadata(file, name: "a.jpg")
        #expect(metadata?.format == .jpeg && metadata?.film == nil)
    }

    @Test("is found or not, without a crash, in files that are damaged anywhere")
    func damage() {
        var number: UInt64 = 1
        for photo in Self.photos {
            for _ in 0..<400 {
                var bytes = photo.bytes
                for _ in 0..<3 {
                    number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    bytes[Int(number >> 33) % bytes.count] = UInt8(truncatingIfNeeded: number >> 20)
                }
                let film = try? find(bytes)
                if let film { #expect(film.range.upperBound <= bytes.count) }
            }
        }
    }
}
