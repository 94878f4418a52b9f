import Basics
import Containers
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering

@testable import ImageReading

/// Frames of GIF and PNG as browsers show them, and the views of stereo pictures.
@Suite("Frames and views")
struct FramesTests {
    private static func picture(_ file: [UInt8], page: Int) throws -> Picture {
        var options = OpenOptions()
        options.page = page
        let image = try ImageFile(bytes: file, options: options)
        let viewport = Viewport(imageRect: Rect(origin: .zero, size: image.uprightSize.imageSize), scale: 1)
        return try ViewportRenderer().renderSynchronously(viewport, of: image).picture
    }

    private static func pixel(_ picture: Picture, _ x: Int, _ y: Int) -> [Int] {
        let at = (y * picture.size.width + x) * picture.bands
        return picture.bytes[at..<(at + picture.bands)].map(Int.init)
    }

    // MARK: GIF

    private struct GIFFrame {
        var rect: PixelRect<StoredGrid>
        var color: UInt8
        var disposal: UInt8?
    }

    /// A GIF of 60x40 with a palette of white, black, red, green, blue and gray.
    private static func gif(_ frames: [GIFFrame], bits: Int) -> [UInt8] {
        var palette: [UInt8] = [255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]
        palette += [UInt8](repeating: 99, count: 3 << bits - palette.count)
        var file = Array("GIF89a".utf8) + [60, 0, 40, 0, 0x80 | UInt8(bits - 1), 0, 0] + palette
        for frame in frames {
            if let disposal = frame.disposal { file += [0x21, 0xF9, 4, disposal << 2, 10, 0, 0, 0] }
            let rect = frame.rect
            file += [0x2C] + [rect.x, rect.y, rect.width, rect.height].flatMap { [UInt8($0), 0] } + [0]
            file += data([UInt8](repeating: frame.color, count: rect.size.area), bits: bits)
        }
        return file + [0x3B]
    }

    /// Codes of the colors alone, with a clear code before the codes get longer.
    private static func data(_ colors: [UInt8], bits: Int) -> [UInt8] {
        let clear = 1 << bits
        var (bytes, sum, count): ([UInt8], Int, Int) = ([], 0, 0)
        func codes() -> [Int] {
            colors.enumerated().flatMap { index, color in
                index % (clear - 2) == 0 ? [clear, Int(color)] : [Int(color)]
            } + [clear + 1]
        }
        for code in codes() {
            sum |= code << count
            count += bits + 1
            while count >= 8 {
                bytes.append(UInt8(sum & 255))
                (sum, count) = (sum >> 8, count - 8)
            }
        }
        if count > 0 { bytes.append(UInt8(sum)) }
        var result = [UInt8(bits)]
        for start in stride(from: 0, to: bytes.count, by: 255) {
            let block = bytes[start..<min(start + 255, bytes.count)]
            result.append(UInt8(block.count))
            result += block
        }
        return result + [0]
    }

    @Test("of a GIF that are left become transparent", arguments: [3, 8])
    func disposal(_ bits: Int) throws {
        let file = Self.gif(
            [
                GIFFrame(rect: PixelRect(x: 0, y: 0, width: 60, height: 40), color: 2, disposal: 1),
                GIFFrame(rect: PixelRect(x: 30, y: 10, width: 20, height: 20), color: 4, disposal: 2),
                GIFFrame(rect: PixelRect(x: 0, y: 0, width: 10, height: 10), color: 1, disposal: 1),
            ], bits: bits)
        let second = try Self.picture(file, page: 1)
        #expect(
            Self.pixel(second, 35, 15) == [0, 0, 255, 255] && Self.pixel(second, 5, 35) == [255, 0, 0, 255])
        let third = try Self.picture(file, page: 2)
        #expect(Self.pixel(third, 35, 15)[3] == 0)
        #expect(Self.pixel(third, 5, 5) == [0, 0, 0, 255] && Self.pixel(third, 55, 35) == [255, 0, 0, 255])
        let animation = try #require(try Animation(ImageFile(bytes: file)))
        #expect(animation.delays == [100, 100, 100] && animation.reader.pixels.layout.hasAlpha)
    }

    @Test("of a GIF leave uncovered pixels transparent", arguments: [3, 8], [nil, 0, 1] as [UInt8?])
    func uncovered(_ bits: Int, _ disposal: UInt8?) throws {
        let frame = GIFFrame(
            rect: PixelRect(x: 10, y: 10, width: 20, height: 20), color: 3, disposal: disposal)
        let other = GIFFrame(
            rect: PixelRect(x: 30, y: 10, width: 20, height: 20), color: 4, disposal: disposal)
        for frames in [[frame], [frame, other]] {
            let picture = try Self.picture(Self.gif(frames, bits: bits), page: frames.count - 1)
            #expect(Self.pixel(picture, 0, 0)[3] == 0 && Self.pixel(picture, 15, 15) == [0, 255, 0, 255])
        }
    }

    @Test("of a GIF are the bytes of the file where nothing is left")
    func unchanged() {
        let whole = PixelRect<StoredGrid>(x: 0, y: 0, width: 60, height: 40)
        let frame = GIFFrame(rect: whole, color: 2, disposal: nil)
        #expect(GIFTransparency.changed(Self.gif([frame], bits: 3)) == nil)
        // What the last frame leaves is not shown.
        let last = GIFFrame(rect: whole, color: 2, disposal: 2)
        #expect(GIFTransparency.changed(Self.gif([frame, last], bits: 3)) == nil)
        let made = Self.gif([frame, last, frame], bits: 8)
        for end in 0..<made.count where end % 7 == 0 {
            _ = GIFTransparency.changed(Array(made[..<end]))
        }
    }

    // MARK: Animated PNG

    /// An animated PNG of 20x10 with frames as (rectangle, RGBA, disposal, blending).
    private static func apng(
        _ frames: [(rect: PixelRect<StoredGrid>, color: [UInt8], disposal: UInt8, blending: UInt8)],
        startsWithPicture: Bool = true
    ) -> [UInt8] {
        func rows(_ rect: PixelRect<StoredGrid>, _ color: [UInt8]) -> [UInt8] {
            let row: [UInt8] = [0] + [[UInt8]](repeating: color, count: rect.width).joined()
            return PNGMaker.compress(
                Array([[UInt8]](repeating: row, count: rect.height).joined()), level: 6)
        }
        let whole = PixelRect<StoredGrid>(x: 0, y: 0, width: 20, height: 10)
        func number(_ value: Int) -> [UInt8] { UInt32(value).bytes(.big) }
        var file = PNGChunk.signature + PNGMaker.chunk("IHDR", number(20) + number(10) + [8, 6, 0, 0, 0])
        file += PNGMaker.chunk("acTL", number(frames.count) + number(3))
        if !startsWithPicture { file += PNGMaker.chunk("IDAT", rows(whole, [9, 9, 9, 255])) }
        var sequence = 0
        for (index, frame) in frames.enumerated() {
            let rect = frame.rect
            let place = [rect.width, rect.height, rect.x, rect.y].flatMap(number)
            file += PNGMaker.chunk(
                "fcTL", number(sequence) + place + [0, 1, 0, 4, frame.disposal, frame.blending])
            sequence += 1
            let data = rows(rect, frame.color)
            if index == 0, startsWithPicture {
                file += PNGMaker.chunk("IDAT", data)
            } else {
                file += PNGMaker.chunk("fdAT", number(sequence) + data)
                sequence += 1
            }
        }
        return file + PNGMaker.chunk("IEND", [])
    }

    @Test("of an animated PNG are composed", arguments: [true, false])
    func png(_ startsWithPicture: Bool) throws {
        let whole = PixelRect<StoredGrid>(x: 0, y: 0, width: 20, height: 10)
        let part = PixelRect<StoredGrid>(x: 5, y: 2, width: 4, height: 4)
        let file = Self.apng(
            [
                (whole, [255, 0, 0, 255], 0, 0), (part, [0, 0, 255, 128], 2, 1),
                (part, [0, 255, 0, 128], 1, 0),
                (PixelRect(x: 0, y: 0, width: 1, height: 1), [1, 2, 3, 255], 0, 0),
            ], startsWithPicture: startsWithPicture)
        let image = try ImageFile(bytes: file)
        #expect(image.pages == 4 && image.isAnimated)
        let animation = try #require(try Animation(image))
        #expect(animation.delays == [250, 250, 250, 250] && animation.loop == 3)
        let size = PixelSize<OutputGrid>(width: 20, height: 10)
        let viewport = Viewport(imageRect: Rect(origin: .zero, size: image.uprightSize.imageSize), scale: 1)
        let frames = try ViewportRenderer().renderFrames([viewport], of: animation).map { $0[0] }
        #expect(frames.count == 4 && frames[0].size == size)
        let wanted = [[255, 0, 0, 255], [127, 0, 128, 255], [0, 255, 0, 128], [0, 0, 0, 0]]
        for (index, frame) in frames.enumerated() {
            #expect(Self.pixel(frame, 6, 3) == wanted[index], "frame \(index)")
            #expect(Self.pixel(frame, 19, 9) == [255, 0, 0, 255])
            if index > 0 { #expect(try Self.picture(file, page: index).bytes == frame.bytes) }
        }
        #expect(Self.pixel(frames[3], 0, 0) == [1, 2, 3, 255])
        #expect(
            Self.pixel(try Self.picture(file, page: 0), 0, 0)
                == (startsWithPicture ? [255, 0, 0, 255] : [9, 9, 9, 255]))
        #expect(throws: RenderingError.self) { try Self.picture(file, page: 4) }
    }

    @Test("of damaged animated PNGs do not end the process")
    func damaged() {
        let whole = PixelRect<StoredGrid>(x: 0, y: 0, width: 20, height: 10)
        let file = Self.apng([(whole, [255, 0, 0, 255], 0, 0), (whole, [0, 0, 255, 128], 2, 1)])
        for at in file.indices.dropFirst(33) {
            var broken = file
            broken[at] ^= 0x5A
            if let image = try? ImageFile(bytes: broken), let animation = try? Animation(image) {
                _ = try? animation.frames(whole) { read in try read { _ in } }
            }
        }
    }

    // MARK: Stereo pictures

    /// Two JPEGs with an index of pictures; `kind` is that of the second one.
    private static func stereo(_ kind: Int, secondSize: Int = 48) throws -> [UInt8] {
        func jpeg(_ color: UInt8, _ side: Int) throws -> [UInt8] {
            try PictureEncoder(.jpg).encodeSynchronously(
                Picture(width: side, height: 32, rgb: [UInt8](repeating: color, count: side * 32 * 3)))
        }
        let (first, second) = (try jpeg(200, 48), try jpeg(40, secondSize))
        // After the marker of the start and the segment's head.
        let base = 2 + 4 + 4
        let length = first.count + 4 + 4 + 50 + 32
        func entry(_ kind: Int, _ size: Int, _ offset: Int) -> [UInt8] {
            [kind, size, offset, 0].flatMap { UInt32($0).bytes(.big) }
        }
        let head = TIFFWriter(.big)
        let values = entry(0x030000, length, 0) + entry(kind, second.count, length - base)
        let block = head.block([
            TIFFValue(tag: 0xB000, type: 7, count: 4, bytes: Array("0100".utf8)),
            TIFFValue(tag: 0xB001, type: 4, [2], .big),
            TIFFValue(tag: 0xB002, type: 7, count: 32, bytes: values),
        ])
        try #require(block.count == 82)
        let segment = JPEGSegment.bytes(0xE2, Array("MPF\0".utf8) + block)
        return Array(first[..<2]) + segment + first[2...] + second
    }

    @Test("of a stereo picture are pages", arguments: [0x02_0002, 0x02_0001, 0])
    func stereo(_ kind: Int) throws {
        let file = try Self.stereo(kind)
        #expect(try ImageFile(bytes: file).pages == 2)
        #expect(Self.pixel(try Self.picture(file, page: 0), 9, 9) == [200, 200, 200])
        #expect(Self.pixel(try Self.picture(file, page: 1), 9, 9) == [40, 40, 40])
        #expect(throws: RenderingError.self) { try Self.picture(file, page: 2) }
    }

    @Test("are not previews and maps")
    func previews() throws {
        #expect(try ImageFile(bytes: Self.stereo(0x01_0001)).pages == 1)
        #expect(try ImageFile(bytes: Self.stereo(0, secondSize: 24)).pages == 1)
    }
}
