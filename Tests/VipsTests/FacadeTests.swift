import Testing

@testable import Vips

@Suite("The facade over libvips")
struct FacadeTests {
    /// Every operation and argument that the facade sets, as it names them.
    static let used: [(String, [String])] = [
        ("extract_area", ["input", "left", "top", "width", "height", "out"]),
        ("rot", ["in", "angle", "out"]), ("flip", ["in", "direction", "out"]),
        ("rotate", ["in", "angle", "background", "out"]), ("autorot", ["in", "out"]),
        ("cast", ["in", "format", "shift", "out"]), ("extract_band", ["in", "band", "n", "out"]),
        ("bandjoin_const", ["in", "c", "out"]), ("bandjoin", ["in", "out"]),
        ("copy", ["in", "interpretation", "out"]),
        ("embed", ["in", "x", "y", "width", "height", "extend", "background", "out"]),
        ("flatten", ["in", "background", "max_alpha", "out"]), ("linear", ["in", "a", "b", "out"]),
        ("composite2", ["base", "overlay", "mode", "out"]), ("colourspace", ["in", "space", "out"]),
        (
            "icc_transform",
            ["in", "output_profile", "embedded", "input_profile", "intent", "depth", "out"]
        ),
        ("jpegload", ["filename", "access", "fail_on", "shrink", "out"]),
        ("pngload", ["filename", "access", "fail_on"]),
        ("webpload", ["filename", "page", "scale"]), ("tiffload", ["filename", "page", "subifd"]),
        ("jpegsave_buffer", ["in", "Q", "strip", "buffer"]),
        ("webpsave_buffer", ["in", "Q", "strip", "buffer"]),
        ("heifsave_buffer", ["in", "Q", "strip", "compression", "buffer"]),
        ("jpegsave", ["in", "filename", "Q", "strip"]), ("webpsave", ["in", "filename", "Q", "strip"]),
        ("pngsave", ["in", "filename", "strip"]),
        (
            "tiffsave",
            [
                "in", "filename", "tile", "tile_width", "tile_height", "pyramid", "compression", "predictor",
                "Q", "bigtiff",
            ]
        ),
        ("tiffsave_buffer", ["in", "compression", "buffer"]), ("pngsave_buffer", ["in", "buffer"]),
    ]

    @Test("names only operations and arguments that the installed libvips has", arguments: used)
    func names(_ nickname: String, _ arguments: [String]) throws {
        let operation = try VipsOperation(nickname)
        for argument in arguments {
            let known = operation.hasArgument(argument)
            #expect(known, "\(nickname) \(argument)")
        }
    }

    @Test("says which operation or argument is missing")
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
        "refuses values that do not fit",
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

    @Test("carries pixels there and back")
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
}
