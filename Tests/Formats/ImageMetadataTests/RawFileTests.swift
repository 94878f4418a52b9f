import Containers
import ImageMetadata
import TestHarness
import TestSupport
import Testing
import ViewportGeometry

@Suite("The previews of raw files")
struct RawFileTests {
    private static let large = PhotoMaker.jpeg(width: 1600, height: 1200, exif: SampleFiles.exif)
    private static let small = PhotoMaker.jpeg(width: 160, height: 120)

    private static func file(_ format: FileFormat) -> [UInt8] {
        RawMaker.file(format, large: large, small: small, orientation: 8)
    }

    private func read(_ bytes: [UInt8], _ format: FileFormat) -> RawFile? {
        RawFile(FileBytes(bytes), name: "a.\(format)")
    }

    @Test("are found by the structure of each maker", arguments: RawMaker.formats)
    func found(_ format: FileFormat) throws {
        let file = Self.file(format)
        let raw = try #require(read(file, format))
        #expect(raw.format == format)
        let largest = try #require(raw.previews.first)
        #expect(Array(file[largest.range]) == Self.large)
        #expect(largest.size == PixelSize(width: 1600, height: 1200))
        #expect(largest.isComplete)
        // That of the JPEG is 6.
        #expect(raw.orientation == (format == .raf ? .right : .left))
        #expect(raw.exif?.date != nil)
        if ![.raf, .orf, .rw2].contains(format) {
            #expect(raw.previews.contains { Array(file[$0.range]) == Self.small })
        }
        // The data of the sensor is no preview.
        #expect(raw.previews.allSatisfy { ($0.size?.width ?? 0) <= 1600 })
    }

    @Test("have the size of the sensor's picture beside theirs", arguments: RawMaker.formats)
    func sensor(_ format: FileFormat) throws {
        let size = try #require(read(Self.file(format), format)).sensorSize
        #expect(size == PixelSize(width: format == .raf ? 4000 : 6000, height: format == .raf ? 3000 : 4000))
    }

    @Test(
        "are found without a file name where the maker is stated",
        arguments: [FileFormat.nef, .arw, .pef, .srw])
    func nameless(_ format: FileFormat) throws {
        #expect(RawFile(FileBytes(Self.file(format)), name: "stdin")?.format == format)
    }

    @Test(
        "of files that end early are those that are complete, and the others say what is there",
        arguments: RawMaker.formats)
    func truncated(_ format: FileFormat) throws {
        let file = Self.file(format)
        let whole = try #require(read(file, format)).previews
        for count in stride(from: 0, to: file.count, by: 7) {
            // A file without the start of its directories is not recognized.
            guard let cut = read(Array(file[..<count]), format) else { continue }
            for preview in cut.previews {
                #expect(
                    preview.available
                        == max(0, min(preview.range.upperBound, count) - preview.range.lowerBound))
                #expect(preview.isComplete == (preview.range.upperBound <= count))
                #expect(whole.contains { $0.range == preview.range }, "\(count)")
            }
        }
        let last = try #require(read(Array(file.dropLast()), format))
        #expect(last.previews.count == whole.count)
    }

    @Test("do not exist in a DNG whose picture is not of a sensor, and in a plain TIFF")
    func plain() {
        let dng = TIFFMaker.file(
            [
                [
                    (0x0100, .long(160)), (0x0101, .long(120)), (0x0103, .short(7)), (0x0106, .short(6)),
                    (0x0111, .start(0)), (0x0117, .length(0)), (0xC612, .bytes([1, 4, 0, 0])),
                ]
            ], blobs: [Self.small])
        #expect(FileFormat(of: dng) == .dng)
        #expect(read(dng, .dng) == nil)
        #expect(read(SampleFiles.tiff, .tiff) == nil)
        #expect(read(SampleFiles.tiff, .nef) == nil)
        #expect(read(Self.large, .nef) == nil)
    }

    @Test("are no masks and no maps of depths", arguments: [4, 8, 9, 65540, 65544])
    func masks(_ kind: Int) throws {
        func file(_ kind: Int) -> [UInt8] {
            let small: TIFFMaker.Directory = [
                (0x00FE, .long(kind)), (0x0100, .long(160)), (0x0101, .long(120)), (0x0103, .short(7)),
                (0x0106, .short(kind == 1 ? 6 : 51177)), (0x0111, .start(0)), (0x0117, .length(0)),
                (0x0201, .start(0)), (0x0202, .length(0)),
            ]
            return TIFFMaker.file(
                [
                    [
                        (0x0100, .long(1600)), (0x0101, .long(1200)), (0x0103, .short(7)),
                        (0x0106, .short(34892)), (0x014A, .directories([small])),
                        (0xC612, .bytes([1, 7, 0, 0])),
                    ]
                ], blobs: [Self.small])
        }
        #expect(try #require(read(file(kind), .dng)).previews.isEmpty)
        #expect(try #require(read(file(1), .dng)).previews.count == 1)
    }

    @Test("have EXIF of their own, in a block that other files can hold")
    func exif() throws {
        for format in RawMaker.formats where format != .raf {
            let file = Self.file(format)
            let metadata = FileMetadata(contentsOf: FileBytes(file), name: "a.\(format)", .blocks)
            let block = try #require(metadata?.blocks?.exif, "\(format)")
            let exif = try #require(Exif(block))
            #expect(exif.make == read(file, format)?.exif?.make)
            #expect(exif.orientation == 8)
            #expect(exif.date?.local.description == "2014-05-25T10:00:00")
            #expect(block.count < 300)
        }
    }
}
