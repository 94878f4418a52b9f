internal import ScrollModel

extension KeyedDecodingContainer where Key == Line.Name {
    /// The value of a name that must be there.
    func value<Value: Decodable>(_ name: String) throws -> Value {
        try decode(Value.self, forKey: Line.Name(stringValue: name))
    }

    /// The value of a name that may be there.
    func optional<Value: Decodable>(_ name: String) throws -> Value? {
        try decodeIfPresent(Value.self, forKey: Line.Name(stringValue: name))
    }

    /// An action whose value says nothing but true.
    func flag(_ name: String, _ action: Action) throws -> Action {
        let isTrue: Bool = try value(name)
        guard isTrue else { throw Complaint("\"\(name)\" can only be true") }
        return action
    }

    /// How an animated action is timed; nil for one that is instant.
    ///
    /// `"animated":true` has UIKit's timing; `"duration"`, in seconds, and `"timing"`, which is `linear`,
    /// `easeInOut`, `spring` or the four numbers of a cubic Bézier curve, say more and mean animated, too.
    func timing(unlessSaid standard: Timing? = nil) throws -> Timing? {
        let animated: Bool? = try optional("animated")
        let seconds: Double? = try optional("duration")
        let curve: CurveName? = try optional("timing")
        if animated == false { return nil }
        guard seconds != nil || curve != nil else { return animated == true ? .standard : standard }
        let duration = seconds ?? Timing.standard.duration
        guard duration >= 0 else { throw Complaint("\"duration\" is below zero") }
        return (curve ?? .easeInOut).timing(duration)
    }
}

/// The curve of an animation.
enum CurveName: Decodable {
    case linear, easeInOut, spring
    case bezier([Double])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let numbers = try? value.decode([Double].self), numbers.count == 4 {
            self = .bezier(numbers)
            return
        }
        switch try? value.decode(String.self) {
        case "linear": self = .linear
        case "easeInOut": self = .easeInOut
        case "spring": self = .spring
        default: throw Complaint("\"timing\" is \"linear\", \"easeInOut\", \"spring\" or four numbers")
        }
    }

    func timing(_ duration: Double) -> Timing {
        switch self {
        case .linear: .linear(duration: duration)
        case .easeInOut: .easeInOut(duration: duration)
        // A critically damped spring is at rest, to a ten-thousandth, after 1.87 of its periods.
        case .spring: .spring(dampingRatio: 1, response: duration / 1.872)
        case .bezier(let p): .cubicBezier(p[0], p[1], p[2], p[3], duration: duration)
        }
    }
}
