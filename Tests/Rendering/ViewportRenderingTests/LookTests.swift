import Foundation
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

/// Panoramas that are drawn on the sphere, so that every look can be computed from the drawing.
@Suite("A look into a panorama")
struct LookTests {
    /// A color of each direction, without a seam: waves along some axes.
    static func color(_ d: Direction) -> SIMD3<Double> {
        let length = (d.x * d.x + d.y * d.y + d.z * d.z).squareRoot()
        let (x, y, z) = (d.x / length, d.y / length, d.z / length)
        return SIMD3(
            127.5 + 60 * sin(19 * x + 3 * y) + 50 * cos(23 * z - 5 * x),
            127.5 + 60 * sin(21 * y - 7 * z) + 50 * sin(17 * x + 11 * y),
            127.5 + 60 * cos(25 * z + 9 * y) + 50 * sin(13 * y - 16 * x))
    }

    static let size = PixelSize<OutputGrid>(width: 1024, height: 512)
    static let whole = Panorama(size: Size(width: 1024, height: 512))!

    static func picture(of panorama: Panorama) -> Picture {
        let (width, height) = (Int(panorama.size.width), Int(panorama.size.height))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 3)
        for y in 0..<height {
            for x in 0..<width {
                let color = color(panorama.direction(Point(x: Double(x) + 0.5, y: Double(y) + 0.5)))
                for band in 0..<3 { bytes.append(UInt8(color[band].rounded())) }
            }
        }
        return try! Picture(
            bytes: bytes, size: PixelSize(width: width, height: height), format: .rgb8)
    }

    static let sphere = picture(of: whole)

    static func file(_ format: PictureFormat, of picture: Picture = sphere) throws -> ImageFile {
        try ImageFile(
            bytes: PictureEncoder(format, quality: format == .jpg ? 97 : nil).encodeSynchronously(picture))
    }

    /// The mean of 8 x 8 samples of the drawing for each pixel.
    static func reference(_ frame: LookFrame) -> [UInt8] {
        var bytes: [UInt8] = []
        for y in 0..<Int(frame.size.height) {
            for x in 0..<Int(frame.size.width) {
                var sum = SIMD3<Double>.zero
                for sample in 0..<64 {
                    let u = Double(x) + (Double(sample % 8) + 0.5) / 8
                    let v = Double(y) + (Double(sample / 8) + 0.5) / 8
                    if let direction = frame.direction(at: Point(x: u, y: v)) { sum += color(direction) }
                }
                for band in 0..<3 { bytes.append(UInt8((sum[band] / 64).rounded())) }
            }
        }
        return bytes
    }

    static func frame(
        _ look: Look, _ projection: LookProjection = .rectilinear, width: Double = 120, height: Double = 90
    ) -> LookFrame {
        LookFrame(look, projection, size: Size(width: width, height: height))
    }

    @Test("has in its parts the pixels of the whole, near the poles, too", arguments: [0.0, 60, 90])
    func parts(_ pitch: Double) throws {
        let file = try Self.file(.png)
        let frame = Self.frame(Look(yaw: 170, pitch: pitch), width: 150, height: 170)
        let renderer = ViewportRenderer()
        let whole = try renderer.renderSynchronously(frame, into: Self.whole, of: file).picture
        var rows: [UInt8] = []
        for top in stride(from: 0, to: 170, by: 64) {
            let part = PixelRect<OutputGrid>(x: 0, y: top, width: 150, height: min(64, 170 - top))
            rows += try renderer.renderSynchronously(part, of: frame, into: Self.whole, of: file).picture
                .bytes
        }
        // At the seam, samples may be taken in floats or in fixed point.
        func differ(_ a: [UInt8], _ b: [UInt8]) -> Int {
            a.count == b.count ? zip(a, b).map { abs(Int($0) - Int($1)) }.max() ?? 0 : 255
        }
        #expect(differ(rows, whole.bytes) <= 1)
        let right = PixelRect<OutputGrid>(x: 64, y: 64, width: 86, height: 40)
        let made = try renderer.renderSynchronously(right, of: frame, into: Self.whole, of: file).picture
        #expect(differ(made.bytes, whole.cropped(to: right).bytes) <= 1)
    }

    @Test(
        "is the drawing, also over the seam, at the poles and turned",
        arguments: [
            Look(), Look(yaw: 180, fieldOfView: 70), Look(yaw: -170, pitch: 30, roll: 25, fieldOfView: 100),
            Look(yaw: 45, pitch: 90, fieldOfView: 90), Look(yaw: 3, pitch: -88, roll: -40, fieldOfView: 60),
            Look(yaw: 100, pitch: 60, fieldOfView: 8),
        ])
    func drawing(_ look: Look) throws {
        for projection in LookProjection.allCases {
            let frame = Self.frame(look, projection)
            guard projection != .cylindrical || look.pitch.magnitude < 80 else { continue }
            let made = try ViewportRenderer().renderSynchronously(
                frame, into: Self.whole, of: Self.file(.png)
            ).picture
            #expect(made.bands == 3 && made.size == PixelSize(width: 120, height: 90))
            let psnr = Comparing.psnr(made.bytes, Self.reference(frame))
            #expect(psnr > 45, "\(projection): \(psnr) dB")
        }
    }

    @Test("is read from any level and by any way", arguments: ["png", "jpg", "tif"])
    func formats(_ ending: String) throws {
        let format = PictureFormat(fileExtension: ending)!
        let file = try Self.file(format)
        for fieldOfView in [30.0, 100, 300] {
            let frame = Self.frame(
                Look(yaw: 175, pitch: 20, fieldOfView: fieldOfView),
                fieldOfView > 170 ? .stereographic : .rectilinear)
            let (picture, report) = try ViewportRenderer().renderSynchronously(
                frame, into: Self.whole, of: file)
            let psnr = Comparing.psnr(picture.bytes, Self.reference(frame))
            #expect(psnr > (format == .jpg ? 38 : 43), "\(fieldOfView): \(psnr) dB")
            #expect(report.level != nil)
        }
    }

    @Test("of 1:1 shows the pixels of the file")
    func sharp() throws {
        // In the middle, a pixel of the view is a pixel of the panorama.
        let frame = Self.frame(Look(fieldOfView: 120 * 360 / 1024), .equirectangular, width: 120, height: 60)
        let made = try ViewportRenderer().renderSynchronously(
            frame, into: Self.whole, of: Self.file(.png)
        ).picture
        let part = Comparing.part(
            PixelRect<OutputGrid>(x: 452, y: 226, width: 120, height: 60), of: Self.sphere.bytes,
            rowBytes: 1024 * 3, pixelBytes: 3)
        #expect(Comparing.greatestDifference(made.bytes, part)! <= 1)
    }

    @Test("is upright for any orientation of the file", arguments: Orientation.allCases)
    func orientations(_ orientation: Orientation) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("pano.png")
        let image = try #require(
            try? TestImages.photo(width: 256, height: 128))
        try image.save(path, oriented: .up)
        let plain = try ImageFile(path: path)
        let stored = orientation.inverse
        var options = OpenOptions()
        options.turn = orientation
        let turnedPath = folder.path("turned.png")
        try image.turned(stored).save(turnedPath, oriented: .up)
        let turned = try ImageFile(path: turnedPath, options: options)
        let panorama = try plain.panorama(assumed: true)
        let frame = Self.frame(Look(yaw: 170, pitch: 40, fieldOfView: 80))
        let (a, b) = try (
            ViewportRenderer().renderSynchronously(frame, into: panorama, of: plain).picture,
            ViewportRenderer().renderSynchronously(frame, into: turned.panorama(assumed: true), of: turned)
                .picture
        )
        #expect(Comparing.greatestDifference(a.bytes, b.bytes)! <= 1)
    }

    @Test("shows the background outside of a part", arguments: [PictureFormat.png, .jpg])
    func parts(_ format: PictureFormat) throws {
        let part = Panorama(
            size: Size(width: 400, height: 200), whole: Rect(x: -312, y: -156, width: 1024, height: 512))!
        let file = try Self.file(format, of: Self.picture(of: part))
        let frame = Self.frame(Look(fieldOfView: 150))
        var renderer = ViewportRenderer()
        let made = try renderer.renderSynchronously(frame, into: part, of: file).picture
        #expect(made.hasAlpha)
        let reference = Self.reference(frame)
        var inside = 0
        for pixel in 0..<(120 * 90) {
            let point = Point<ViewSpace>(x: Double(pixel % 120) + 0.5, y: Double(pixel / 120) + 0.5)
            let place = part.imagePoint(frame.direction(at: point)!)
            let distance = min(place.x, 400 - place.x, place.y, 200 - place.y)
            if distance < -12 { #expect(made.bytes[pixel * 4 + 3] == 0) }
            guard distance > 12 else { continue }
            inside += 1
            #expect(made.bytes[pixel * 4 + 3] == 255)
            for band in 0..<3 {
                let difference = Int(made.bytes[pixel * 4 + band]) - Int(reference[pixel * 3 + band])
                #expect(difference.magnitude <= (format == .jpg ? 16 : 6))
            }
        }
        #expect(inside > 500)
        renderer.options.background = Color(red: 1, green: 1, blue: 1)
        let white = try renderer.renderSynchronously(frame, into: part, of: file).picture
        #expect(!white.hasAlpha && white.bytes[0] == 255)
        // A look away from the part is all background.
        let away = Self.frame(Look(yaw: 180, fieldOfView: 60))
        let nothing = try ViewportRenderer().renderSynchronously(away, into: part, of: file).picture
        #expect(nothing.bytes.allSatisfy { $0 == 0 })
    }

    @Test("works for the smallest pictures and views", arguments: [(2, 1), (4, 2), (20, 10), (1, 1)])
    func small(_ width: Int, _ height: Int) throws {
        let image = try TestImages.photo(width: width, height: height)
        let picture = try Picture(
            bytes: image.pixels().copied(), size: PixelSize(width: width, height: height), format: .rgb8)
        let file = try Self.file(.png, of: picture)
        let panorama = Panorama(size: Size(width: Double(width), height: Double(height)))!
        for size in [1.0, 7, 65] {
            for pitch in [-90.0, 0, 90] {
                let made = try ViewportRenderer().renderSynchronously(
                    Self.frame(Look(yaw: 60, pitch: pitch), width: size, height: size), into: panorama,
                    of: file
                ).picture
                #expect(made.bytes.count == Int(size * size) * 3)
            }
        }
    }

    @Test("keeps 16 bits and transparency")
    func deep() throws {
        let size = PixelSize<OutputGrid>(width: 64, height: 32)
        let bytes = [UInt8](repeating: 0x40, count: 64 * 32 * 8)
        let deep = try Picture(bytes: bytes, size: size, format: PixelFormat(.rgba, depth: .bits16))
        let panorama = Panorama(size: Size(width: 64, height: 32))!
        var renderer = ViewportRenderer()
        renderer.options.depth = 16
        let made = try renderer.renderSynchronously(
            Self.frame(Look()), into: panorama, of: Self.file(.png, of: deep)
        ).picture
        #expect(made.depth == 16 && made.hasAlpha && made.bytes.allSatisfy { $0 == 0x40 })
    }

    @Test("needs metadata, or 2:1 pixels that are taken for a panorama")
    func assumed() throws {
        let file = try Self.file(.png)
        #expect(throws: RenderingError.self) { try file.panorama() }
        #expect(try file.panorama(assumed: true) == Self.whole)
        let other = try ImageFile(
            bytes: PictureEncoder(.png).encodeSynchronously(
                Picture(
                    bytes: [UInt8](repeating: 1, count: 300), size: PixelSize(width: 10, height: 10),
                    format: .rgb8)
            ))
        #expect(throws: RenderingError.self) { try other.panorama(assumed: true) }
    }
}
