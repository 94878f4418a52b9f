public import ArgumentParser
import ViewportGeometry
public import ViewportRendering

/// Numbers as users write them: decimals without exponents' surprises, all finite.
enum Numbers {
    /// The numbers of "1,2.5,-3"; nil where there are not `count` finite ones.
    static func list(_ text: Substring, separator: Character = ",", count: Int) -> [Double]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let values = parts.compactMap { Double($0) }.filter { $0.isFinite && abs($0) <= 1e9 }
        return parts.count == count && values.count == count ? values : nil
    }
}

extension ImageRect: ExpressibleByArgument {
    /// "X,Y,W,H" in image points or "pct:X,Y,W,H"; width and height above 0.
    public init?(argument: String) {
        let percent = argument.hasPrefix("pct:")
        guard let values = Numbers.list(argument.dropFirst(percent ? 4 : 0), count: 4),
            values[2] > 0, values[3] > 0
        else { return nil }
        self =
            percent
            ? .percent(x: values[0], y: values[1], width: values[2], height: values[3])
            : .points(Rect(x: values[0], y: values[1], width: values[2], height: values[3]))
    }
}

/// "WxH" in points, both above 0.
struct SizeArgument: ExpressibleByArgument {
    let size: Size<ViewSpace>

    init?(argument: String) {
        guard let values = Numbers.list(argument[...], separator: "x", count: 2), values[0] > 0, values[1] > 0
        else { return nil }
        size = Size(width: values[0], height: values[1])
    }
}

/// "X,Y".
struct PointArgument: ExpressibleByArgument {
    let x: Double
    let y: Double

    init?(argument: String) {
        guard let values = Numbers.list(argument[...], count: 2) else { return nil }
        (x, y) = (values[0], values[1])
    }
}

/// A number above 0.
struct ScaleArgument: ExpressibleByArgument {
    let value: Double

    init?(argument: String) {
        guard let value = Double(argument), value.isFinite, (1e-6...1e6).contains(value) else { return nil }
        self.value = value
    }

    var defaultValueDescription: String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }
}

/// A quarter turn.
struct RotationArgument: ExpressibleByArgument {
    let degrees: Int

    init?(argument: String) {
        guard let degrees = Int(argument), [0, 90, 180, 270].contains(degrees) else { return nil }
        self.degrees = degrees
    }

    var defaultValueDescription: String { "\(degrees)" }
}
