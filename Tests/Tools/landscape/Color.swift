/// Linear RGB light without an upper bound.
struct Color {
    var red: Double
    var green: Double
    var blue: Double

    init(_ red: Double, _ green: Double, _ blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    static func + (a: Color, b: Color) -> Color {
        Color(a.red + b.red, a.green + b.green, a.blue + b.blue)
    }

    static func * (a: Color, b: Color) -> Color {
        Color(a.red * b.red, a.green * b.green, a.blue * b.blue)
    }

    static func * (a: Color, factor: Double) -> Color {
        Color(a.red * factor, a.green * factor, a.blue * factor)
    }

    /// Returns a linear mix: this color at 0, the other at 1.
    func mixed(_ other: Color, _ part: Double) -> Color {
        self * (1 - part) + other * part
    }
}

/// Returns a cubic step from 0 at `low` to 1 at `high`; `low` may be greater than `high`.
func smoothstep(_ low: Double, _ high: Double, _ x: Double) -> Double {
    let t = min(max((x - low) / (high - low), 0), 1)
    return t * t * (3 - 2 * t)
}
