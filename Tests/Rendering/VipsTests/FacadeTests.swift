import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Vips

@Suite("The facade over libvips")
struct FacadeTests {
    /// Every operation that the facade runs, with all arguments that it sets.
    static let used: [(String, [String: VipsArgument])] = [
        (
            "extract_area",
            ["left": .int(1), "top": .int(1), "width": .int(1), "height": .int(1), "input": .image(pixel)]
        ),
        (
            "smartcrop",
            [
                "input": .image(pixel), "width": .int(1), "height": .int(1),
                "interesting": .name("attention"),
            ]
        ),
        ("rot", ["in": .image(pixel), "angle": .name("d270")]),
        ("flip", ["in": .image(pixel), "direction": .name("vertical")]),
        (
            "rotate",
            ["in": .image(pixel), "angle": .double(30), "background": .doubles([0])]
        ),
        ("autorot", ["in": .image(pixel)]),
        ("cast", ["in": .image(pixel), "format": .name("ushort"), "shift": .bool(true)]),
        ("extract_band", ["in": .image(pixel), "band": .int(0), "n": .int(1)]),
        ("bandjoin_const", ["in": .image(pixel), "c": .doubles([1])]),
        ("bandjoin", ["in": .images([pixel])]),
        ("arrayjoin", ["in": .images([pixel]), "across": .int(1)]),
        (
            "copy",
            [
                "in": .image(pixel), "interpretation": .name("rgb16"), "bands": .int(3),
                "format": .name("float"),
            ]
        ),
        (
            "embed",
            [
                "in": .image(pixel), "x": .int(0), "y": .int(0), "width": .int(1), "height": .int(1),
                "extend": .name("background"), "background": .doubles([0]),
            ]
        ),
        ("flatten", ["in": .image(pixel), "background": .doubles([0]), "max_alpha": .double(255)]),
        ("linear", ["in": .image(pixel), "a": .doubles([1]), "b": .doubles([0])]),
        ("composite2", ["base": .image(pixel), "overlay": .image(pixel), "mode": .name("over")]),
        ("colourspace", ["in": .image(pixel), "space": .name("grey16")]),
        (
            "icc_transform",
            [
                "in": .image(pixel), "output_profile": .string("srgb"), "embedded": .bool(true),
                "input_profile": .string("cmyk"), "intent": .name("perceptual"), "depth": .int(16),
            ]
        ),
        (
            "jpegload",
            [
                "filename": .string("x"), "access": .name("sequential"), "fail_on": .name("error"),
                "shrink": .int(8),
            ]
        ),
        ("pngload", ["filename": .string("x"), "access": .name("sequential"), "fail_on": .name("none")]),
        ("pngload_buffer", ["buffer": .blob([0])]),
        ("webpload", ["filename": .string("x"), "page": .int(1), "scale": .double(0.5)]),
        ("tiffload", ["filename": .string("x"), "page": .int(1), "subifd": .int(0)]),
        ("jpegsave_buffer", ["in": .image(pixel), "Q": .int(75), "strip": .bool(true)]),
        ("webpsave_buffer", ["in": .image(pixel), "Q": .int(75), "strip": .bool(true)]),
        ("gifsave_buffer", ["in": .image(pixel)]),
        (
            "heifsave_buffer",
            ["in": .image(pixel), "Q": .int(75), "strip": .bool(true), "compression": .name("av1")]
        ),
        (
            "jpegsave",
            [
                "in": .image(pixel), "filename": .string("x"), "Q": .int(75), "strip": .bool(true),
                "interlace": .bool(true), "subsample_mode": .name("off"),
            ]
        ),
        (
            "webpsave",
            ["in": .image(pixel), "filename": .string("x"), "Q": .int(75), "strip": .bool(true)]
        ),
        (
            "pngsave",
            ["in": .image(pixel), "filename": .string("x"), "strip": .bool(true), "compression": .int(1)]
        ),
        (
            "tiffsave",
            [
                "in": .image(pixel), "filename": .string("x"), "tile": .bool(true), "tile_width": .int(256),
                "tile_height": .int(256), "pyramid": .bool(true), "compression": .name("zstd"),
                "level": .int(1), "predictor": .name("horizontal"), "Q": .int(75), "bigtiff": .bool(true),
            ]
        ),
        ("tiffsave_buffer", ["in": .image(pixel), "compression": .name("deflate")]),
        ("pngsave_buffer", ["in": .image(pixel)]),
        (
            "text",
            [
                "text": .string("x"), "font": .string("Sans 17"), "width": .int(1), "align": .name("centre"),
                "justify": .bool(true), "dpi": .int(72), "spacing": .int(1), "rgba": .bool(true),
            ]
        ),
    ]

    /// An image that is created once; this fails only without libvips.
    static let pixel = try! VipsImage.pixels(
        [0], width: 1, height: 1, bands: 1, format: .uint8, interpretation: "b-w")

    @Test(
        "uses only operations, arguments and types of the installed libvips", arguments: used.indices)
    func names(_ index: Int) throws {
        let (nickname, arguments) = Self.used[index]
        let operation = try VipsOperation(nickname)
        for (name, value) in arguments { try operation.set(name, value) }
    }

    @Test("uses only operations in the table of this test")
    func complete() throws {
        let root = try PackageFolder.sources(of: "Vips")
        let known = Set(Self.used.map(\.0))
        var found = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: root.path) {
            let text = try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
            for match in text.matches(of: /peration\("([a-z0-9_]+)"\)/) {
                found += 1
                #expect(known.contains(String(match.1)), "\(name) \(match.1)")
            }
        }
        #expect(found > 15)
    }

    @Test("reports the missing operation or argument")
    func missing() throws {
        #expect(throws: VipsError.self) { try VipsImage.load("x", with: "nosuchload", [:]) }
        let copy = try VipsOperation("copy")
        let error = #expect(throws: VipsError.self) { try setBadArgument(copy) }
        #expect(error?.reason == .badArgument("nosuch"))
    }

    private func setBadArgument(_ operation: borrowing VipsOperation) throws {
        try operation.set("nosuch", .int(1))
    }

    @Test(
        "refuses values of a wrong type",
        arguments: [
            VipsArgument.string("d90"), .int(1), .double(1), .name("d91"), .bool(true), .doubles([1]),
        ])
    func types(_ value: VipsArgument) throws {
        let rot = try VipsOperation("rot")
        #expect(throws: VipsError.self) { try setAngle(rot, value) }
    }

    private func setAngle(_ operation: borrowing VipsOperation, _ value: VipsArgument) throws {
        try operation.set("angle", value)
    }

    @Test("round-trips pixels")
    func pixels() throws {
        let bytes: [UInt8] = (0..<60).map { UInt8($0) }
        let image = try VipsImage.pixels(
            bytes, width: 5, height: 4, bands: 3, format: .uint8, interpretation: "srgb")
        #expect(try image.pixels().copied() == bytes)
        #expect((image.width, image.height, image.bands) == (5, 4, 3))
        #expect(throws: VipsError.self) {
            try VipsImage.pixels(bytes, width: 5, height: 5, bands: 3, format: .uint8, interpretation: "srgb")
        }
    }

    @Test("computes no more rows of a picture after cancellation")
    func watched() throws {
        let rows = Atomic(0)
        let isSlow = Atomic(true)
        let image = try VipsImage.generated(width: 500, height: 8000, bands: 1, interpretation: "b-w") {
            _, _ in
            // Otherwise all rows would be computed before the first report.
            if isSlow.load(ordering: .relaxed), rows.load(ordering: .relaxed) > 1000 { usleep(500) }
            rows.add(1, ordering: .relaxed)
        }
        let shares = Mutex([Double]())
        #expect(throws: VipsError.self) {
            try image.watched({ share in
                shares.withLock { $0.append(share) }
                return false
            }) { image throws(VipsError) in try image.pixels() }
        }
        #expect(rows.load(ordering: .relaxed) < 8000)
        #expect(shares.withLock { $0 }.allSatisfy { (0...1).contains($0) })
        isSlow.store(false, ordering: .relaxed)
        let all = try image.watched({ _ in true }) { image throws(VipsError) in try image.pixels() }
        #expect(all.count == 500 * 8000)
    }
}
