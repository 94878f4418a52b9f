/// Which part of the upright picture fills a box of another shape.
public enum CropMode: String, CaseIterable, Sendable {
    /// All of it: the box is not filled.
    case none
    case center = "centre"
    /// The part with the most detail.
    case entropy
    /// The part that is likely to draw the eye: skin, bright colors, edges.
    case attention
    /// The left or upper end.
    case low
    /// The right or lower end.
    case high
}

extension CropMode {
    /// Whether the picture's content decides.
    var isByContent: Bool { self == .entropy || self == .attention }

    /// Which share of what is cut off lies left of and above the part that stays; nil where content decides.
    var place: Double? {
        switch self {
        case .low: 0
        case .center: 0.5
        case .high: 1
        case .none, .entropy, .attention: nil
        }
    }
}
