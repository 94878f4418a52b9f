#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A request of the IIIF Image API: `{region}/{size}/{rotation}/{quality}.{format}`.
///
/// Contains the values as written. `resolved(for:_:version:)` applies them to an image in this order: region, size,
/// mirroring, rotation, quality, format. Source: IIIF Image API 3.0 and 2.1, section 4.
public struct IIIFRequest: Hashable, Sendable {
    /// The region of the image.
    public enum Region: Hashable, Sendable {
        /// The whole image.
        case full
        /// The largest square in the center of the image.
        case square
        /// A rectangle in full-resolution pixels.
        case pixels(x: Int, y: Int, width: Int, height: Int)
        /// A rectangle in percent of the image's width and height.
        case percent(x: Double, y: Double, width: Double, height: Double)
    }

    /// The size that the region is scaled to.
    public enum Scale: Hashable, Sendable {
        /// As large as the server allows.
        case max
        /// The size of the region; version 2.1 only.
        case full
        /// A width in pixels; the height keeps the aspect ratio.
        case width(Int)
        /// A height in pixels; the width keeps the aspect ratio.
        case height(Int)
        /// A percentage of the region's width and height.
        case percent(Double)
        /// A width and a height in pixels, regardless of the aspect ratio.
        case exact(width: Int, height: Int)
        /// The largest size that fits and keeps the aspect ratio.
        case within(width: Int, height: Int)
    }

    /// A scale, and whether the region may be enlarged to reach it.
    public struct Size: Hashable, Sendable {
        /// The size that the region is scaled to.
        public var scale: Scale
        /// Whether the picture may have more pixels than the region; "^" in version 3.0.
        public var mayEnlarge: Bool

        /// Creates a size that must not be enlarged, unless `mayEnlarge`.
        public init(_ scale: Scale, mayEnlarge: Bool = false) {
            self.scale = scale
            self.mayEnlarge = mayEnlarge
        }
    }

    /// A clockwise rotation, after mirroring left to right.
    public struct Rotation: Hashable, Sendable {
        /// Degrees clockwise, 0 up to 360.
        public var degrees: Double
        /// Whether the picture is mirrored before it is rotated.
        public var isMirrored: Bool

        /// Creates a rotation; without arguments, none.
        public init(degrees: Double = 0, isMirrored: Bool = false) {
            self.degrees = degrees
            self.isMirrored = isMirrored
        }
    }

    /// The colors of the picture.
    public enum Quality: String, Hashable, Sendable, CaseIterable {
        /// What the server prefers: the colors of the image.
        case `default`
        /// In color.
        case color
        /// In shades of gray.
        case gray
        /// In black and white.
        case bitonal
    }

    /// The region of the image.
    public var region: Region
    /// The size that the region is scaled to.
    public var size: Size
    /// The rotation of the scaled region.
    public var rotation: Rotation
    /// The colors of the picture.
    public var quality: Quality
    /// The file name extension of the format, without a dot.
    public var format: String

    /// Creates a request from values; `path` is its text.
    public init(
        region: Region = .full, size: Size = Size(.max), rotation: Rotation = Rotation(),
        quality: Quality = .default, format: String
    ) {
        self.region = region
        self.size = size
        self.rotation = rotation
        self.quality = quality
        self.format = format
    }
}

// The only parser of requests. Requests that break the grammar are errors; nothing is guessed.
extension IIIFRequest {
    /// Parses the last four components of a request's path, percent-decoded.
    ///
    /// - Throws: `IIIFError.badRequest` that names the invalid component.
    public init(
        region: some StringProtocol, size: some StringProtocol, rotation: some StringProtocol,
        file: some StringProtocol, version: IIIFInformation.Version = .three
    ) throws(IIIFError) {
        guard let region = Region("\(region)") else {
            throw .badRequest(
                "the region \(IIIFError.quoted(region)) is none of full, square, x,y,w,h and pct:x,y,w,h")
        }
        guard let size = Size("\(size)", version) else {
            throw .badRequest("the size \(IIIFError.quoted(size)) is none of max, w, ,h pct:n w,h and !w,h")
        }
        guard let rotation = Rotation("\(rotation)") else {
            throw .badRequest(
                "the rotation \(IIIFError.quoted(rotation)) is no number from 0 to 360, with or without a ! before it"
            )
        }
        let parts = "\(file)".split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let quality = Quality(rawValue: String(parts[0])) else {
            var names = Quality.allCases.map { "\($0.rawValue)." }
            names.insert("or", at: names.count - 1)
            throw .badRequest(
                "\(IIIFError.quoted(file)) does not begin with \(names.joined(separator: " "))")
        }
        guard (1...8).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy(\.isLetterOrDigit) else {
            throw .badRequest("\(IIIFError.quoted(file)) does not end with a format as jpg or png")
        }
        self.init(region: region, size: size, rotation: rotation, quality: quality, format: String(parts[1]))
    }

    /// Parses `{region}/{size}/{rotation}/{quality}.{format}`.
    public init(parsing path: String, version: IIIFInformation.Version = .three) throws(IIIFError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4 else {
            throw .badRequest("\(IIIFError.quoted(path)) is not region/size/rotation/quality.format")
        }
        try self.init(region: parts[0], size: parts[1], rotation: parts[2], file: parts[3], version: version)
    }

    /// The text of the request: its path relative to that of the image, without a leading slash.
    public var path: String { "\(region)/\(size)/\(rotation)/\(quality.rawValue).\(format)" }
}

// Not `Codable`: `path` is the format of a request.
extension IIIFRequest: CustomStringConvertible {
    /// The same as `path`.
    public var description: String { path }
}

extension IIIFRequest.Region: CustomStringConvertible {
    /// The region in the syntax of requests.
    public var description: String {
        switch self {
        case .full: "full"
        case .square: "square"
        case .pixels(let x, let y, let width, let height): "\(x),\(y),\(width),\(height)"
        case .percent(let x, let y, let width, let height):
            "pct:" + [x, y, width, height].map(\.decimalText).joined(separator: ",")
        }
    }

    init?(_ text: String) {
        switch text {
        case "full": self = .full
        case "square": self = .square
        case _ where text.hasPrefix("pct:"):
            guard let values = list(text.dropFirst(4), of: 4, Double.init(decimal:)) else { return nil }
            self = .percent(x: values[0], y: values[1], width: values[2], height: values[3])
        default:
            guard let values = list(text[...], of: 4, { Int(digits: $0) }) else { return nil }
            self = .pixels(x: values[0], y: values[1], width: values[2], height: values[3])
        }
    }
}

extension IIIFRequest.Size: CustomStringConvertible {
    /// The size in the syntax of requests.
    public var description: String {
        let form =
            switch scale {
            case .max: "max"
            case .full: "full"
            case .width(let width): "\(width),"
            case .height(let height): ",\(height)"
            case .percent(let percent): "pct:\(percent.decimalText)"
            case .exact(let width, let height): "\(width),\(height)"
            case .within(let width, let height): "!\(width),\(height)"
            }
        return mayEnlarge ? "^" + form : form
    }

    /// Parses a size; version 2.1 has no "^", and every size may enlarge.
    init?(_ text: String, _ version: IIIFInformation.Version) {
        var rest = text[...]
        if version == .three, rest.hasPrefix("^") {
            mayEnlarge = true
            rest.removeFirst()
        } else {
            mayEnlarge = false
        }
        guard let scale = IIIFRequest.Scale(rest, version) else { return nil }
        self.scale = scale
    }
}

extension IIIFRequest.Scale {
    fileprivate init?(_ text: Substring, _ version: IIIFInformation.Version) {
        if text == "max" {
            self = .max
        } else if text == "full", version == .two {
            self = .full
        } else if text.hasPrefix("pct:") {
            guard let percent = Double(decimal: text.dropFirst(4)) else { return nil }
            self = .percent(percent)
        } else if text.hasPrefix("!") {
            guard let values = list(text.dropFirst(), of: 2, { Int(digits: $0) }) else { return nil }
            self = .within(width: values[0], height: values[1])
        } else if text.hasPrefix(",") {
            guard let height = Int(digits: text.dropFirst()) else { return nil }
            self = .height(height)
        } else if text.hasSuffix(",") {
            guard let width = Int(digits: text.dropLast()) else { return nil }
            self = .width(width)
        } else {
            guard let values = list(text, of: 2, { Int(digits: $0) }) else { return nil }
            self = .exact(width: values[0], height: values[1])
        }
    }
}

extension IIIFRequest.Rotation: CustomStringConvertible {
    /// The rotation in the syntax of requests.
    public var description: String { (isMirrored ? "!" : "") + degrees.decimalText }

    init?(_ text: String) {
        isMirrored = text.hasPrefix("!")
        guard let degrees = Double(decimal: text.dropFirst(isMirrored ? 1 : 0)), degrees <= 360 else {
            return nil
        }
        self.degrees = degrees
    }
}

/// Returns the values of a list such as "1,2,3"; nil if there are not exactly `count`.
private func list<Value>(_ text: Substring, of count: Int, _ value: (Substring) -> Value?) -> [Value]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let values = parts.compactMap(value)
    return parts.count == count && values.count == count ? values : nil
}

extension Double {
    /// Parses digits with at most one dot, which has digits on both sides; no sign, no exponent.
    init?(decimal text: some StringProtocol) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isDecimal = parts.allSatisfy { part in
            (1...20).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard isDecimal, parts[0].utf8.count <= 10 else { return nil }
        self.init(String(text))
    }

    /// The number with as many decimals as needed, at most nine; integers have none.
    ///
    /// Numbers from 10^18 on, which no request can contain, have Swift's description.
    var decimalText: String {
        guard magnitude < 1e18 else { return "\(self)" }
        // Computed separately, because an Int may not hold the whole number in billionths.
        let below = rounded(.down)
        let billionths = Int(((self - below) * 1e9).rounded())
        let (carry, rest) = billionths.quotientAndRemainder(dividingBy: 1_000_000_000)
        let whole = Int(below) + carry
        guard rest > 0 else { return "\(whole)" }
        let digits = "\(rest)"
        var decimals = String(repeating: "0", count: 9 - digits.count) + digits
        while decimals.hasSuffix("0") { decimals.removeLast() }
        return "\(whole).\(decimals)"
    }
}

/// A request that cannot be answered: status 400 or 501 of a server.
public enum IIIFError: Error, Hashable, Sendable {
    /// The request breaks the grammar, or its region is outside of the image; a sentence for status 400.
    case badRequest(String)
    /// The request uses a feature that the server does not support; a sentence for status 501.
    case notImplemented(String)

    /// Returns a part of a request, quoted for an error message: truncated, with special characters replaced.
    static func quoted(_ text: some StringProtocol) -> String {
        let plain = text.unicodeScalars.prefix(60).map { scalar in
            (0x20..<0x7F).contains(scalar.value) && scalar != "<" && scalar != "&" ? String(scalar) : "?"
        }
        return "\"" + plain.joined() + (text.unicodeScalars.count > 60 ? "…" : "") + "\""
    }
}

extension IIIFError: LocalizedError, CustomStringConvertible {
    /// The cause in one sentence.
    public var description: String {
        switch self {
        case .badRequest(let sentence), .notImplemented(let sentence): sentence
        }
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
