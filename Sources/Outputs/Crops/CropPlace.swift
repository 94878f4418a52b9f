internal import Basics
internal import Batches
internal import ViewportGeometry

/// Where a crop lies in its image.
struct CropPlace: Equatable, Sendable {
    /// The rectangle in the upright image.
    let rect: Rect<ImageSpace>
    /// Pixels of the crop for one of the image, in both directions.
    let scale: [Double]
    /// How much of the rectangle is not in the image, from 0 to 1.
    let outside: Double

    init(_ rect: Rect<ImageSpace>, of image: PixelSize<UprightGrid>, as size: PixelSize<OutputGrid>) {
        self.rect = rect
        scale = [Double(size.width) / rect.width, Double(size.height) / rect.height]
        let whole = Rect<ImageSpace>(x: 0, y: 0, width: Double(image.width), height: Double(image.height))
        let inside = rect.intersection(whole).map { $0.width * $0.height / (rect.width * rect.height) } ?? 0
        outside = min(max(1 - inside, 0), 1)
    }

    /// A place that an archive states.
    init(scale: [Double], outside: Double) {
        rect = Rect(x: 0, y: 0, width: 1, height: 1)
        (self.scale, self.outside) = (scale, outside)
    }

    var numbers: [Double] { [rect.minX, rect.minY, rect.width, rect.height] }

    /// Whether pixels of the image are magnified.
    var isMagnified: Bool { scale.contains { $0 > 1 } }

    /// Whether the aspect ratio changes, by more than rounding.
    var isStretched: Bool { scale.count == 2 && abs(scale[0] / scale[1] - 1) > 1e-9 }

    /// The part that is outside, in percent.
    var outsideWords: String {
        let percent = outside * 100
        return percent < 1 ? "less than 1 %" : "\(Int(percent.rounded())) %"
    }
}

extension CropPlan {
    /// Whether a rectangle has a fraction: then all have a point in the descriptions.
    var hasFractions: Bool {
        rects?.contains { rect in
            [rect.minX, rect.minY, rect.width, rect.height].contains { $0 != $0.rounded() || abs($0) >= 1e15 }
        } ?? false
    }
}

extension JSONValue {
    /// Numbers with at most six decimals, always with a point.
    static func fractions(_ values: [Double]) -> JSONValue {
        .array(
            values.map { value in
                let rounded = abs(value) < 1e9 ? (value * 1e6).rounded() / 1e6 : value
                return .number("\(rounded)")
            })
    }
}

extension BatchItem {
    /// A label as a text; empty where the line has none.
    func text(_ label: String) -> String {
        switch rest.first(where: { $0.name.utf8.elementsEqual(label.utf8) })?.value {
        case .string(let text)?: text
        case nil, .null?: ""
        case let value?: "\(value)"
        }
    }
}
