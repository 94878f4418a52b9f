import ArgumentParser
import ViewportGeometry
import Vips

/// Generates an image of any size for benchmarks, with memory that does not depend on the size.
///
///     VIEWPORT_TESTS=all swift run -c release giant big.jpg --width 20000 --height 15000 --orientation 6
///
/// A JPEG at quality 75 has about 1.5 bits per pixel, like a photograph. Equal arguments give equal pixels.
@main
struct GiantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "giant", abstract: "Make an image of any size, for benchmarks.")

    @Argument(help: "File to write; its name ends in .jpg, .png or .tif.")
    var output: String

    @Option(help: "Width as stored, at most 65500.")
    var width: Int

    @Option(help: "Height as stored, at most 65500.")
    var height: Int

    @Option(help: "EXIF orientation, 1 to 8, written into the file.")
    var orientation: Int?

    @Option(help: "Seed of the image.")
    var seed: UInt32 = 1

    @Option(name: [.customShort("Q"), .long], help: "Quality of JPEG, in files and in tiles.")
    var quality = 75

    @Flag(help: "Progressive JPEG; libjpeg then keeps all of the image in memory.")
    var progressive = false

    @Flag(help: "TIFF in tiles, with smaller and smaller copies.")
    var pyramid = false

    func validate() throws {
        guard (1...65500).contains(width), (1...65500).contains(height) else {
            throw ValidationError("--width and --height go from 1 to 65500")
        }
        if let orientation, !(1...8).contains(orientation) {
            throw ValidationError("--orientation goes from 1 to 8")
        }
        guard (1...100).contains(quality) else { throw ValidationError("--quality goes from 1 to 100") }
        let format = try format
        // libvips does not write the orientation to PNG.
        if orientation != nil, format == .png { throw ValidationError("--orientation is for .jpg and .tif") }
        if progressive, format != .jpeg { throw ValidationError("--progressive is for .jpg") }
        if pyramid, format != .tiff { throw ValidationError("--pyramid is for .tif") }
    }

    func run() throws {
        let texture = Texture(seed: seed)
        var image = try VipsImage.generated(width: width, height: height, bands: 3, interpretation: "srgb") {
            y, row in texture.fill(y, &row)
        }
        if let orientation = orientation.flatMap(Orientation.init(rawValue:)) {
            image = try image.withOrientation(orientation)
        }
        do {
            let (saver, arguments) = try saving
            try image.save(output, with: saver, arguments)
        } catch let error as VipsError {
            throw Unwritable(
                description: "\(output): cannot be written (\(error)); make room or choose another place")
        }
    }

    private enum Format { case jpeg, png, tiff }

    private var format: Format {
        get throws {
            switch output.split(separator: ".").last?.lowercased() {
            case "jpg", "jpeg": .jpeg
            case "png": .png
            case "tif", "tiff": .tiff
            default: throw ValidationError("\(output): the name must end in .jpg, .png or .tif")
            }
        }
    }

    /// The saver of the format, and its arguments.
    private var saving: (saver: String, arguments: [String: VipsArgument]) {
        get throws {
            switch try format {
            case .jpeg:
                let arguments: [String: VipsArgument] = [
                    "Q": .int(quality), "interlace": .bool(progressive), "subsample_mode": .name("on"),
                    "strip": .bool(orientation == nil),
                ]
                return ("jpegsave", arguments)
            case .png:
                return ("pngsave", ["compression": .int(2)])
            case .tiff:
                let arguments: [String: VipsArgument] = [
                    "compression": .name("jpeg"), "Q": .int(quality), "pyramid": .bool(pyramid),
                    "tile": .bool(pyramid), "tile_width": .int(256), "tile_height": .int(256),
                    // Offsets of 32 bits allow 4 GB, and a pixel takes far less than two bytes.
                    "bigtiff": .bool(width * height > 2_000_000_000),
                ]
                return ("tiffsave", arguments)
            }
        }
    }
}

/// An error, described in one sentence.
private struct Unwritable: Error, CustomStringConvertible {
    var description: String
}
