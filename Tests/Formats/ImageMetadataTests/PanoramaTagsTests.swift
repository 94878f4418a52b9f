import ImageMetadata
import TestSupport
import Testing
import ViewportGeometry

@Suite("The tags of a panorama")
struct PanoramaTagsTests {
    /// A photo from a phone: the middle half of the height.
    private static let phone = [
        ("ProjectionType", "equirectangular"), ("UsePanoramaViewer", "True"),
        ("FullPanoWidthPixels", "4000"), ("FullPanoHeightPixels", "2000"),
        ("CroppedAreaLeftPixels", "0"), ("CroppedAreaTopPixels", "500"),
        ("CroppedAreaImageWidthPixels", "4000"), ("CroppedAreaImageHeightPixels", "1000"),
        ("InitialViewHeadingDegrees", "90.5"), ("PosePitchDegrees", "-3"),
    ]

    private static func packet(_ values: [(String, String)]) -> String {
        XMPMaker.packet(values.map { ("GPano:\($0.0)", $0.1) })
    }

    private static func read(_ values: [(String, String)]) -> PanoramaTags? {
        XMPTests.read(packet(values))?.panorama
    }

    @Test("are read from JPEG, PNG, HEIC and TIFF, as attributes or elements")
    func formats() throws {
        let packet = Self.packet(Self.phone)
        let expected = try #require(Self.read(Self.phone))
        #expect(expected.projection == .equirectangular && expected.usesViewer)
        #expect(expected.fullSize == PixelSize(width: 4000, height: 2000))
        #expect(expected.croppedArea == PixelRect(x: 0, y: 500, width: 4000, height: 1000))
        #expect(expected.initialHeading == 90.5 && expected.posePitch == -3 && expected.poseRoll == nil)
        #expect(FileMetadata(of: PhotoMaker.jpeg(xmp: packet))?.panorama == expected)
        #expect(FileMetadata(of: BoxMaker.heif(xmp: packet))?.panorama == expected)
        let tiff = ExifBuilder(bigEndian: false).block([
            (0x0100, .long(4000)), (0x0101, .long(1000)), (0x02BC, .bytes(Array(packet.utf8))),
        ])
        #expect(FileMetadata(of: tiff, name: "x.tif")?.panorama == expected)
        let elements = XMPMaker.packet(
            [], elements: Self.phone.map { "<GPano:\($0.0)>\($0.1)</GPano:\($0.0)>" }.joined())
        #expect(XMPTests.read(elements)?.panorama == expected)
    }

    @Test("need a projection that is known", arguments: ["fisheye", "cubestrip", "Equirectangular"])
    func projections(_ name: String) {
        var values = Self.phone
        values[0].1 = name
        #expect((Self.read(values) != nil) == (name == "Equirectangular"))
        // As cameras that write sizes only.
        #expect(Self.read(Array(Self.phone.dropFirst()))?.projection == .equirectangular)
        #expect(Self.read([("UsePanoramaViewer", "True")]) == nil)
    }

    @Test("ignore numbers that are impossible", arguments: ["-1", "nan", "inf", "1e300", "", "many"])
    func numbers(_ text: String) throws {
        let tags = try #require(
            Self.read([
                ("ProjectionType", "cylindrical"), ("FullPanoWidthPixels", text),
                ("FullPanoHeightPixels", "10"), ("CroppedAreaImageWidthPixels", text),
                ("CroppedAreaImageHeightPixels", "10"), ("InitialHorizontalFOVDegrees", text),
            ]))
        #expect(tags.projection == .cylindrical && tags.fullSize == nil && tags.croppedArea == nil)
        #expect(tags.initialFieldOfView == nil)
    }

    @Test(
        "do not describe a picture left of or above the panorama",
        arguments: ["CroppedAreaLeftPixels", "CroppedAreaTopPixels"])
    func negative(_ name: String) throws {
        let tags = try #require(Self.read(Self.phone.map { $0.0 == name ? ($0.0, "-500") : $0 }))
        #expect(throws: PanoramaTags.Mismatch.outside) {
            try tags.area(in: PixelSize(width: 4000, height: 1000))
        }
    }

    @Test("are read again from the packet that states them")
    func packet() throws {
        var tags = try #require(Self.read(Self.phone))
        tags.poseRoll = -1.25
        let bytes = try #require(tags.packet(for: PixelSize(width: 4000, height: 1000)))
        #expect(XMPTests.read(String(decoding: bytes, as: UTF8.self))?.panorama == tags)
        let half = try #require(tags.packet(for: PixelSize(width: 2000, height: 500)))
        let small = XMPTests.read(String(decoding: half, as: UTF8.self))?.panorama
        #expect(small?.fullSize == PixelSize(width: 2000, height: 1000))
        #expect(tags.packet(for: PixelSize(width: 2000, height: 1000)) == nil)
    }

    @Test("describe a picture that was scaled afterwards, not one that was cropped")
    func areas() throws {
        let tags = try #require(Self.read(Self.phone))
        let part = PixelRect<UprightGrid>(x: 0, y: 500, width: 4000, height: 1000)
        for size in [(4000, 1000), (1000, 250), (333, 83), (8000, 2000)] {
            let area = try tags.area(in: PixelSize(width: size.0, height: size.1))
            #expect(area.full == PixelSize(width: 4000, height: 2000) && area.part == part)
        }
        #expect(throws: PanoramaTags.Mismatch.croppedAfterwards(part.size)) {
            try tags.area(in: PixelSize(width: 2000, height: 1000))
        }
        var other = tags
        // Rounding of the start, the length and the whole.
        for (left, top) in [(1, 500), (-1, 500), (3, 1001), (0, -2)] {
            other.croppedArea = PixelRect(x: left, y: top, width: 4000, height: 1000)
            let moved = try other.area(in: PixelSize(width: 4000, height: 1000)).part
            #expect(moved == PixelRect(x: 0, y: min(max(top, 0), 1000), width: 4000, height: 1000))
        }
        other.croppedArea = PixelRect(x: 100, y: 500, width: 4000, height: 1000)
        #expect(throws: PanoramaTags.Mismatch.outside) {
            try other.area(in: PixelSize(width: 4000, height: 1000))
        }
        let size = PixelSize<UprightGrid>(width: 600, height: 300)
        let whole = try PanoramaTags(.equirectangular).area(in: size)
        #expect(whole.full == size && whole.part == PixelRect(size))
    }

    @Test(
        "place a picture whose part they do not state in the middle, in equal degrees per pixel",
        arguments: [
            // A projection alone.
            ((4096, 1024), nil, (4096, 2048), (0, 512)), ((3000, 2000), nil, (4000, 2000), (500, 0)),
            ((601, 300), nil, (601, 300), (0, 0)),
            // Sizes of the whole panorama.
            ((4096, 1024), (4096, 2048), (4096, 2048), (0, 512)),
            ((1000, 1000), (4096, 2048), (4096, 2048), (1548, 524)),
        ] as [((Int, Int), (Int, Int)?, (Int, Int), (Int, Int))])
    func middle(
        _ picture: (Int, Int), _ stated: (Int, Int)?, _ full: (Int, Int), _ corner: (Int, Int)
    ) throws {
        var tags = PanoramaTags(.equirectangular)
        tags.fullSize = stated.map { PixelSize(width: $0.0, height: $0.1) }
        let area = try tags.area(in: PixelSize(width: picture.0, height: picture.1))
        #expect(area.full == PixelSize(width: full.0, height: full.1))
        #expect(area.part == PixelRect(x: corner.0, y: corner.1, width: picture.0, height: picture.1))
    }

    @Test("count the rows of a cylinder from the horizon", arguments: [-512, -100, 0, 100], [true, false])
    func cylinder(_ top: Int, _ statesHeight: Bool) throws {
        let tags = try #require(
            Self.read(
                [
                    ("ProjectionType", "cylindrical"), ("FullPanoWidthPixels", "4096"),
                    ("CroppedAreaLeftPixels", "10"), ("CroppedAreaTopPixels", "\(top)"),
                    ("CroppedAreaImageWidthPixels", "2048"), ("CroppedAreaImageHeightPixels", "300"),
                ] + (statesHeight ? [("FullPanoHeightPixels", "300")] : [])))
        let size = PixelSize<UprightGrid>(width: 2048, height: 300)
        let area = try tags.area(in: size)
        #expect(area.full.width == 4096 && area.part.y - area.full.height / 2 == top && area.part.x == 10)
        #expect(area.part.y >= 0 && area.part.maxY <= area.full.height)
        // The same rows of a part, and of its packet.
        let part = Rect<ImageSpace>(x: 20, y: 50, width: 400, height: 200)
        let half = try #require(tags.area(of: part, in: size, as: PixelSize(width: 200, height: 100)))
        #expect(half.part.y - half.full.height / 2 == (top + 50) / 2 && half.part.x == 15)
        let packet = Array(
            Self.packet([
                ("ProjectionType", "cylindrical"), ("FullPanoWidthPixels", "4096"),
                ("CroppedAreaTopPixels", "\(top)"), ("CroppedAreaImageWidthPixels", "2048"),
                ("CroppedAreaImageHeightPixels", "300"),
            ]).utf8)
        let changed = XMPTests.read(
            String(decoding: PanoramaTags.changed(in: packet, to: half), as: UTF8.self))
        #expect(try changed?.panorama?.area(in: PixelSize(width: 200, height: 100)) == half)
    }

    @Test("state the part without holes in pixels of a part of the picture")
    func interior() throws {
        let names = ["Left", "Top", "Width", "Height"].map { "GPano:LargestValidInteriorRect\($0)" }
        let tags =
            Self.phone + [
                ("LargestValidInteriorRectLeft", "100"), ("LargestValidInteriorRectTop", "40"),
                ("LargestValidInteriorRectWidth", "3000"), ("LargestValidInteriorRectHeight", "900"),
            ]
        let read = try #require(Self.read(tags))
        let size = PixelSize<UprightGrid>(width: 4000, height: 1000)
        for (rect, scale, expected) in [
            (Rect(x: 0, y: 0, width: 400, height: 200), 1, ["100", "40", "300", "160"]),
            (Rect(x: 2000, y: 500, width: 2000, height: 500), 2, ["0", "0", "550", "220"]),
            (Rect(x: 0, y: 0, width: 90, height: 30), 1, []),
        ] as [(Rect<ImageSpace>, Int, [String])] {
            let part = PixelSize<UprightGrid>(
                width: Int(rect.width) / scale, height: Int(rect.height) / scale)
            let area = try #require(read.area(of: rect, in: size, as: part))
            let packet = PanoramaTags.changed(in: Array(Self.packet(tags).utf8), to: area)
            let text = String(decoding: packet, as: UTF8.self)
            for (name, value) in zip(names, expected) {
                #expect(text.contains("\(name)=\"\(value)\""), "\(name)")
            }
            if expected.isEmpty { #expect(!text.contains("LargestValid")) }
        }
    }

    @Test("place a part of the picture, also in pixels of a smaller one")
    func parts() throws {
        let tags = try #require(Self.read(Self.phone))
        let size = PixelSize<UprightGrid>(width: 2000, height: 500)
        let rect = Rect<ImageSpace>(x: 500, y: 100, width: 600, height: 300)
        let same = try #require(tags.area(of: rect, in: size, as: PixelSize(width: 600, height: 300)))
        #expect(same.full == PixelSize(width: 2000, height: 1000))
        #expect(same.part == PixelRect(x: 500, y: 350, width: 600, height: 300))
        let half = try #require(tags.area(of: rect, in: size, as: PixelSize(width: 300, height: 150)))
        #expect(half.full == PixelSize(width: 1000, height: 500))
        #expect(half.part == PixelRect(x: 250, y: 175, width: 300, height: 150))
        let outside = Rect<ImageSpace>(x: -9, y: 0, width: 20, height: 20)
        #expect(tags.area(of: outside, in: size, as: PixelSize(width: 20, height: 20)) == nil)
        let other = PixelSize<UprightGrid>(width: 500, height: 500)
        #expect(tags.area(of: rect, in: other, as: PixelSize(width: 600, height: 300)) == nil)
    }

    @Test("are changed or removed in a packet of attributes or elements", arguments: [true, false])
    func changes(_ areAttributes: Bool) throws {
        let elements = Self.phone.map { "<GPano:\($0.0)>\($0.1)</GPano:\($0.0)>" }.joined()
        let packet = Array(
            (areAttributes
                ? Self.packet(Self.phone) : XMPMaker.packet([("dc:format", "a")], elements: elements)).utf8)
        let size = PixelSize<UprightGrid>(width: 600, height: 300)
        let area = try #require(
            Self.read(Self.phone)?.area(
                of: Rect(x: 500, y: 100, width: 600, height: 300), in: PixelSize(width: 2000, height: 500),
                as: size))
        let changed = String(decoding: PanoramaTags.changed(in: packet, to: area), as: UTF8.self)
        let tags = try #require(XMPTests.read(changed)?.panorama)
        #expect(try tags.area(in: size) == area)
        #expect(tags.initialHeading == 90.5 && tags.posePitch == -3)
        let removed = String(decoding: PanoramaTags.changed(in: packet, to: nil), as: UTF8.self)
        #expect(XMPTests.read(removed)?.panorama == nil && !removed.contains("FullPano"))
        let plain = Array(XMPMaker.packet([("dc:format", "a")]).utf8)
        #expect(PanoramaTags.changed(in: plain, to: nil).count <= plain.count)
        // A packet that cannot be edited loses them.
        let cut = Array(packet.prefix(packet.count - 60))
        let rest = String(decoding: PanoramaTags.changed(in: cut, to: area), as: UTF8.self)
        #expect(!rest.contains("FullPanoWidthPixels"))
    }
}
