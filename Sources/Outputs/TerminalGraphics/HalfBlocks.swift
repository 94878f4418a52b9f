internal import ViewportGeometry

/// Pictures as text: each cell is an upper half block in the color of one pixel, over the color of the pixel below.
struct HalfBlocks {
    private let rgba: [UInt8]
    private let size: PixelSize<OutputGrid>
    private let hasTrueColor: Bool

    init(_ rgba: [UInt8], _ size: PixelSize<OutputGrid>, _ abilities: TerminalAbilities) {
        (self.rgba, self.size, hasTrueColor) = (rgba, size, abilities.hasTrueColor)
    }

    private var rows: StrideTo<Int> { stride(from: 0, to: size.height, by: 2) }

    /// Lines that end with the default colors.
    var lines: [UInt8] { rows.flatMap { row($0) + [0x0A] } }

    /// Rows at their places on the screen, from its top.
    var page: [UInt8] { rows.flatMap { Array("\u{1B}[\($0 / 2 + 1);1H".utf8) + row($0) } }

    private func row(_ y: Int) -> [UInt8] {
        var result: [UInt8] = []
        var last = (above: "", below: "")
        for x in 0..<size.width {
            let above = color(x, y, 38)
            // The last row of an odd number has nothing below it.
            let below = y + 1 < size.height ? color(x, y + 1, 48) : "49"
            let changes = [above == last.above ? nil : above, below == last.below ? nil : below].compactMap(
                \.self)
            if !changes.isEmpty { result += Array("\u{1B}[\(changes.joined(separator: ";"))m".utf8) }
            result += Array("▀".utf8)
            last = (above, below)
        }
        return result + Array("\u{1B}[0m".utf8)
    }

    private func color(_ x: Int, _ y: Int, _ attribute: Int) -> String {
        let pixel = 4 * (y * size.width + x)
        let (red, green, blue) = (Int(rgba[pixel]), Int(rgba[pixel + 1]), Int(rgba[pixel + 2]))
        guard hasTrueColor else { return "\(attribute);5;\(Self.indexed(red, green, blue))" }
        return "\(attribute);2;\(red);\(green);\(blue)"
    }

    /// Returns the nearest of xterm's 256 colors: a cube of 6 levels, and 24 grays.
    static func indexed(_ red: Int, _ green: Int, _ blue: Int) -> Int {
        func level(_ value: Int) -> Int { value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40 }
        func value(_ level: Int) -> Int { level == 0 ? 0 : 55 + 40 * level }
        func distance(_ other: (Int, Int, Int)) -> Int {
            let (r, g, b) = (red - other.0, green - other.1, blue - other.2)
            return r * r + g * g + b * b
        }
        let levels = (level(red), level(green), level(blue))
        let gray = min(max(((red + green + blue) / 3 - 3) / 10, 0), 23)
        let inCube = distance((value(levels.0), value(levels.1), value(levels.2)))
        if distance((8 + 10 * gray, 8 + 10 * gray, 8 + 10 * gray)) < inCube { return 232 + gray }
        return 16 + 36 * levels.0 + 6 * levels.1 + levels.2
    }
}
