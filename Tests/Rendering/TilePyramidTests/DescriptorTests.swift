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

    @Test("of Zoomify equals that of vips dzsave")
    func zoomify() {
        let properties = ZoomifyProperties(size: PixelSize(width: 255, height: 257), tileSize: 256)
        #expect(
            properties.text
                == "<IMAGE_PROPERTIES WIDTH=\"255\" HEIGHT=\"257\" NUMTILES=\"3\" NUMIMAGES=\"1\" "
                + "VERSION=\"1.8\" TILESIZE=\"256\" />\n")
    }
}
