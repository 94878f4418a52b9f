import Testing
import TilePyramid
import ViewportGeometry

@Suite("IIIF")
struct IIIFTests {
    static let site = IIIFSite(size: PixelSize(width: 1000, height: 333), tileSize: 256, format: "jpg")

    @Test(
        "names a tile by its region at full resolution and its own size",
        arguments: [
            (TilePosition(level: 0, column: 0, row: 0), ["0,0,256,256/256,256/0/default.jpg"]),
            (TilePosition(level: 0, column: 3, row: 1), ["768,256,232,77/232,77/0/default.jpg"]),
            (TilePosition(level: 1, column: 1, row: 0), ["512,0,488,333/244,167/0/default.jpg"]),
            (
                TilePosition(level: 2, column: 0, row: 0),
                ["full/250,84/0/default.jpg", "0,0,1000,333/250,84/0/default.jpg"]
            ),
            (TilePosition(level: 3, column: 0, row: 0), []), (TilePosition(level: 0, column: 4, row: 0), []),
        ])
    func tiles(_ key: TilePosition, _ paths: [String]) {
        #expect(Self.site.addresses(key).map(\.path) == paths)
    }

    @Test("has addresses of the whole image at every level, including max for the largest")
    func whole() {
        #expect(Self.site.wholeLevels == [0, 1, 2])
        #expect(
            Self.site.addresses(ofLevel: 0).map(\.path) == [
                "full/1000,333/0/default.jpg", "full/max/0/default.jpg",
            ])
        let small = IIIFSite(
            size: PixelSize(width: 1000, height: 333), tileSize: 256, format: "webp", longestSide: 500)
        #expect(small.wholeLevels == [1, 2])
        #expect(small.addresses(ofLevel: 1).map(\.path).last == "full/max/0/default.webp")
        #expect(small.information(id: "x").maximum == PixelSize(width: 500, height: 167))
    }

    @Test("describes the folder in info.json")
    func information() throws {
        let information = Self.site.information(id: "https://example.org/iiif/a%2Fb")
        #expect(
            information.text == """
                {
                  "@context": "http://iiif.io/api/image/3/context.json",
                  "id": "https://example.org/iiif/a%2Fb",
                  "type": "ImageService3",
                  "protocol": "http://iiif.io/api/image",
                  "profile": "level0",
                  "width": 1000,
                  "height": 333,
                  "sizes": [
                    {
                      "width": 250,
                      "height": 84
                    },
                    {
                      "width": 500,
                      "height": 167
                    },
                    {
                      "width": 1000,
                      "height": 333
                    }
                  ],
                  "tiles": [
                    {
                      "width": 256,
                      "scaleFactors": [1, 2, 4]
                    }
                  ]
                }

                """)
    }

    /// Information of both versions with all members.
    static let all: [IIIFInformation] = [IIIFInformation.Version.two, .three].flatMap { version in
        [
            IIIFInformation(
                version: version, id: "a \"quoted\" \\ id", level: 2, size: PixelSize(width: 9, height: 7)),
            IIIFInformation(
                version: version, id: "https://x/é😀", level: 0, size: PixelSize(width: 70000, height: 7),
                sizes: [PixelSize(width: 35000, height: 4)],
                tiles: [IIIFInformation.Tiles(width: 512, height: 256, scaleFactors: [1, 2])],
                maximum: PixelSize(width: 35000, height: 4), extraFormats: ["webp", "png"]),
        ]
    }

    @Test("round-trips information of both versions", arguments: all)
    func roundTrip(_ information: IIIFInformation) throws {
        #expect(try IIIFInformation(parsing: information.text) == information)
    }

    static let context = "\"@context\": \"http://iiif.io/api/image/3/context.json\""

    static let brokenTexts: [(String, DescriptorError)] = [
        ("", .syntax(offset: 0)), ("{", .syntax(offset: 1)), ("{}x", .syntax(offset: 2)),
        ("{\"a\": 01}", .syntax(offset: 8)), ("{\"a\": 1, \"a\": 2}", .syntax(offset: 9)),
        ("{\"a\": \"\\ud800\"}", .syntax(offset: 13)), ("[1,]", .syntax(offset: 3)),
        (String(repeating: "[", count: 1000), .syntax(offset: 32)),
        ("{}", .missing("@context")),
        ("{\"@context\": \"x\"}", .badValue(name: "@context", value: "\"x\"")),
        ("{\(context)}", .missing("id")),
        ("{\(context), \"id\": 7}", .badValue(name: "id", value: "7")),
        ("{\(context), \"id\": \"x\"}", .missing("profile")),
        (
            "{\(context), \"id\": \"x\", \"profile\": \"level9\"}",
            .badValue(name: "profile", value: "\"level9\"")
        ),
        ("{\(context), \"id\": \"x\", \"profile\": \"level0\"}", .missing("width")),
        (
            "{\(context), \"id\": \"x\", \"profile\": \"level0\", \"width\": -1}",
            .badValue(name: "width", value: "-1")
        ),
        (
            "{\(context), \"id\": \"x\", \"profile\": \"level0\", \"width\": 1.5}",
            .badValue(name: "width", value: "1.5")
        ),
    ]

    @Test("refuses invalid information with a reason", arguments: brokenTexts)
    func broken(_ text: String, _ error: DescriptorError) {
        #expect(throws: error) { try IIIFInformation(parsing: text) }
    }
}
