import ArgumentParser
import Containers
import Files
import Vips

/// Generates a photograph of a mountain lake in the evening from noise and a model of light and air.
///
///     VIEWPORT_TESTS=all swift run -c release landscape sample.jpg
///
/// The result with the default options is samples/lake.jpg.
///
/// The file is like one of a camera in portrait position: with EXIF orientation 6, a date and a location. Equal seeds
/// give equal bytes.
@main
struct LandscapeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "landscape",
        abstract: "Make a sample photograph: a landscape, stored turned, with EXIF orientation 6.")

    @Argument(help: "JPEG to write.")
    var output: String

    @Option(help: "Width as stored: the height of the upright picture.")
    var width = 4000

    @Option(help: "Height as stored: the width of the upright picture.")
    var height = 3000

    @Option(help: "Seed of the landscape.")
    var seed: UInt32 = 7

    @Option(name: [.customShort("Q"), .long], help: "JPEG quality.")
    var quality = 88

    @Option(
        help: ArgumentHelp(
            "Write that many stored rows only, from the first one on.", valueName: "first,count"))
    var rows: RowRange?

    @Flag(help: "Replace an existing JPEG that differs; an equal one needs no flag.")
    var overwrite = false

    func validate() throws {
        guard (16...16384).contains(width), (16...16384).contains(height) else {
            throw ValidationError("--width and --height go from 16 to 16384")
        }
        guard (1...100).contains(quality) else { throw ValidationError("--quality goes from 1 to 100") }
        if let rows, rows.range.upperBound > height { throw ValidationError("--rows ends below the picture") }
    }

    func run() throws {
        do {
            try place { _ in true }.check()
            let bytes = try photograph()
            try place { (try? InputFile.contents($0)) == bytes }.write(bytes)
        } catch let error as FileError {
            throw Unwritable(description: "\(output): \(error)")
        }
    }

    /// Returns the output file, and whether it may replace an existing one.
    private func place(isOwn: @escaping @Sendable (String) -> Bool) -> Output {
        Output(output, .jpeg, inputs: [], overwrites: overwrite, isOwn: isOwn)
    }

    /// Returns the bytes of the JPEG.
    private func photograph() throws -> [UInt8] {
        let noise = Noise(seed: seed &* 0x9E37_79B9)
        let terrain = Terrain(noise: noise)
        let ground = Ground(terrain: terrain, sky: Sky(noise: noise), sun: SunMap(terrain))
        let camera = Camera(ground: ground, width: height, height: width)
        let film = Film(noise: noise)

        let rows = rows?.range ?? 0..<height
        let picture = try VipsImage.generated(
            width: width, height: rows.count, bands: 3, interpretation: "srgb"
        ) { [width, height] stored, row in
            // With orientation 6, a stored row is an upright column, and the first row is the rightmost column.
            let x = height - 1 - rows.lowerBound - stored
            let column = camera.column(x)
            for y in 0..<width {
                let (u, v) = (Double(x) / Double(height) - 0.5, Double(y) / Double(width) - 0.5)
                let pixel = film.develop(
                    column[y], shade: 1 - 0.5 * (u * u + v * v), x: x, y: y)
                row[3 * y] = pixel.0
                row[3 * y + 1] = pixel.1
                row[3 * y + 2] = pixel.2
            }
        }
        let jpeg = try picture.saved(
            with: "jpegsave_buffer",
            ["Q": .int(quality), "subsample_mode": .name("on"), "strip": .bool(true)])
        // EXIF must be the first segment after the start of the image.
        return jpeg[..<2] + exif.segment + jpeg[2...]
    }

    private var exif: ExifBlock {
        ExifBlock(
            orientation: 6, make: "swift-viewport", model: "landscape", date: "2024:09:21 17:42:10",
            subsecond: "25", offset: "+02:00", latitude: ("N", [46, 34, 1230]),
            longitude: ("E", [8, 0, 4150]), altitude: 1034)
    }
}

/// A range of rows of the stored picture as "first,count", such as "1504,32".
struct RowRange: ExpressibleByArgument {
    let range: Range<Int>

    init?(argument: String) {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let first = numbers[0], let count = numbers[1], (0..<16384).contains(first),
            (1...16384).contains(count)
        else { return nil }
        range = first..<(first + count)
    }
}

/// An error, described in one sentence.
private struct Unwritable: Error, CustomStringConvertible {
    var description: String
}
