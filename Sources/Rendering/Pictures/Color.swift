/// An sRGB color with opacity, as in CSS; all four values from 0 to 1.
///
/// Values outside this range are clamped when drawing, and NaN counts as 0.
public struct Color: Hashable, Codable, Sendable {
    /// The red component.
    public var red: Double
    /// The green component.
    public var green: Double
    /// The blue component.
    public var blue: Double
    /// The opacity, where 0 is transparent.
    public var alpha: Double

    /// Creates a color, by default opaque.
    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Transparent black.
    public static let transparent = Color(red: 0, green: 0, blue: 0, alpha: 0)
    /// Opaque white.
    public static let white = Color(red: 1, green: 1, blue: 1)

    /// Returns this color composed over another.
    public func over(_ below: Color) -> Color {
        let opacity = alpha + below.alpha * (1 - alpha)
        guard opacity > 0 else { return .transparent }
        func mix(_ above: Double, _ under: Double) -> Double {
            (above * alpha + under * below.alpha * (1 - alpha)) / opacity
        }
        return Color(
            red: mix(red, below.red), green: mix(green, below.green), blue: mix(blue, below.blue),
            alpha: opacity)
    }

    /// Returns the color as background of a format: over white, unless the format has transparency.
    package func opaque(unless hasAlpha: Bool) -> Color { hasAlpha ? self : over(.white) }

    /// The color with all four values from 0 to 1.
    package var clamped: Color {
        func share(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
        return Color(red: share(red), green: share(green), blue: share(blue), alpha: share(alpha))
    }

    /// Whether it is a shade of gray.
    package var isGray: Bool { red == green && green == blue }

    /// Red, green, blue and alpha from 0 to 255.
    package var bytes: [UInt8] { clamped.components.map { UInt8(($0 * 255).rounded()) } }

    /// Red, green, blue and alpha.
    package var components: [Double] { [red, green, blue, alpha] }

    /// The color in the options that batches compare with those of earlier runs.
    ///
    /// Results on disk have this text: another one would make all outputs again.
    package var fingerprint: String { "Color(red: \(red), green: \(green), blue: \(blue), alpha: \(alpha))" }
}

extension Color {
    /// Parses a CSS color: a name, #rgb, #rgba, #rrggbb, #rrggbbaa, rgb(), rgba(), hsl() or hsla().
    ///
    /// Numbers may be separated by commas or spaces. Returns nil for other text. Source: CSS Color Module Level 4.
    public init?(css text: String) {
        let text = text.lowercased().filter { $0 != "\t" }
        if text == "transparent" {
            self = .transparent
        } else if let name = Self.names[text] {
            self.init(hexadecimal: String(0x1000000 + name, radix: 16).dropFirst())
        } else if text.hasPrefix("#") {
            self.init(hexadecimal: text.dropFirst())
        } else {
            self.init(function: text)
        }
    }

    private init?(hexadecimal text: Substring) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count else { return nil }
        let values: [Double]
        switch digits.count {
        case 3, 4: values = digits.map { Double($0 * 17) / 255 }
        case 6, 8:
            values = stride(from: 0, to: digits.count, by: 2).map {
                Double(digits[$0] * 16 + digits[$0 + 1]) / 255
            }
        default: return nil
        }
        self.init(red: values[0], green: values[1], blue: values[2], alpha: values.count == 4 ? values[3] : 1)
    }

    /// The color as text that `init(css:)` reads.
    package var css: String {
        self == .transparent
            ? "transparent"
            : self == .white ? "white" : "rgba(\(red * 255), \(green * 255), \(blue * 255), \(alpha))"
    }

    /// What `init(css:)` reads, for help.
    package static let forms = "a CSS color or transparent"
    /// What `init(css:)` reads, for messages.
    package static let understood = "a CSS color by name, as #rrggbb or as rgba(r, g, b, a), or transparent"

    private init?(function text: String) {
        guard text.hasSuffix(")"), let open = text.firstIndex(of: "(") else { return nil }
        let name = text[..<open]
        let parts = text[text.index(after: open)...].dropLast().split { ", /".contains($0) }
        guard parts.count == 3 || parts.count == 4 else { return nil }
        let alpha = parts.count == 4 ? Self.share(parts[3], of: 1) : 1
        guard let alpha else { return nil }
        switch name {
        case "rgb", "rgba":
            let values = parts.prefix(3).compactMap { Self.share($0, of: 255) }
            guard values.count == 3 else { return nil }
            self.init(red: values[0], green: values[1], blue: values[2], alpha: alpha)
        case "hsl", "hsla":
            let degrees = parts[0].hasSuffix("deg") ? parts[0].dropLast(3) : parts[0]
            guard let hue = Double(degrees), hue.isFinite, let saturation = Self.share(parts[1], of: 100),
                let lightness = Self.share(parts[2], of: 100)
            else { return nil }
            self.init(hue: hue, saturation: saturation, lightness: lightness, alpha: alpha)
        default:
            return nil
        }
    }

    /// Source: CSS Color Module Level 4, section 7.1.
    private init(hue: Double, saturation: Double, lightness: Double, alpha: Double) {
        let turn = hue - (hue / 360).rounded(.down) * 360
        let chroma = saturation * min(lightness, 1 - lightness)
        func channel(_ number: Double) -> Double {
            let position = (number + turn / 30).truncatingRemainder(dividingBy: 12)
            return lightness - chroma * max(-1, min(position - 3, 9 - position, 1))
        }
        self.init(red: channel(0), green: channel(8), blue: channel(4), alpha: alpha)
    }

    /// Returns a number of a range, or a percentage, as a share from 0 to 1.
    private static func share(_ text: Substring, of whole: Double) -> Double? {
        let isPercent = text.hasSuffix("%")
        guard let value = Double(isPercent ? text.dropLast() : text), value.isFinite else { return nil }
        return min(max(value / (isPercent ? 100 : whole), 0), 1)
    }
}

extension Color {
    /// Decodes a color, whose numbers must be finite; without `alpha` it is opaque.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            red: try values.decode(Double.self, forKey: .red),
            green: try values.decode(Double.self, forKey: .green),
            blue: try values.decode(Double.self, forKey: .blue),
            alpha: try values.decodeIfPresent(Double.self, forKey: .alpha) ?? 1)
        guard components.allSatisfy(\.isFinite) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "a number that is not finite"))
        }
    }
}

extension Color: CustomStringConvertible {
    /// The nearest color with a byte for each value: "#ff8000", or "#ff800080" if it is not opaque.
    public var description: String {
        let bytes = bytes
        return "#"
            + (bytes[3] == 255 ? bytes.dropLast() : bytes[...]).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
    }
}

extension Color {
    /// The named colors of CSS as 0xRRGGBB.
    ///
    /// Source: CSS Color Module Level 4, section 6.1.
    package static let names: [String: Int] = [
        "aliceblue": 0xF0F8FF, "antiquewhite": 0xFAEBD7, "aqua": 0x00FFFF, "aquamarine": 0x7FFFD4,
        "azure": 0xF0FFFF, "beige": 0xF5F5DC, "bisque": 0xFFE4C4, "black": 0x000000,
        "blanchedalmond": 0xFFEBCD, "blue": 0x0000FF, "blueviolet": 0x8A2BE2, "brown": 0xA52A2A,
        "burlywood": 0xDEB887, "cadetblue": 0x5F9EA0, "chartreuse": 0x7FFF00, "chocolate": 0xD2691E,
        "coral": 0xFF7F50, "cornflowerblue": 0x6495ED, "cornsilk": 0xFFF8DC, "crimson": 0xDC143C,
        "cyan": 0x00FFFF, "darkblue": 0x00008B, "darkcyan": 0x008B8B, "darkgoldenrod": 0xB8860B,
        "darkgray": 0xA9A9A9, "darkgreen": 0x006400, "darkgrey": 0xA9A9A9, "darkkhaki": 0xBDB76B,
        "darkmagenta": 0x8B008B, "darkolivegreen": 0x556B2F, "darkorange": 0xFF8C00, "darkorchid": 0x9932CC,
        "darkred": 0x8B0000, "darksalmon": 0xE9967A, "darkseagreen": 0x8FBC8F, "darkslateblue": 0x483D8B,
        "darkslategray": 0x2F4F4F, "darkslategrey": 0x2F4F4F, "darkturquoise": 0x00CED1,
        "darkviolet": 0x9400D3, "deeppink": 0xFF1493, "deepskyblue": 0x00BFFF, "dimgray": 0x696969,
        "dimgrey": 0x696969, "dodgerblue": 0x1E90FF, "firebrick": 0xB22222, "floralwhite": 0xFFFAF0,
        "forestgreen": 0x228B22, "fuchsia": 0xFF00FF, "gainsboro": 0xDCDCDC, "ghostwhite": 0xF8F8FF,
        "gold": 0xFFD700, "goldenrod": 0xDAA520, "gray": 0x808080, "green": 0x008000,
        "greenyellow": 0xADFF2F, "grey": 0x808080, "honeydew": 0xF0FFF0, "hotpink": 0xFF69B4,
        "indianred": 0xCD5C5C, "indigo": 0x4B0082, "ivory": 0xFFFFF0, "khaki": 0xF0E68C,
        "lavender": 0xE6E6FA, "lavenderblush": 0xFFF0F5, "lawngreen": 0x7CFC00, "lemonchiffon": 0xFFFACD,
        "lightblue": 0xADD8E6, "lightcoral": 0xF08080, "lightcyan": 0xE0FFFF,
        "lightgoldenrodyellow": 0xFAFAD2, "lightgray": 0xD3D3D3, "lightgreen": 0x90EE90,
        "lightgrey": 0xD3D3D3, "lightpink": 0xFFB6C1, "lightsalmon": 0xFFA07A, "lightseagreen": 0x20B2AA,
        "lightskyblue": 0x87CEFA, "lightslategray": 0x778899, "lightslategrey": 0x778899,
        "lightsteelblue": 0xB0C4DE, "lightyellow": 0xFFFFE0, "lime": 0x00FF00, "limegreen": 0x32CD32,
        "linen": 0xFAF0E6, "magenta": 0xFF00FF, "maroon": 0x800000, "mediumaquamarine": 0x66CDAA,
        "mediumblue": 0x0000CD, "mediumorchid": 0xBA55D3, "mediumpurple": 0x9370DB,
        "mediumseagreen": 0x3CB371, "mediumslateblue": 0x7B68EE, "mediumspringgreen": 0x00FA9A,
        "mediumturquoise": 0x48D1CC, "mediumvioletred": 0xC71585, "midnightblue": 0x191970,
        "mintcream": 0xF5FFFA, "mistyrose": 0xFFE4E1, "moccasin": 0xFFE4B5, "navajowhite": 0xFFDEAD,
        "navy": 0x000080, "oldlace": 0xFDF5E6, "olive": 0x808000, "olivedrab": 0x6B8E23, "orange": 0xFFA500,
        "orangered": 0xFF4500, "orchid": 0xDA70D6, "palegoldenrod": 0xEEE8AA, "palegreen": 0x98FB98,
        "paleturquoise": 0xAFEEEE, "palevioletred": 0xDB7093, "papayawhip": 0xFFEFD5, "peachpuff": 0xFFDAB9,
        "peru": 0xCD853F, "pink": 0xFFC0CB, "plum": 0xDDA0DD, "powderblue": 0xB0E0E6, "purple": 0x800080,
        "rebeccapurple": 0x663399, "red": 0xFF0000, "rosybrown": 0xBC8F8F, "royalblue": 0x4169E1,
        "saddlebrown": 0x8B4513, "salmon": 0xFA8072, "sandybrown": 0xF4A460, "seagreen": 0x2E8B57,
        "seashell": 0xFFF5EE, "sienna": 0xA0522D, "silver": 0xC0C0C0, "skyblue": 0x87CEEB,
        "slateblue": 0x6A5ACD, "slategray": 0x708090, "slategrey": 0x708090, "snow": 0xFFFAFA,
        "springgreen": 0x00FF7F, "steelblue": 0x4682B4, "tan": 0xD2B48C, "teal": 0x008080,
        "thistle": 0xD8BFD8, "tomato": 0xFF6347, "turquoise": 0x40E0D0, "violet": 0xEE82EE,
        "wheat": 0xF5DEB3, "white": 0xFFFFFF, "whitesmoke": 0xF5F5F5, "yellow": 0xFFFF00,
        "yellowgreen": 0x9ACD32,
    ]
}
