import Foundation
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("Pixels in memory")
struct PixelFormatTests {
    static let formats: [PixelFormat] = PixelFormat.Channels.allCases.flatMap { channels in
        PixelFormat.Depth.allCases.flatMap { depth in
            PixelFormat.Alpha.allCases.map { PixelFormat(channels, depth: depth, alpha: $0) }
        }
    }
    static let size = PixelSize<OutputGrid>(width: 7, height: 5)

    static func noise(_ count: Int) -> [UInt8] {
        var random = SplitMix64(seed: 11)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    @Test(
        "round-trip exactly, except for the rounding of premultiplied samples", arguments: formats,
        [0, 1, 13])
    func roundTrip(_ format: PixelFormat, _ gap: Int) throws {
        let rowBytes = Self.size.width * format.bytesPerPixel
        let stride = rowBytes + gap
        let pixels = Self.noise(stride * (Self.size.height - 1) + rowBytes)
        let picture = try Picture(bytes: pixels, size: Self.size, format: format, bytesPerRow: stride)
        let back = try picture.pixels(as: format, bytesPerRow: stride)
        #expect(back.count == pixels.count)
        let premultiplied = format.hasAlpha && format.alpha == .premultiplied
        for y in 0..<Self.size.height {
            let row = (y * stride)..<(y * stride + rowBytes)
            if !premultiplied { #expect(Array(back[row]) == Array(pixels[row])) }
        }
        // Further round trips change nothing.
        let again = try Picture(bytes: back, size: Self.size, format: format, bytesPerRow: stride)
        #expect(try again.pixels(as: format, bytesPerRow: stride) == back)
        // A picture from pixels can be encoded.
        let file = try PictureEncoder(.png).encodeSynchronously(picture)
        let decoded = try VipsImage.load(bytes: file, with: "VipsForeignLoadPngBuffer", [:])
        #expect(try decoded.pixels().copied() == picture.bytes)
    }

    @Test("have the same values in every format")
    func values() throws {
        let bytes: [UInt8] = [10, 20, 30, 255, 200, 100, 50, 128]
        let size = PixelSize<OutputGrid>(width: 2, height: 1)
        let picture = try Picture(bytes: bytes, size: size, format: .rgba8)
        #expect(try picture.pixels(as: .rgba8) == bytes)
        #expect(try picture.pixels(as: .rgb8) == [10, 20, 30, 200, 100, 50])
        #expect(try picture.pixels(as: PixelFormat(.bgra)) == [30, 20, 10, 255, 50, 100, 200, 128])
        #expect(try picture.pixels(as: .bgra8Premultiplied) == [30, 20, 10, 255, 25, 50, 100, 128])
        let deep = try picture.pixels(as: PixelFormat(.rgba, depth: .bits16))
        #expect(
            try Picture(bytes: deep, size: size, format: .init(.rgba, depth: .bits16)).pixels(as: .rgba8)
                == bytes)
        let gray = try Picture(bytes: [7, 9], size: size, format: PixelFormat(.gray))
        #expect(try gray.pixels(as: .rgba8) == [7, 7, 7, 255, 9, 9, 9, 255])
        let opaque = try Picture(
            bytes: [10, 20, 30, 128], size: PixelSize(width: 1, height: 1),
            format: .init(.rgba, alpha: .premultiplied))
        #expect(opaque.bytes == [20, 40, 60, 128])
    }

    @Test("fill the caller's buffer and nothing else")
    func buffer() throws {
        let picture = try Picture(
            bytes: Self.noise(7 * 5 * 3), size: Self.size, format: .rgb8)
        let stride = 7 * 4 + 5
        var buffer = [UInt8](repeating: 0xAA, count: stride * 5 + 3)
        var bytes = buffer.mutableSpan
        var raw = unsafe bytes.mutableBytes
        try picture.copyPixels(into: &raw, as: .rgba8, bytesPerRow: stride)
        let expected = try picture.pixels(as: .rgba8)
        for y in 0..<5 {
            #expect(
                Array(buffer[(y * stride)..<(y * stride + 28)]) == Array(expected[(y * 28)..<((y + 1) * 28)]))
            #expect(buffer[(y * stride + 28)..<((y + 1) * stride)].allSatisfy { $0 == 0xAA })
        }
        #expect(buffer.suffix(3).allSatisfy { $0 == 0xAA })
    }

    @Test(
        "that are too few or have an invalid size are an error",
        arguments: [
            (7, 5, nil, 104), (7, 5, 20, 200), (7, 5, 22, 22 * 4 + 20), (0, 5, nil, 100), (7, -1, nil, 100),
            (.max, 2, nil, 100), (2, .max, 1 << 40, 100), (7, 5, -21, 100), (.max / 3, .max, nil, 10),
        ] as [(Int, Int, Int?, Int)])
    func refused(_ width: Int, _ height: Int, _ stride: Int?, _ count: Int) throws {
        let bytes = [UInt8](repeating: 0, count: count)
        let error = #expect(throws: RenderingError.self) {
            try Picture(
                bytes: bytes, size: PixelSize(width: width, height: height), format: .rgb8,
                bytesPerRow: stride)
        }
        guard case .invalidPixelBuffer = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let picture = try Picture(bytes: Self.noise(7 * 5 * 3), size: Self.size, format: .rgb8)
        guard width == 7, height == 5 else { return }
        var buffer = bytes
        var span = buffer.mutableSpan
        var raw = unsafe span.mutableBytes
        #expect(throws: RenderingError.self) {
            try picture.copyPixels(into: &raw, as: .rgb8, bytesPerRow: stride)
        }
        #expect(throws: RenderingError.self) { try picture.pixels(as: PixelFormat(.gray)) }
    }

    @Test("can be the source of a render", arguments: PixelFormat.Depth.allCases)
    func rendered(_ depth: PixelFormat.Depth) async throws {
        let format = PixelFormat(.rgb, depth: depth)
        let size = PixelSize<OutputGrid>(width: 40, height: 30)
        let picture = try Picture(
            bytes: Self.noise(40 * 30 * format.bytesPerPixel), size: size, format: format)
        let file = try ImageFile(picture: picture)
        var options = RenderOptions()
        options.depth = depth == .bits16 ? 16 : 8
        let part = try await ViewportRenderer(options: options).render(
            Viewport(imageRect: Rect(x: 3, y: 4, width: 20, height: 10), scale: 1), of: file
        ).picture
        #expect(
            part.bytes == picture.cropped(to: PixelRect(x: 3, y: 4, width: 20, height: 10)).bytes)
        let small = try await ViewportRenderer(options: options).render(
            Viewport(imageRect: Rect(x: 0, y: 0, width: 40, height: 30), scale: 0.3), of: file)
        #expect(small.picture.size == PixelSize(width: 12, height: 9))
    }
}
