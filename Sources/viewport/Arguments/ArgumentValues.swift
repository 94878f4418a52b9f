#if CommandLine
public import ArgumentParser
import Basics
import PyramidExport
public import Resampling
public import Thumbnails
public import ViewportGeometry
public import ViewportRendering

/// Numbers in arguments: finite, at most 1e9.
enum Numbers {
    /// Returns the numbers of "1,2.5, -3"; nil if they are not `count` finite numbers.
    static func list(_ text: Substring, count: Int) -> [Double]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let values = parts.compactMap(number)
        return parts.count == count && values.count == count ? values : nil
    }

    /// Returns a number; spaces around it are ignored.
    static func number(_ text: Substring) -> Double? {
        Double(text.trimmed { $0 == " " }).flatMap { $0.isFinite && abs($0) <= 1e9 ? $0 : nil }
    }

    /// Returns why a list is refused: "has 3 numbers, not 4".
    static func fault(_ text: Substring, count: Int) -> String? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        if let other = parts.first(where: { number($0) == nil }) {
            return other.isEmpty ? "a number is missing" : "'\(other)' is not a number"
        }
        return parts.count == count
            ? nil : "has \(parts.count) number\(parts.count == 1 ? "" : "s"), not \(count)"
    }
}

extension ImageRect: ExpressibleByArgument, Explained {
    /// "X,Y,W,H" in image points or "pct:X,Y,W,H", or X's "WxH+X+Y"; width and height above 0.
    public init?(argument: String) {
        if let rect = Self.geometry(argument) {
            self = .points(rect)
            return
        }
        let percent = argument.hasPrefix("pct:")
        guard let values = Numbers.list(argument.dropFirst(percent ? 4 : 0), count: 4),
            values[2] > 0, values[3] > 0
        else { return nil }
        self =
            percent
            ? .percent(x: values[0], y: values[1], width: values[2], height: values[3])
            : .points(Rect(x: values[0], y: values[1], width: values[2], height: values[3]))
    }

    /// Returns the rectangle of "WxH+X+Y", the form of the X Window System and ImageMagick; nil for other texts.
    private static func geometry(_ text: String) -> Rect<ImageSpace>? {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Numbers.number(parts[0]),
            let sign = parts[1].firstIndex(where: { $0 == "+" || $0 == "-" }),
            let height = Numbers.number(parts[1][..<sign]),
            let second = parts[1][parts[1].index(after: sign)...].firstIndex(where: { $0 == "+" || $0 == "-" }
            ),
            let x = Numbers.number(parts[1][sign..<second]), let y = Numbers.number(parts[1][second...]),
            width > 0, height > 0
        else { return nil }
        return Rect(x: x, y: y, width: width, height: height)
    }

    static var understood: String {
        "X,Y,WIDTH,HEIGHT in image points, pct:X,Y,WIDTH,HEIGHT, or WIDTHxHEIGHT+X+Y"
    }
    static var example: String { "100,200,640,480" }

    static func fault(in text: String) -> String? {
        Numbers.fault(text.dropFirst(text.hasPrefix("pct:") ? 4 : 0), count: 4)
            ?? "width and height must be above 0"
    }
}

/// A size in points: "WxH", "W" for a square, "Wx" or "xH" to keep the aspect ratio, or "50%" of the image.
struct SizeArgument: ExpressibleByArgument, Explained, Sendable {
    /// Nil if it follows from the height.
    let width: Double?
    let height: Double?
    /// The zoom of a percentage, which has no sides.
    let zoom: ScaleArgument?

    init?(argument: String) {
        if argument.hasSuffix("%"), let zoom = ScaleArgument(argument: argument) {
            (width, height, self.zoom) = (nil, nil, zoom)
            return
        }
        zoom = nil
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        let sides = parts.map { Numbers.number($0) }
        guard (1...2).contains(parts.count), zip(parts, sides).allSatisfy({ $0.isEmpty || ($1 ?? 0) > 0 }),
            sides.contains(where: { $0 != nil })
        else { return nil }
        (width, height) = (sides[0], sides.last!)
    }

    /// Both sides; nil if one is missing.
    var both: Size<ViewSpace>? {
        guard let width, let height else { return nil }
        return Size(width: width, height: height)
    }

    var text: String {
        if let zoom { return "\(Self.text((zoom.value * 1e6).rounded() / 1e4))%" }
        return "\(width.map(Self.text) ?? "")x\(height.map(Self.text) ?? "")"
    }

    /// The size in names of files: "400" for a square.
    var name: String { width == height && zoom == nil ? Self.text(width ?? 0) : text }

    var defaultValueDescription: String { text }

    private static func text(_ side: Double) -> String { Int(exactly: side).map { "\($0)" } ?? "\(side)" }

    static var understood: String {
        "WIDTHxHEIGHT above 0, one number for a square, WIDTHx, xHEIGHT or a percentage"
    }
    static var example: String { "800x600" }
}

/// "X,Y".
struct PointArgument: ExpressibleByArgument, Explained {
    let x: Double
    let y: Double

    init?(argument: String) {
        guard let values = Numbers.list(argument[...], count: 2) else { return nil }
        (x, y) = (values[0], values[1])
    }

    static var understood: String { "X,Y" }
    static var example: String { "1024,768" }
    static func fault(in text: String) -> String? { Numbers.fault(text[...], count: 2) }
}

/// A factor above 0, or a percentage.
struct ScaleArgument: ExpressibleByArgument, Explained {
    let value: Double

    init?(argument: String) {
        let isPercent = argument.hasSuffix("%")
        guard let number = Numbers.number(argument.dropLast(isPercent ? 1 : 0)) else { return nil }
        let value = isPercent ? number / 100 : number
        guard (1e-6...1e6).contains(value) else { return nil }
        self.value = value
    }

    var defaultValueDescription: String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }

    static var understood: String { "a factor above 0, or a percentage" }
    static var example: String { "0.5" }
}

/// An angle, clockwise.
struct RotationArgument: ExpressibleByArgument, Explained {
    /// From 0 to below 360.
    let degrees: Double

    init?(argument: String) {
        guard let degrees = Numbers.number(argument[...]) else { return nil }
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        // A tiny negative angle plus 360 rounds to 360.
        self.degrees = rest < 0 ? (rest + 360).truncatingRemainder(dividingBy: 360) : rest + 0
    }

    /// The quarter turns; nil for other angles.
    var quarters: Int? { degrees.remainder(dividingBy: 90) == 0 ? Int(degrees) : nil }

    var defaultValueDescription: String { Int(exactly: degrees).map { "\($0)" } ?? "\(degrees)" }

    static var understood: String { "degrees clockwise" }
    static var example: String { "90" }
}

/// A number of bytes: "10737418240", "10GiB", "500 MB".
struct ByteCount: ExpressibleByArgument, Explained, Sendable, Comparable, CustomStringConvertible {
    let bytes: Int
    /// As it was given.
    let description: String

    init?(argument: String) {
        let text = argument.lowercased().filter { $0 != " " }
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let powers = ["": 0, "k": 1, "m": 2, "g": 3, "t": 4]
        var unit = String(text.dropFirst(digits.count))
        // "GB" means powers of 1000; "G" and "GiB" mean powers of 1024, as in vips and systemd.
        let isDecimal = unit.count == 2 && unit.hasSuffix("b")
        if unit.hasSuffix("b") { unit.removeLast() }
        if unit.hasSuffix("i") { unit.removeLast() }
        guard let power = powers[unit], let number = Double(String(digits)), number.isFinite else {
            return nil
        }
        let bytes = (0..<power).reduce(number) { bytes, _ in bytes * (isDecimal ? 1000 : 1024) }
        guard bytes < 0x1p62 else { return nil }
        self.bytes = Int(bytes)
        description = argument
    }

    static func == (one: ByteCount, other: ByteCount) -> Bool { one.bytes == other.bytes }
    static func < (one: ByteCount, other: ByteCount) -> Bool { one.bytes < other.bytes }

    static var understood: String {
        "a number of bytes, with k, M, G or T (of 1024) or kB, MB, GB or TB (of 1000)"
    }
    static var example: String { "10G" }
}

extension ContentMode: ExpressibleByArgument {}
extension ResamplingKernel: ExpressibleByArgument {}
extension PNGCompression: ExpressibleByArgument {}
extension RenderOptions.ColorMode: ExpressibleByArgument {}

extension PictureFormat: ExpressibleByArgument, Explained {
    public init?(argument: String) {
        self.init(fileExtension: argument)
    }

    /// The formats that the installed libvips writes, in help only: finding them takes longer than a render.
    public static var allValueStrings: [String] {
        (HelpRequest.isMade ? installed : allCases).map(\.rawValue)
    }

    static var understood: String { "one of " + installed.map(\.rawValue).joined(separator: ", ") }
    static var example: String { "png" }
    static func fault(in text: String) -> String? { "not a format that this libvips writes" }
}

/// Bits per sample of a picture.
enum DepthArgument: ExpressibleByArgument, Explained, Hashable {
    case bits(Int)
    /// Those of the image, where the format has them.
    case keep

    init?(argument: String) {
        switch argument {
        case "8", "16": self = .bits(argument == "8" ? 8 : 16)
        case "keep": self = .keep
        default: return nil
        }
    }

    static var allValueStrings: [String] { ["8", "16", "keep"] }
    static var understood: String { "8, 16 or keep" }
    static var example: String { "16" }
}

/// Formats of pictures, separated by commas.
struct FormatList: ExpressibleByArgument, Explained {
    /// At least one, each once.
    let formats: [PictureFormat]

    init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false)
        let formats = names.compactMap { PictureFormat(argument: String($0.trimmed { $0 == " " })) }
        guard formats.count == names.count, Set(formats).count == formats.count else { return nil }
        self.formats = formats
    }

    static var allValueStrings: [String] { PictureFormat.allValueStrings }
    static var defaultCompletionKind: CompletionKind { .list(PictureFormat.allCases.map(\.rawValue)) }
    static var understood: String { PictureFormat.understood + ", or several with commas" }
    static var example: String { "webp,jpg" }

    static func fault(in text: String) -> String? {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let isKnown = names.allSatisfy { PictureFormat(argument: $0) != nil }
        return isKnown ? "names a format twice" : PictureFormat.fault(in: text)
    }
}

extension Color: ExpressibleByArgument, Explained {
    public init?(argument: String) {
        self.init(css: argument)
    }

    public var defaultValueDescription: String { css }

    public static var defaultCompletionKind: CompletionKind {
        .list(["transparent"] + names.keys.sorted { $0.lexicographicallyPrecedes($1) })
    }

    static var example: String { "navy" }
    static func fault(in text: String) -> String? { "not a CSS color" }
}

extension PyramidLayout: ExpressibleByArgument {}
extension MetadataChoice: ExpressibleByArgument {}

extension TileFormat: ExpressibleByArgument {
    /// "jpg", and ".jpg" as `vips dzsave` takes it.
    package init?(argument: String) {
        let name = argument.hasPrefix(".") ? argument.dropFirst() : argument[...]
        guard let format = PictureFormat(fileExtension: String(name)) else { return nil }
        self.init(rawValue: format.rawValue)
    }
}

extension CropMode: ExpressibleByArgument {
    /// Accepts "center" and libvips' "centre".
    public init?(argument: String) {
        self.init(rawValue: argument == "center" ? "centre" : argument)
    }

    public static var allValueStrings: [String] { allCases.map(\.defaultValueDescription) }

    public var defaultValueDescription: String { self == .center ? "center" : rawValue }
}

extension ThumbnailRecipe.Color: ExpressibleByArgument {}

extension ThumbnailRecipe.Frames: ExpressibleByArgument, Explained {
    public init?(argument: String) { self.init(argument) }

    public static var defaultCompletionKind: CompletionKind { .list(["first", "all"]) }

    static var understood: String { "first, all or the number of a frame from 0" }
    static var example: String { "all" }
}

extension ThumbnailSize: ExpressibleByArgument, Explained {
    public init?(argument: String) {
        guard let size = try? ThumbnailSize(argument.lowercased()) else { return nil }
        self = size
    }

    static var understood: String {
        "W, WxH, Wx or xH in pixels from \(range.lowerBound) to \(range.upperBound), followed by ! (exact), > or <"
    }
    static var example: String { "1024x768" }
}

extension Shard: ExpressibleByArgument, Explained {
    public init?(argument: String) { self.init(parsing: argument) }

    static var understood: String { "i/n, where i counts from 0 and is below n" }
    static var example: String { "0/16" }
}

/// Whether help was requested: only then may help texts take time.
enum HelpRequest {
    static let isMade = !Set(CommandLine.arguments.dropFirst()).isDisjoint(with: [
        "help", "--help", "-h", "-help",
    ])
}
#endif
