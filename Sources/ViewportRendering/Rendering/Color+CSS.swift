extension Color {
    /// Reads a color as CSS writes it: a name, #rgb, #rgba, #rrggbb, #rrggbbaa, rgb(), rgba(), hsl() or hsla().
    ///
    /// Source: CSS Color Module Level 4, with commas or spaces between the numbers. Nil for everything else.
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
        let reach = saturation * min(lightness, 1 - lightness)
        func channel(_ number: Double) -> Double {
            let place = (number + turn / 30).truncatingRemainder(dividingBy: 12)
            return lightness - reach * max(-1, min(place - 3, 9 - place, 1))
        }
        self.init(red: channel(0), green: channel(8), blue: channel(4), alpha: alpha)
    }

    /// A number of a range, or a percentage, as a share from 0 to 1.
    private static func share(_ text: Substring, of whole: Double) -> Double? {
        let isPercent = text.hasSuffix("%")
        guard let value = Double(isPercent ? text.dropLast() : text), value.isFinite else { return nil }
        return min(max(value / (isPercent ? 100 : whole), 0), 1)
    }
}
