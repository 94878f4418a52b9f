import Basics
import Files
import Foundation
import ImageMetadata
import PhotoCatalog
import TestLibraries
import Testing

@testable import AssetCatalog
@testable import ExportDocuments
@testable import PhotoImport

@Suite("A Takeout sidecar")
struct TakeoutNameTests {
    private func file(_ name: String) -> SourceFile {
        SourceFile(
            path: FilePath("/t/\(name)"), status: FileStatus(size: 1, modified: 0, inode: 1, device: 1))
    }

    private func content(_ title: String) throws -> TakeoutSidecar {
        let json = #"{"title":"\#(title)","photoTakenTime":{"timestamp":"1"}}"#
        guard case .sidecar(let sidecar) = try TakeoutDocument(Array(json.utf8)) else {
            throw InvalidText("no sidecar")
        }
        return sidecar
    }

    struct Scene: Sendable, CustomTestStringConvertible {
        var media: [String]
        /// Names of sidecars with their titles.
        var sidecars: [(name: String, title: String)]
        /// The sidecar of each file.
        var expected: [String: String]
        var testDescription: String { sidecars.map(\.name).joined(separator: " ") }
    }

    private static let long = "a_name_of_more_than_forty_seven_characters_that_is_cut"

    private static let original = "original_01234567-89ab-cdef-0123-456789abcdef_"

    static let scenes = [
        Scene(media: ["x.jpg"], sidecars: [("x.jpg.json", "x.jpg")], expected: ["x.jpg": "x.jpg.json"]),
        Scene(
            media: ["x.jpg", "x(1).jpg"],
            sidecars: [
                ("x.jpg.supplemental-metadata.json", "x.jpg"),
                ("x.jpg.supplemental-metadata(1).json", "x.jpg"),
            ],
            expected: [
                "x.jpg": "x.jpg.supplemental-metadata.json",
                "x(1).jpg": "x.jpg.supplemental-metadata(1).json",
            ]),
        // A file that was named so, and one that Google has numbered.
        Scene(
            media: ["x(1).jpg", "x.jpg"], sidecars: [("x(1).jpg.json", "x(1).jpg"), ("x.jpg.json", "x.jpg")],
            expected: ["x(1).jpg": "x(1).jpg.json", "x.jpg": "x.jpg.json"]),
        // Named with a number and cut before it: the title is the file's name.
        Scene(
            media: ["\(original)P(1).jpg", "\(original)P.jpg"],
            sidecars: [
                ("\(original).json", "\(original)P(1).jpg")
            ], expected: ["\(original)P(1).jpg": "\(original).json"]),
        // A number in the name of the sidecar is Google's: the title is that of another file.
        Scene(
            media: ["\(original)P.jpg"], sidecars: [("\(original)(1).json", "\(original)P.jpg")],
            expected: [:]),
        Scene(media: ["x.jpg"], sidecars: [("x..json", "x.jpg")], expected: ["x.jpg": "x..json"]),
        Scene(media: ["x.jpg"], sidecars: [("x.jpg.s.json", "x.jpg")], expected: ["x.jpg": "x.jpg.s.json"]),
        // A short name is not cut: "x" could be anything.
        Scene(media: ["xyz.jpg"], sidecars: [("x.json", "other.jpg")], expected: [:]),
        // The photo has the sidecar, its film and its edited copy share it.
        Scene(
            media: ["I.HEIC", "I.MP4", "I-bearbeitet.jpg", "J.MP4"], sidecars: [("I.HEIC.json", "I.HEIC")],
            expected: ["I.HEIC": "I.HEIC.json", "I.MP4": "I.HEIC.json", "I-bearbeitet.jpg": "I.HEIC.json"]),
        Scene(
            media: ["I.HEIC", "I.JPG"], sidecars: [("I.HEIC.json", "I.HEIC"), ("I.JPG.json", "I.JPG")],
            expected: ["I.HEIC": "I.HEIC.json", "I.JPG": "I.JPG.json"]),
        // Two photos of one name are not one.
        Scene(
            media: ["I.HEIC", "I.JPG"], sidecars: [("I.HEIC.json", "I.HEIC")],
            expected: ["I.HEIC": "I.HEIC.json"]),
        Scene(
            media: ["\(long.prefix(47)).jpg"], sidecars: [("\(long.prefix(46)).json", "\(long).jpg")],
            expected: ["\(long.prefix(47)).jpg": "\(long.prefix(46)).json"]),
        // Two names that begin alike: the title decides, and without it nothing is guessed.
        Scene(
            media: ["\(long.prefix(45))Ax.jpg", "\(long.prefix(45))B.jpg"],
            sidecars: [("\(long.prefix(45)).json", "\(long.prefix(45))B.jpg")],
            expected: ["\(long.prefix(45))B.jpg": "\(long.prefix(45)).json"]),
        Scene(
            media: ["\(long.prefix(45))Ax.jpg", "\(long.prefix(45))B.jpg"],
            sidecars: [("\(long.prefix(45)).json", "unlike.jpg")], expected: [:]),
        Scene(
            media: ["a_b_.jpg"], sidecars: [("else.json", "a/b?.jpg")], expected: ["a_b_.jpg": "else.json"]),
        Scene(
            media: ["été.jpg"], sidecars: [("e\u{301}te\u{301}.jpg.json", "t")],
            expected: ["été.jpg": "e\u{301}te\u{301}.jpg.json"]),
        // Edited copies with several words, and with words that are in no table but end two files.
        Scene(
            media: ["a.jpg", "a-ha editado.jpg", "a-已修改.jpg", "a-effects.jpg"],
            sidecars: [("a.jpg.json", "a.jpg")],
            expected: [
                "a.jpg": "a.jpg.json", "a-ha editado.jpg": "a.jpg.json", "a-已修改.jpg": "a.jpg.json",
                "a-effects.jpg": "a.jpg.json",
            ]),
        Scene(
            media: ["a.jpg", "a-quux zot.jpg", "b.HEIC", "b-Quux zot.JPG", "b-once.jpg", "b-2.jpg"],
            sidecars: [("a.jpg.json", "a.jpg"), ("b.HEIC.json", "b.HEIC")],
            expected: [
                "a.jpg": "a.jpg.json", "a-quux zot.jpg": "a.jpg.json", "b.HEIC": "b.HEIC.json",
                "b-Quux zot.JPG": "b.HEIC.json",
            ]),
        // The films of motion photos have the names of their photos without the extension.
        Scene(
            media: ["P.MP.jpg", "P.MP", "Q.MP~2.jpg", "Q.MP~2", "MVIMG_1.jpg", "MVIMG_1", "R.jpg", "R.MV"],
            sidecars: [
                ("P.MP.jpg.json", "P.MP.jpg"), ("Q.MP~2.jpg.json", "Q.MP~2.jpg"),
                ("MVIMG_1.jpg.json", "MVIMG_1.jpg"), ("R.jpg.json", "R.jpg"),
            ],
            expected: [
                "P.MP.jpg": "P.MP.jpg.json", "P.MP": "P.MP.jpg.json", "Q.MP~2.jpg": "Q.MP~2.jpg.json",
                "Q.MP~2": "Q.MP~2.jpg.json", "MVIMG_1.jpg": "MVIMG_1.jpg.json",
                "MVIMG_1": "MVIMG_1.jpg.json", "R.jpg": "R.jpg.json", "R.MV": "R.jpg.json",
            ]),
    ]

    @Test(
        "is no document of an album, which has a title and may have any other members",
        arguments: [
            (#"{"title":"Ré","date":{},"geoData":{"latitude":0.0,"longitude":0.0}}"#, false, false, []),
            (
                #"{"title":"Ré","description":"x","access":"protected","geoData":{"latitude":46.5,"longitude":1}}"#,
                false, false, ["description", "geoData"]
            ),
            (#"{"title":"Ré","url":"u","geoData":{}}"#, true, false, []),
            (#"{"title":"Ré"}"#, true, false, []), (#"{"title":"Ré"}"#, false, false, nil),
            (#"{"title":"a.jpg","description":"","access":""}"#, true, true, []),
            (#"{"title":"Ré","enrichments":[{"text":"x"}]}"#, true, false, ["enrichments"]),
            (#"{"albumData":{"title":"Ré","geoData":{}}}"#, true, false, []),
            (#"{"title":["Memories"]}"#, true, false, nil), (#"{"subscription":[]}"#, true, false, nil),
        ] as [(String, Bool, Bool, [String]?)])
    func albums(_ json: String, _ isInExport: Bool, _ isOfFile: Bool, _ unused: [String]?) throws {
        switch try TakeoutDocument(Array(json.utf8), isOfFile: isOfFile, isInExport: isInExport) {
        case .album(_, let names): #expect(names == unused)
        case .other: #expect(unused == nil)
        case .sidecar: Issue.record("is a sidecar")
        }
    }

    @Test("belongs to the file of its name", arguments: scenes)
    func names(_ scene: Scene) throws {
        let sidecars = try scene.sidecars.map { name, title in
            TakeoutMatcher.Sidecar(
                file: file(name), name: try #require(TakeoutSidecarName(name)), content: try content(title))
        }
        for media in [scene.media, scene.media.reversed()] {
            let words = TakeoutWords(in: [(media + scene.sidecars.map(\.name)).map(file)])
            let matcher = TakeoutMatcher(media.map(file), sidecars, words)
            let found = matcher.sidecarOf.map { (media[$0.key], scene.sidecars[$0.value].name) }
            #expect(Dictionary(uniqueKeysWithValues: found) == scene.expected)
        }
    }

    @Test(
        "that is none says why",
        arguments: [
            ("{", "is no Takeout sidecar: it is not valid JSON at byte 1"),
            (#"{"title":"a.jpg","url":"u"}"#, #"is no Takeout sidecar: "photoTakenTime" is missing"#),
            (
                #"{"title":"a","photoTakenTime":{}}"#,
                #"is no Takeout sidecar: "photoTakenTime.timestamp" is missing"#
            ),
            (
                #"{"title":"a","photoTakenTime":{"timestamp":"NaN"}}"#,
                #"is no Takeout sidecar: "photoTakenTime.timestamp" is no time in the years 1000 to 9999"#
            ),
            (
                #"{"title":"a","photoTakenTime":{"timestamp":"99999999999999999"}}"#,
                #"is no Takeout sidecar: "photoTakenTime.timestamp" is no time in the years 1000 to 9999"#
            ),
        ])
    func faults(_ json: String, _ sentence: String) {
        do throws(InvalidText) {
            _ = try TakeoutDocument(Array(json.utf8))
            Issue.record("is valid")
        } catch {
            #expect(error.description == sentence)
        }
    }

    @Test("states a place only where it is one")
    func places() throws {
        func location(_ geo: String) throws -> Location? {
            let json = #"{"photoTakenTime":{"timestamp":5},\#(geo)}"#
            guard case .sidecar(let sidecar) = try TakeoutDocument(Array(json.utf8)) else { return nil }
            return sidecar.facts.location
        }
        let zero = #"{"latitude":0.0,"longitude":0,"altitude":0.0}"#
        #expect(try location(#""geoData":\#(zero)"#) == nil)
        #expect(try location(#""geoData":{"latitude":91,"longitude":0}"#) == nil)
        #expect(try location(#""geoData":{"latitude":"1","longitude":2}"#) == nil)
        #expect(try location(#""geoData":{"latitude":1e400,"longitude":2}"#) == nil)
        #expect(
            try location(#""geoData":\#(zero),"geoDataExif":{"latitude":1,"longitude":2}"#)?.longitude == 2)
        #expect(try location(#""geoData":{"latitude":-3.5,"longitude":0}"#)?.latitude == -3.5)
    }

    /// 2019-07-04 10:11:12 in UTC.
    private static let taken = 1_562_235_072

    @Test(
        "gives way to a camera's clock that is the same moment in a time zone",
        arguments: [
            (nil, nil, "2019-07-04T10:11:12+00:00"),
            ("2019-07-04T12:11:12", DateSource.dateTimeOriginal, nil),
            ("2019-07-04T10:11:12", .dateTimeOriginal, nil),
            ("2019-07-05T00:11:12", .createDate, nil),
            ("2019-07-05T00:12:13", .createDate, "2019-07-04T10:11:12+00:00"),
            ("2012-01-01T00:00:00", .dateTimeOriginal, "2019-07-04T10:11:12+00:00"),
            ("2012-01-01T00:00:00", .sidecarDateTimeOriginal, nil),
            ("2019-07-04T15:41:12", .fileName, "2019-07-04T15:41:12+05:30"),
            ("2019-07-04T10:11:12", .fileName, "2019-07-04T10:11:12"),
            ("2019-07-04T15:50:12", .fileName, "2019-07-04T10:11:12+00:00"),
            ("2019-07-04T15:41:12", .fileTime, "2019-07-04T10:11:12+00:00"),
        ] as [(String?, DateSource?, String?)])
    func dates(_ own: String?, _ source: DateSource?, _ expected: String?) throws {
        var facts = ExportFacts(of: Takeout.title)
        facts.taken = Self.taken
        let date = try own.map {
            CaptureDate(local: try clock($0), source: try #require(source))
        }
        let new = facts.date(instead: date)
        #expect(new.map { $0.local.description + ($0.offset?.description ?? "") } == expected)
        #expect(new?.source.isGuess != true)
    }

    @Test(
        "in a folder of a year or a day is in no album",
        arguments: [
            ("Photos from 2019", true), ("Fotos von 2019", true), ("Photos de 2019", true),
            ("Foto's uit 2019", true),
            ("2019年の写真", true), ("2019-07-04", true), ("2019-07-04 #2", true), ("Trip 2019", false),
            ("2019", false),
            ("Paris 2019-2020", false),
        ])
    func folders(_ name: String, _ isPeriod: Bool) {
        #expect((TakeoutFolderName.isYear(name) || TakeoutFolderName.isDay(name)) == isPeriod)
    }
}
