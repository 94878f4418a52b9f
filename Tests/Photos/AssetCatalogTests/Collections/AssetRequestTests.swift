import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@Suite("Requests for assets")
struct AssetRequestTests {
    private static func read(_ name: String, _ value: String) throws -> AssetRequest {
        try AssetRequest([(name, value)])
    }

    @Test("understand each word of the vocabulary, in all its spellings")
    func words() throws {
        for parameter in AssetRequest.Parameter.allCases {
            #expect(parameter.meaning.hasSuffix("."))
            var found: Set<AssetRequest> = []
            for word in parameter.words {
                let request = try Self.read(parameter.rawValue, word.word)
                found.insert(request)
                #expect(!word.title.isEmpty)
                for other in word.others { #expect(try Self.read(parameter.rawValue, other) == request) }
            }
            #expect(found.count == parameter.words.count)
        }
    }

    @Test("understand the former names of parameters, and words in upper case")
    func names() throws {
        for parameter in AssetRequest.Parameter.allCases {
            #expect(parameter.names.last == parameter.rawValue)
            for word in parameter.words {
                let request = try Self.read(parameter.rawValue, word.word)
                for name in parameter.names {
                    #expect(try Self.read(name, word.word.uppercased()) == request, "\(name)=\(word.word)")
                }
            }
        }
    }

    @Test("understand every condition of the table in its example, and name it where it has no value")
    func conditions() throws {
        #expect(Set(AssetQuery.conditions.map(\.name)) == Set(QueryRule.all.map(\.name)))
        for rule in QueryRule.all {
            #expect(rule.example.hasPrefix(rule.name))
            #expect(try Self.read("where", rule.example) != AssetRequest())
            guard case .words(let words) = rule.values else { continue }
            for word in words { #expect(try AssetQuery(rule.name + word).text == rule.name + word) }
        }
    }

    @Test(
        "understand the spellings of options and of addresses alike",
        arguments: [
            (("by", "month"), ("group-by", "month")), (("show", "png,jpeg"), ("filter", "jpeg, png")),
            (("order", "descending"), ("sort", "date:desc")), (("order", "asc"), ("sort", "date")),
        ])
    func spellings(_ one: (String, String), _ other: (String, String)) throws {
        #expect(try Self.read(one.0, one.1) == Self.read(other.0, other.1))
        #expect(try Self.read(one.0, one.1) != AssetRequest() || one.1 == "asc")
    }

    @Test(
        "name the parameter and what it takes where a value is not understood",
        arguments: [
            ("by", "fortnight", "group-by=fortnight: all, year, month, week, day, hour or place is expected"),
            ("group-by", "mnth", "group-by=mnth: did you mean group-by=month?"),
            ("sort", "descnding", "sort=descnding: did you mean sort=descending?"),
            ("where", "is:rejcted", "is:rejcted: there is no is:rejcted; did you mean is:rejected?"),
            ("order", "random", "sort=random: descending or ascending is expected"),
            (
                "filter", "raw",
                "filter=raw: all, jpeg, png, photo, video, screenshot, motion or panorama is expected"
            ),
            (
                "near", "1,2",
                "near=1,2: latitude, longitude and kilometers are expected, such as 46.2,6.14,25"
            ),
            ("where", "rating:9", "rating:9: a number from 0 to 5 is expected, such as rating:>=4"),
        ])
    func faults(_ name: String, _ value: String, _ words: String) {
        let error = #expect(throws: LibraryError.self) { try Self.read(name, value) }
        #expect(error?.kind == .invalidArgument && error?.description == words)
    }

    @Test("refuse two sources")
    func sources() async throws {
        for others in [[("group", "picks")], [("album", "Summer")]] {
            #expect(throws: LibraryError.self) { try AssetRequest([("where", "is:picked")] + others) }
        }
        let library = try await TestLibrary([.made("a.jpg")]).library
        let request = try Self.read("album", "Summer")
        let error = await #expect(throws: LibraryError.self) { try await library.collection(for: request) }
        #expect(error?.description == "Summer: there is no such album")
    }
}
