import Testing
import TilePyramid
import ViewportGeometry

@Suite("A descriptor")
struct DescriptorTests {
    static let deepZoom = DeepZoomDescriptor(
        size: PixelSize(width: 255, height: 257), tileSize: 254, overlap: 1, format: "jpg")

    @Test("of Deep Zoom equals that of vips dzsave")
    func text() {
        #expect(
            Self.deepZoom.text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <Image xmlns="http://schemas.microsoft.com/deepzoom/2008"
                  Format="jpg"
                  Overlap="1"
                  TileSize="254"
                  >
                  <Size\u{20}
                    Height="257"
                    Width="255"
                  />
                </Image>

                """)
    }

    @Test(
        "of Deep Zoom is read in any layout of the XML",
        arguments: [
            deepZoom.text,
            "<Image TileSize='254' Overlap='1' Format='jpg'><Size Width='255' Height='257'/></Image>",
            "\u{FEFF}<!-- c --><Image Format=\"jpg\" Overlap=\"1\" TileSize=\"254\" a=\"&lt;&amp;\">\r\n"
                + "<!-- <Size/> --><Size Width = \"255\" Height=\"257\"></Size></Image >\n",
        ])
    func layout(_ text: String) throws {
        #expect(try DeepZoomDescriptor(parsing: text) == Self.deepZoom)
    }

    static let brokenTexts: [(String, DescriptorError)] = [
        ("", .syntax(offset: 0)),
        ("<Image", .syntax(offset: 6)),
        ("<Image></Imago>", .syntax(offset: 14)),
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><Image/>", .syntax(offset: 1)),
        ("<Image a=\"&b;\"/>", .syntax(offset: 10)),
        ("<Image/><Image/>", .syntax(offset: 8)),
        ("<Image a='1' a='2'/>", .syntax(offset: 18)),
        ("<Picture/>", .missing("Image")),
        ("<Image/>", .missing("Size")),
        ("<Image><Size Width='1' Height='1'/></Image>", .missing("Format")),
        (
            "<Image Format='../x'><Size Width='1' Height='1'/></Image>",
            .badValue(name: "Format", value: "../x")
        ),
        (
            "<Image Format='jpg' TileSize='0' Overlap='0'><Size Width='1' Height='1'/></Image>",
            .badValue(name: "TileSize", value: "0")
        ),
        (
            "<Image Format='jpg' TileSize='9' Overlap='-1'><Size Width='1' Height='1'/></Image>",
            .badValue(name: "Overlap", value: "-1")
        ),
        (
            "<Image Format='jpg' TileSize='9' Overlap='0'><Size Width='1e3' Height='1'/></Image>",
            .badValue(name: "Width", value: "1e3")
        ),
        (
            "<Image Format='jpg' TileSize='9' Overlap='0'><Size Width='9999999999' Height='1'/></Image>",
            .badValue(name: "Width", value: "9999999999")
        ),
    ]

    @Test("of Deep Zoom that is invalid is an error with the reason", arguments: brokenTexts)
    func broken(_ text: String, _ error: DescriptorError) {
        #expect(throws: error) { try DeepZoomDescriptor(parsing: text) }
    }

    @Test("of Deep Zoom maps tiles to paths and back, with one pixel in level 0")
    func paths() throws {
        let descriptor = Self.deepZoom
        #expect(descriptor.path(TilePosition(level: 0, column: 1, row: 0)) == "9/1_0.jpg")
        #expect(descriptor.path(TilePosition(level: 9, column: 0, row: 0)) == "0/0_0.jpg")
        for (level, grid) in descriptor.pyramid.levels.enumerated() {
            for key in descriptor.pyramid.tiles(ofLevel: level, in: PixelRect(grid.size)) {
                #expect(descriptor.key(descriptor.path(key)) == key)
            }
        }
        for path in [
            "9/2_0.jpg", "10/0_0.jpg", "9/0_0.png", "09/0_0.jpg", "9/00_0.jpg", "9/0_0", "9/+0_0.jpg",
        ] {
            #expect(descriptor.key(path) == nil, "\(path)")
        }
    }

    @Test("of Zoomify is written, read, and refused if its grid differs")
    func zoomify() throws {
        let properties = ZoomifyProperties(size: PixelSize(width: 255, height: 257), tileSize: 256)
        #expect(
            properties.text
                == "<IMAGE_PROPERTIES WIDTH=\"255\" HEIGHT=\"257\" NUMTILES=\"3\" NUMIMAGES=\"1\" "
                + "VERSION=\"1.8\" TILESIZE=\"256\" />\n")
        #expect(try ZoomifyProperties(parsing: properties.text) == properties)
        #expect(throws: DescriptorError.badValue(name: "NUMTILES", value: "4")) {
            try ZoomifyProperties(
                parsing: "<IMAGE_PROPERTIES WIDTH='255' HEIGHT='257' NUMTILES='4' TILESIZE='256'/>")
        }
        #expect(throws: DescriptorError.missing("WIDTH")) {
            try ZoomifyProperties(parsing: "<IMAGE_PROPERTIES/>")
        }
    }
}
