import ImageMetadata
import PhotoCatalog
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
            ("from:2015", "boat raw"), ("to:2014-05-25", "lake"), ("date:2015", "boat"),
            ("near:46.2,6.14,25", "lake"), ("-near:46.2,6.14,25", "boat raw film phone"),
            ("place:switzerland", "lake"), ("folder:trip", "lake boat"), ("folder:trip/", "lake boat"),
            ("format:heic", "phone"), ("format:png", "boat"), ("is:raw", "raw"), ("is:heic", "phone"),
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
        "names the word that it does not understand",
        arguments: [
            ("camra:x", "camra:x: cannot be searched, there is no condition camra:; did you mean camera:?"),
            ("rating:7", "rating:7: cannot be searched, a rating is -1 to 5, such as 4, >=4 or 3..5"),
            ("rating:5..3", "rating:5..3: cannot be searched, a rating is -1 to 5, such as 4, >=4 or 3..5"),
            ("lens:", "lens:: cannot be searched, it needs a value behind the colon"),
            ("format:doc", "format:doc: cannot be searched, it is not the name of a format"),
            (
                "near:1,2",
                "near:1,2: cannot be searched, it is LATITUDE,LONGITUDE,KILOMETERS, such as near:46.2,6.14,25"
            ),
            ("-album:x", "album:x: cannot be searched, an album cannot be excluded"),
            ("album:x is:picked", "is:picked: cannot be searched, a query has one album"),
            ("\"open", "\"open: cannot be searched, a quotation mark is not closed"),
        ])
    func faults(_ text: String, _ sentence: String) {
        #expect {
            _ = try AssetQuery(text)
        } throws: { error in
            (error as? LibraryError)?.description == sentence
                && (error as? LibraryError)?.kind == .invalidArgument
        }
    }
}
