import Foundation
import Testing
import ViewportGeometry

@testable import ViewportRendering

/// Pictures that are resized as light.
@Suite("Linear light")
struct LinearTests {
    /// Returns a picture of half the size.
    static func half(_ picture: Picture, isLinear: Bool = true) throws -> Picture {
        var options = RenderOptions()
        options.isLinear = isLinear
        options.colorMode = .keep
        options.depth = picture.depth
        let file = try ImageFile(picture: picture)
        let (width, height) = (picture.size.width, picture.size.height)
        let viewport = Viewport(
            imageRect: Rect(x: 0, y: 0, width: Double(width), height: Double(height)),
            size: PixelSize(width: width / 2, height: height / 2))
        return try ViewportRenderer(options: options).renderSynchronously(viewport, of: file).picture
    }

    /// Returns the bytes of the pixels of half the size that the edges do not reach.
    static func middle(_ picture: Picture, isLinear: Bool = true) throws -> [UInt8] {
        let half = try half(picture, isLinear: isLinear)
        let pixelBytes = half.bands * half.depth / 8
        return (3..<7).flatMap { y in
            half.bytes[((10 * y + 3) * pixelBytes)..<((10 * y + 7) * pixelBytes)]
        }
    }

    /// Returns a checkerboard of two pixels.
    static func checkerboard(
        _ format: PixelFormat, _ a: [UInt8], _ b: [UInt8], profile: [UInt8]? = nil
    ) throws -> Picture {
        var bytes: [UInt8] = []
        for place in 0..<400 { bytes += (place + place / 20) % 2 == 0 ? a : b }
        return try Picture(
            bytes: bytes, size: PixelSize(width: 20, height: 20), format: format, profile: profile)
    }

    @Test(
        "is the mean of black and white: 188, not 128",
        arguments: [PixelFormat(.gray), PixelFormat(.rgb)])
    func checkerboard(_ format: PixelFormat) throws {
        let count = format.samplesPerPixel
        let board = try Self.checkerboard(
            format, Array(repeating: 0, count: count), Array(repeating: 255, count: count))
        #expect(try Self.middle(board).allSatisfy { $0 == 188 })
        #expect(try Self.middle(board, isLinear: false).allSatisfy { $0 == 127 || $0 == 128 })
    }

    @Test("of 16 bits has the precision of 16 bits")
    func deep() throws {
        let white = [UInt8](repeating: 255, count: 6)
        let board = try Self.checkerboard(
            PixelFormat(.rgb, depth: .bits16), Array(repeating: 0, count: 6), white)
        let bytes = try Self.middle(board)
        // (1.055 x 0.5^(1/2.4) - 0.055) x 65535
        for index in stride(from: 0, to: bytes.count, by: 2) {
            let sample = Int(bytes[index]) | Int(bytes[index + 1]) << 8
            #expect(abs(sample - 48192) <= 1)
        }
    }

    @Test("is weighted by alpha")
    func alpha() throws {
        let format = PixelFormat(.rgba)
        let veil = try Self.checkerboard(format, [255, 200, 0, 255], [0, 0, 0, 0])
        let bytes = try Self.middle(veil)
        for pixel in stride(from: 0, to: bytes.count, by: 4) {
            // Transparent black has no weight.
            #expect(bytes[pixel..<(pixel + 3)].elementsEqual([255, 200, 0]))
            #expect(abs(Int(bytes[pixel + 3]) - 128) <= 1, "alpha itself is not light")
        }
    }

    @Test("follows the curve of the profile", arguments: [(1.0, 128), (1.8, 174), (2.2, 186)])
    func profile(_ gamma: Double, _ expected: Int) throws {
        let board = try Self.checkerboard(
            PixelFormat(.gray), [0], [255], profile: Self.profile(gamma: gamma))
        #expect(try Self.middle(board).allSatisfy { abs(Int($0) - expected) <= 1 })
    }

    @Test("keeps every flat color", arguments: [PixelFormat.Depth.bits8, .bits16])
    func flat(_ depth: PixelFormat.Depth) throws {
        for value in stride(from: 0, through: 255, by: depth == .bits8 ? 1 : 17) {
            let pixel = [UInt8](repeating: UInt8(value), count: depth == .bits8 ? 1 : 2)
            let flat = try Self.checkerboard(PixelFormat(.gray, depth: depth), pixel, pixel)
            #expect(try Self.half(flat).bytes.allSatisfy { $0 == value })
        }
    }

    /// Returns a profile of gray with a gamma.
    static func profile(gamma: Double) -> [UInt8] {
        func big(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var curve = Array("curv".utf8)
        curve += big(0, 4)
        curve += big(1, 4)
        curve += big(Int((gamma * 256).rounded()), 2)
        var tags = big(1, 4)
        tags += Array("kTRC".utf8)
        tags += big(144, 4)
        tags += big(curve.count, 4)
        var head = [UInt8](repeating: 0, count: 128)
        head.replaceSubrange(0..<4, with: big(144 + curve.count, 4))
        head.replaceSubrange(12..<24, with: Array("mntrGRAYXYZ ".utf8))
        head.replaceSubrange(36..<40, with: Array("acsp".utf8))
        return head + tags + curve
    }
}
