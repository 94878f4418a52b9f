import Foundation
import ImageMetadata
import PhotoCatalog
import TestLibraries
import Testing

@Suite("A query")
struct AssetQueryTests {
    private static func assets() throws -> [Asset] {
        var lake = try Asset.made("trip/lake.jpg", "2014-05-25T10:00:00", place: "Nyon, Vaud, CH")
        (lake.make, lake.model, lake.lens) = ("FUJIFILM", "X100S", "23 mm F2")
        (lake.rating, lake.label, lake.keywords) = (4, "Red", ["water", "Lac Léman"])
        lake.location = Location(latitude: 46.38, longitude: 6.24, source: .exif)
        var boat = try Asset.made("trip/boat.png", "2015-01-01T00:00:00", kinds: [.photo, .png])
        (boat.make, boat.model, boat.rating) = ("Canon", "EOS 5D", 5)
        (boat.title, boat.caption) = ("The boat's name", "on the lake")
        boat.burst = "b"
        var raw = try Asset.made("raw.nef", "2016-02-03")
        (raw.format, raw.rating) = (.nef, -1)
        var film = try Asset.made("trip2/film.mp4", nil, kinds: .video)
        film.keywords = ["waterfall"]
        var phone = try Asset.made("phone.heic", nil)
        phone.format = .heif
        return [lake, boat, raw, film, phone]
    }

    @Test(
        "includes what matches all of its words and conditions",
        arguments: [
            ("", "lake boat raw film phone"), ("  ", "lake boat raw film phone"), ("lake", "lake boat"),
            ("LAK", "lake boat"), ("lake boat", "boat"), ("\"the lake\"", "boat"), ("\"lake the\"", ""),
            ("-lake", "raw film phone"), ("camera:x100", "lake"), ("camera:\"eos 5d\"", "boat"),
            ("lens:23", "lake"),
            ("rating:4", "lake"), ("rating:>=4", "lake boat"), ("rating:>4", "boat"), ("rating:<0", "raw"),
            ("rating:<=0", "raw film phone"), ("rating:3..4", "lake"), ("label:red", "lake"),
            ("keyword:water", "lake"), ("keyword:\"Lac Léman\"", "lake"), ("water", "lake film"),
            ("stars:4", "lake"), ("stars:>=4", "lake boat"), ("kind:raw", "raw"),
            ("month:5", "lake"), ("month:05", "lake"), ("month:May", "lake"), ("month:jan", "boat"),
            ("month:1..2", "boat raw"), ("month:nov..january", "boat"), ("-month:5", "boat raw film phone"),
            ("month:12", ""),
            ("from:2015", "boat raw"), ("to:2014-05-25", "lake"), ("date:2015", "boat"),
            ("near:46.2,6.14,25", "lake"), ("-near:46.2,6.14,25", "boat raw film phone"),
            ("place:switzerland", "lake"), ("folder:trip", "lake boat"), ("folder:trip/", "lake boat"),
            ("format:heic", "phone"), ("format:png", "boat"), ("is:raw", "raw"), ("is:heic", "phone"),
            ("is:HIF", "phone"),
            ("type:raw", "raw"), ("type:heic", "phone"), ("type:video", "film"), ("type:NEF", "raw"),
            ("-type:photo", "film"), ("type:jpg rating:>=4", "lake"),
            ("is:video", "film"), ("-is:video", "lake boat raw phone"), ("is:undated", "film phone"),
            ("is:located", "lake"), ("is:burst", "boat"), ("is:rejected", "raw"), ("is:live", ""),
            ("is:photo rating:>=4 -camera:canon", "lake"), ("\"boat's\"", "boat"), ("nyon", "lake"),
            ("- *", "lake boat raw film phone"),
        ])
    func matches(_ text: String, _ expected: String) async throws {
        let test = try await TestLibrary(try Self.assets())
        let query = try AssetQuery(text)
        let all = try await test.library.assets(test.library.collection().snapshot().ids)
        let included = Set(all.filter(query.includes).map { $0.name.prefix { $0 != "." } })
        #expect(included == Set(expected.split(separator: " ")), "by the program")
        let ids = try await test.library.collection(filter: query).snapshot().ids
        let found = try await test.library.assets(ids)
        #expect(
            Set(found.map { $0.name.prefix { $0 != "." } }) == Set(expected.split(separator: " ")),
            "by the catalog")
        let entries = try await test.library.collection(grouping: .year, filter: query).entries()
        #expect(entries.map(\.count).reduce(0, +) == found.count)
    }

    @Test(
        "names the album that it is about",
        arguments: [("album:Sea lake", "Sea"), ("is:picked", "Picks"), ("lake", nil)])
    func album(_ text: String, _ album: String?) throws {
        #expect(try AssetQuery(text).album == album)
    }

    @Test("finds within an album, whose rows lack most columns")
    func inAlbum() async throws {
        let test = try await TestLibrary(try Self.assets())
        let ids = try await test.library.collection().snapshot().ids
        try await test.library.add(Array(ids), to: .picks)
        for (text, count) in [
            ("rating:>=4", 2), ("lake", 2), ("camera:x100", 1), ("is:undated", 2), ("from:2015", 2),
        ] {
            let found = test.library.collection(of: .picks, filter: try AssetQuery(text))
            #expect(try await found.entries().map(\.count).reduce(0, +) == count)
        }
    }

    @Test(
        "names the word that it does not understand, and the right form",
        arguments: [
            ("camra:x", "camra:x: there is no condition camra:; did you mean camera:, such as camera:x100?"),
            (
                "lake 12:30",
                "12:30: there is no condition 12:, only camera: lens: rating: label: keyword: from: to: date: month: near: "
                    + "bounds: place: album: folder: format: type: stack: is:; a word with a colon needs quotation marks, "
                    + "such as \"12:30\""
            ),
            ("rating:abc", "rating:abc: a number from 0 to 5 is expected, such as rating:>=4"),
            ("rating:7", "rating:7: a number from 0 to 5 is expected, such as rating:>=4"),
            ("rating:5..3", "rating:5..3: a number from 0 to 5 is expected, such as rating:>=4"),
            ("lake -rating:>=", "rating:>=: a number from 0 to 5 is expected, such as rating:>=4"),
            ("camera:", "camera:: a part of the camera's make or model is expected, such as camera:x100"),
            ("strs:4", "strs:4: there is no condition strs:; did you mean stars:, such as stars:>=4?"),
            ("stars:6", "stars:6: a number from 0 to 5 is expected, such as rating:>=4"),
            (
                "month:13",
                "month:13: a number from 1 to 12 or the name of a month is expected, such as month:5"
            ),
            ("month:mai", "month:mai: there is no month:mai; did you mean month:may?"),
            ("lake \0", "lake \u{FFFD}: a search cannot have the character NUL"),
            ("lens:", "lens:: a part of the lens's name is expected, such as lens:23"),
            ("label:", "label:: a color is expected, such as label:red"),
            ("keyword: lake", "keyword:: a keyword is expected, such as keyword:lake"),
            ("place:\"\"", "place:: a part of a place or country is expected, such as place:geneva"),
            ("folder:", "folder:: a folder is expected, such as folder:trip"),
            ("from:May", "from:May: a date or a longer period is expected, such as from:2014-05"),
            (
                "to:2014-13",
                "to:2014-13: months go from 01 to 12; a date or a longer period is expected, such as to:2014-05"
            ),
            ("date:2014-5", "date:2014-5: a date or a longer period is expected, such as date:2014-05-25"),
            ("format:doc", "format:doc: the name of a format is expected, such as format:heic"),
            (
                "type:doc",
                "type:doc: photo, video, raw, heic, another kind or a format is expected, such as type:raw"
            ),
            (
                "is:new",
                "is:new: photo, video, jpeg, png, screenshot, raw, heic, undated, located, live, motion, panorama, burst, "
                    + "picked or rejected is expected, such as is:picked"
            ),
            (
                "near:1,2",
                "near:1,2: latitude, longitude and kilometers are expected, such as near:46.2,6.14,25"
            ),
            (
                "near:91,2,3",
                "near:91,2,3: latitude, longitude and kilometers are expected, such as near:46.2,6.14,25"
            ),
            (
                "bounds:1,2,0,4",
                "bounds:1,2,0,4: south, west, north and east in degrees are expected, such as bounds:46.1,6,46.4,6.3"
            ),
            ("album:", "album:: the name of an album is expected, such as album:Summer"),
            (
                "-album:x",
                "album:x: an album cannot be excluded; search in one album, such as album:Summer -is:video"
            ),
            ("album:x is:picked", "is:picked: a search has one album, such as album:Summer rating:>=4"),
            ("\"open", "\"open: a quotation mark is not closed, such as in camera:\"EOS 5D\""),
        ])
    func faults(_ text: String, _ sentence: String) {
        #expect {
            _ = try AssetQuery(text)
        } throws: { error in
            (error as? LibraryError)?.description == sentence
                && (error as? LibraryError)?.kind == .invalidArgument
        }
    }

    @Test("understands the example of each condition", arguments: AssetQuery.conditions.map(\.name))
    func examples(_ name: String) throws {
        let error = #expect(throws: LibraryError.self) { _ = try AssetQuery(name) }
        let sentence = try #require(error?.description)
        let example = try #require(sentence.components(separatedBy: "such as ").last)
        #expect(example.hasPrefix(name))
        _ = try AssetQuery(example)
    }

    @Test(
        "that finds nothing says why, and what it may mean",
        arguments: [
            ("lake", nil),
            (
                "4 stars may",
                "no name, title, caption, keyword, place or camera has \"4\", \"stars\" or \"may\"; "
                    + "did you mean 'stars:4 month:may'?"
            ),
            (
                "lake 2019",
                "no name, title, caption, keyword, place or camera has \"2019\"; did you mean 'lake date:2019'?"
            ),
            ("stars:3 label:blue", "no asset matches stars:3 or label:blue"),
            (
                "meadow -lake camera:none",
                "no name, title, caption, keyword, place or camera has \"meadow\", and "
                    + "no asset matches camera:none"
            ),
            ("film stars:4", "no asset matches all of film stars:4"),
        ])
    func nothing(_ text: String, _ reason: String?) async throws {
        let test = try await TestLibrary(try Self.assets())
        let query = try AssetQuery(text)
        #expect(try await test.library.reason(toFindNothing: query, in: .all) == reason)
        #expect(try await test.library.find(query, in: .all, limit: 10).isEmpty == (reason != nil))
    }

    @Test("finds the best matches of its words first, and without words the newest")
    func ranked() async throws {
        let test = try await TestLibrary(try Self.assets())
        func names(_ text: String, _ limit: Int = 10) async throws -> [String] {
            try await test.library.find(try AssetQuery(text), in: .all, limit: limit).map(\.name)
        }
        #expect(try await names("lake") == test.library.find("lake").map(\.name))
        #expect(try await names("lake").count == 2)
        #expect(try await names("lake camera:canon") == ["boat.png"])
        #expect(try await names("is:photo rating:>=4") == ["boat.png", "lake.jpg"])
        #expect(try await names("rating:>=-1", 1) == ["raw.nef"])
        #expect(try await names("lake", 0).isEmpty)
        // SQLite would read the words up to the NUL, within a quotation mark.
        #expect(try await test.library.find("la\0ke").isEmpty)
    }
}
