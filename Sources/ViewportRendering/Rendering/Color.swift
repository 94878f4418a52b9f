/// A color of sRGB with its opacity, as CSS has them; all four from 0 to 1.
public struct Color: Hashable, Sendable {
    public var red: Double
    public var green: Double
    public var blue: Double
    public var alpha: Double

    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Transparent black.
    public static let transparent = Color(red: 0, green: 0, blue: 0, alpha: 0)
    public static let white = Color(red: 1, green: 1, blue: 1)

    /// This color with another shining through.
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

    /// Whether it is a shade of gray.
    var isGray: Bool { red == green && green == blue }
}
