import ImageMetadata
import TestHarness
import TestSupport
import Testing
import ViewportGeometry

@Suite("File metadata")
struct FileMetadataTests {
    @Test("recognizes every kind of file by its bytes")
    func formats() {
        for sample in SampleFiles.all {
            #expect(FileFormat(of: sample.bytes) == sample.format)
            #expect(FileMetadata(of: sample.bytes)?.format == sample.format)
        }
    }

    @Test(
        "does not recognize text and unknown bytes",
        arguments: [
            [], [0xFF], [0x49], text("hello, world"), text("RIFF....WAVE"), [UInt8](repeating: 0, count: 99),
        ])
    func unknown(_ bytes: [UInt8]) {
        #expect(FileMetadata(of: bytes, name: "a.jpg") == nil)
    }

    @Test(
        "distinguishes raw formats by their first bytes and their names",
        arguments: [
            ("a.nef", FileFormat.nef), ("a.NRW", .nef), ("a.arw", .arw), ("a.pef", .pef), ("a.srw", .srw),
            ("a.tif", .tiff), ("a", .tiff),
        ])
    func raws(_ name: String, _ format: FileFormat) {
        #expect(FileFormat(of: SampleFiles.tiff, name: name) == format)
        #expect(format.isRaw == (format != .tiff))
    }

    @Test("gives the role of each format in a library")
    func kinds() {
        let kinds = Dictionary(grouping: FileFormat.allCases, by: \.kind)
        #expect(kinds[.video] == [.mp4, .mov, .avi, .mkv, .webm])
        #expect(kinds[.document] == [.svg, .pdf])
        #expect(kinds[.sidecar] == [.xmp])
        #expect(kinds[.photo]?.contains(.cr3) == true)
    }

    @Test("gives the upright size of every kind of file")
    func sizes() throws {
        let expected: [FileFormat: (Int, Int)] = [
            .jpeg: (480, 640), .png: (480, 640), .webp: (480, 640), .gif: (64, 48), .bmp: (640, 480),
            .jp2: (640, 480), .tiff: (480, 640), .heif: (480, 640), .avif: (640, 480), .mov: (1080, 1920),
            .mp4: (1920, 1080), .mkv: (1920, 1080), .avi: (640, 480), .jxl: (480, 640),
            .dng: (3000, 4000), .raf: (3000, 4000), .rw2: (4000, 3000), .orf: (4000, 3000),
            .cr2: (4000, 3000),
            .cr3: (3000, 4000),
        ]
        for sample in SampleFiles.all {
            let size = try #require(FileMetadata(of: sample.bytes)?.uprightSize)
            // ImageMagick's PNG has orientation 3, and the BigTIFF is a different TIFF.
            let (width, height) =
                switch (sample.format, size.width) {
                case (.png, 640): (640, 480)
                case (.tiff, 4000): (4000, 3000)
                default: expected[sample.format] ?? (0, 0)
                }
            #expect(size == PixelSize(width: width, height: height), "\(sample.format)")
        }
    }

    @Test("gives date, location and camera of every kind of file that has EXIF")
    func exif() throws {
        for sample in SampleFiles.all where [.jpeg, .webp, .heif, .avif].contains(sample.format) {
            let read = try #require(FileMetadata(of: sample.bytes))
            #expect(read.date?.local.description == "2014-05-25T10:00:00.25", "\(sample.format)")
            #expect(read.date?.offset?.description == "+02:00")
            #expect(read.date?.source == .subSecDateTimeOriginal)
            #expect(read.date?.zoneSource == .tag("OffsetTimeOriginal"))
            #expect(read.date?.instant == 1_401_004_800)
            let place = try #require(read.location)
            #expect(abs(place.latitude - 48.858_269_4) < 1e-6)
            #expect(abs(place.longitude - 2.294_5) < 1e-6)
            #expect(place.altitude == 35)
            #expect(place.accuracy == 5)
            #expect(place.source == .exif)
            #expect([read.make, read.model, read.lens] == ["Maker", "M1", "Lens 50 mm"])
            #expect(read.burstIdentifier == "BURST-0001-UUID")
            #expect(read.livePhotoIdentifier == "LIVE-0001-UUID")
        }
    }

    @Test("rotates HEIF by its own rotation, not by EXIF's")
    func rotatesOnce() throws {
        func orientation(_ turns: [[UInt8]]) -> Orientation? {
            FileMetadata(of: BoxMaker.heif(turns: turns, exif: SampleFiles.exif))?.orientation
        }
        #expect(orientation([]) == .up)
        #expect(orientation([BoxMaker.rotation(3)]) == .right)
        #expect(orientation([BoxMaker.rotation(1)]) == .left)
        #expect(orientation([BoxMaker.mirror(0)]) == .downMirrored)
        #expect(orientation([BoxMaker.mirror(1)]) == .upMirrored)
        #expect(orientation([BoxMaker.rotation(3), BoxMaker.mirror(1)]) == .leftMirrored)
    }

    @Test("counts the frames of animations and their duration")
    func frames() throws {
        let gif = try #require(FileMetadata(of: PhotoMaker.gif(frames: 7)))
        #expect(gif.frames == 7)
        #expect(gif.isAnimated)
        #expect(gif.duration == 0.7)
        let still = try #require(FileMetadata(of: PhotoMaker.gif()))
        #expect(!still.isAnimated)
        #expect(still.duration == nil)
        let png = PhotoMaker.png([("acTL", big(12, 4) + big(0, 4))])
        #expect(FileMetadata(of: png)?.frames == 12)
    }

    @Test("finds the JPEG inside of EXIF's second directory")
    func preview() throws {
        let thumbnail = PhotoMaker.jpeg(width: 160, height: 120)
        // IFD0 is empty and refers to IFD1 at 14, whose JPEG is at 44.
        let exif: [UInt8] =
            text("MM") + big(42, 2) + big(8, 4) + big(0, 2) + big(14, 4)
            + big(2, 2) + big(0x0201, 2) + big(4, 2) + big(1, 4) + big(44, 4)
            + big(0x0202, 2) + big(4, 2) + big(1, 4) + big(thumbnail.count, 4) + big(0, 4) + thumbnail
        let file = PhotoMaker.jpeg(exif: exif)
        let range = try #require(FileMetadata(of: file)?.preview)
        #expect(Array(file[range]) == thumbnail)
    }

    @Test("prefers the texts of XMP to those of IPTC")
    func words() throws {
        let both = PhotoMaker.jpeg(xmp: SampleFiles.xmp, iptc: SampleFiles.iptc)
        let read = try #require(FileMetadata(of: both))
        #expect(read.title == "Tower & sky")
        #expect(read.caption == "A tower")
        #expect(read.keywords == ["Paris", "<iron>"])
        #expect(read.rating == 4)
        let old = try #require(FileMetadata(of: PhotoMaker.jpeg(iptc: SampleFiles.iptc)))
        #expect(old.title == "Tower")
        #expect(old.keywords == ["Paris"])
    }

    @Test("reads IPTC without a character set as UTF-8, otherwise as Latin-1")
    func latin() throws {
        let latin = PhotoMaker.iptc([(120, "caf\u{E9}")], isUTF8: false)
        #expect(FileMetadata(of: PhotoMaker.jpeg(iptc: latin))?.caption == "café")
    }
}

@Suite("Hostile metadata", .ownThread)
struct MetadataFuzzTests {
    @Test("of files that are damaged at random never traps", arguments: [1, 2] as [UInt64])
    func broken(_ seed: UInt64) {
        var fuzzer = MetadataFuzzer(seed: seed)
        fuzzer.run(TestLength.repetitions(10_000, short: 2_000))
        // The changes are small enough for the readers to get far.
        let counts = fuzzer.counts
        #expect(counts.recognized > counts.inputs / 2)
        #expect(counts.sized > counts.inputs * 2 / 5)
        #expect(counts.dated > counts.inputs / 5)
        #expect(counts.previewed > counts.inputs / 10)
        #expect(counts.mapped > counts.inputs / 100)
    }

    @Test(
        "in sidecars that are damaged at random stays as it is when they are edited",
        arguments: [1, 2] as [UInt64])
    func edited(_ seed: UInt64) {
        var fuzzer = SidecarFuzzer(seed: seed)
        fuzzer.run(TestLength.repetitions(20_000, short: 3_000))
        #expect(fuzzer.counts.failures == [])
        #expect(fuzzer.counts.edited > fuzzer.counts.inputs / 8)
    }

    @Test("of truncated files has the size of the complete file or none")
    func cut() {
        // A DNG that ends before its crop has the sensor's size.
        for sample in SampleFiles.all where sample.format != .dng {
            let whole = FileMetadata(of: sample.bytes)?.storedSize
            for count in sample.bytes.indices {
                let part = FileMetadata(of: Array(sample.bytes[..<count]))
                #expect(
                    part?.storedSize == nil || part?.storedSize == whole, "\(sample.format), \(count) bytes")
            }
        }
    }

    /// Resolutions as they are stated, and the pixels per millimeter.
    private static let densities: [(name: String, bytes: [UInt8], expected: Double?)] = {
        func exif(_ across: (Int, Int), _ down: (Int, Int), unit: Int) -> [UInt8] {
            let block = ExifBuilder(bigEndian: true).block([
                (0x011A, .rationals([across])), (0x011B, .rationals([down])), (0x0128, .short(unit)),
            ])
            return PhotoMaker.jpeg(exif: block)
        }
        func jfif(_ unit: UInt8, _ across: UInt8, _ down: UInt8) -> [UInt8] {
            PhotoMaker.jpeg(more: [(0xE0, text("JFIF\0") + [1, 2, unit, 0, across, 0, down, 0, 0])])
        }
        func png(_ perMeter: [UInt8], unit: UInt8) -> [UInt8] {
            PhotoMaker.png([("pHYs", perMeter + perMeter + [unit])])
        }
        return [
            ("300 per inch", exif((300, 1), (300, 1), unit: 2), 300 / 25.4),
            ("a fraction per centimeter", exif((11811, 100), (11811, 100), unit: 3), 11.811),
            ("no unit", exif((300, 1), (300, 1), unit: 1), nil),
            ("a fax", exif((204, 1), (98, 1), unit: 2), nil),
            ("a camera", exif((72, 1), (72, 1), unit: 2), nil),
            ("libvips", exif((1, 10), (1, 10), unit: 1), nil),
            ("libvips, per centimeter", exif((10, 1), (10, 1), unit: 3), nil),
            ("a screen", exif((96, 1), (96, 1), unit: 2), nil),
            ("nothing", exif((0, 1), (0, 1), unit: 2), nil),
            ("no number", exif((1, 0), (1, 0), unit: 2), nil),
            ("JFIF, per inch", jfif(1, 150, 150), 150 / 25.4),
            ("JFIF, per centimeter", jfif(2, 100, 100), 10), ("JFIF, a ratio", jfif(0, 1, 1), nil),
            ("PNG", png([0, 0, 0x27, 0x10], unit: 1), 10),
            ("libvips, PNG", png([0, 0, 3, 0xE8], unit: 1), nil),
            ("PNG, a ratio", png([0, 0, 0, 1], unit: 0), nil),
        ]
    }()

    @Test("gives the resolution where it has a meaning", arguments: densities)
    func density(_ name: String, _ bytes: [UInt8], _ expected: Double?) throws {
        let found = try #require(FileMetadata(of: bytes)).pixelsPerMillimeter
        #expect(found.map { ($0 * 1e6).rounded() } == expected.map { ($0 * 1e6).rounded() }, "\(name)")
    }
}
