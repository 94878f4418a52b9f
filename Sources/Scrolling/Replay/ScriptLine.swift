internal import ScrollModel
internal import ViewportGeometry

/// One line of a script: a time and an action.
struct ScriptLine: Decodable {
    /// The time of the line, in seconds from the beginning; nil for the current time.
    let time: Double?
    /// The action at that time; nil for a line that only advances the time.
    let action: ScriptAction?

    /// Any name in a line.
    struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    typealias Fields = KeyedDecodingContainer<Name>

    /// The actions and the names of their options.
    static let actions: [String: Set<String>] = [
        "setup": [], "setContentOffset": ["animated", "duration", "timing"],
        "setZoomScale": ["anchor", "animated", "duration", "timing"],
        "zoomToRect": ["animated", "duration", "timing"],
        "scrollRectToVisible": ["animated", "duration", "timing", "alignment"],
        "setBounds": [], "setContentInset": [], "setSafeAreaInsets": [],
        "setContentInsetAdjustmentBehavior": [], "setViewSize": ["keepingPlace"],
        "setContentSize": [], "setContentRotation": [], "setZoomLimits": [], "touches": ["phase"],
        "wheel": ["at", "zoom", "animated", "duration", "timing"],
        "doubleTap": ["animated", "duration", "timing"],
        "twoFingerTap": ["animated", "duration", "timing"],
        "statusBarTap": ["shouldScrollToTop", "animated", "duration", "timing"],
        "key": ["animated", "duration", "timing"],
        "flyTo": ["duration"], "advance": [], "stop": [], "convert": ["from", "to"], "archive": [],
        "restore": [], "explain": [], "projectedRestingState": [],
    ]

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Name.self)
        let names = fields.allKeys.map(\.stringValue)
        let found = names.filter { Self.actions[$0] != nil }.sorted()
        guard found.count <= 1 else {
            throw MalformedLine("more than one action: \(found.joined(separator: ", "))")
        }
        time = try fields.optional("t")
        guard let name = found.first, let options = Self.actions[name] else {
            if let unknown = names.first(where: { $0 != "t" }) {
                throw MalformedLine("unknown action \"\(unknown)\"")
            }
            guard time != nil else { throw MalformedLine("neither a time nor an action") }
            action = nil
            return
        }
        for other in names.sorted() where other != "t" && other != name && !options.contains(other) {
            throw MalformedLine("\"\(other)\" is not an option of \"\(name)\"")
        }
        action = try Self.action(name, fields)
    }

    private static func action(_ name: String, _ fields: Fields) throws -> ScriptAction {
        switch name {
        case "setup":
            let setup = try fields.nestedContainer(keyedBy: Name.self, forKey: Name(stringValue: name))
            for key in setup.allKeys where !ScriptSetup.names.contains(key.stringValue) {
                throw MalformedLine("a setup has no property \"\(key.stringValue)\"")
            }
            return .setup(try fields.value(name))
        case "setContentOffset": return .setContentOffset(try fields.value(name), try fields.timing())
        case "setZoomScale":
            return .setZoomScale(
                try fields.value(name), anchor: try fields.optional("anchor"), try fields.timing())
        case "zoomToRect": return .zoomToRect(try fields.value(name), try fields.timing())
        case "scrollRectToVisible":
            let alignment: RectAlignmentName = try fields.optional("alignment") ?? .nearest
            return .scrollRectToVisible(try fields.value(name), alignment.alignment, try fields.timing())
        case "touches":
            let touches: [TouchEntry] = try fields.value(name)
            let phase: PhaseName = try fields.value("phase")
            return .touches(touches.map(\.touch), phase.phase)
        case "wheel":
            let delta: Point<ViewSpace> = try fields.value(name)
            return .wheel(
                dx: delta.x, dy: delta.y, at: try fields.optional("at") ?? .zero,
                zooms: try fields.optional("zoom") ?? false, try fields.timing())
        case "doubleTap": return .doubleTap(try fields.value(name), try fields.timing(unlessSaid: .standard))
        case "twoFingerTap":
            return .twoFingerTap(try fields.value(name), try fields.timing(unlessSaid: .standard))
        case "statusBarTap":
            let isAllowed: Bool = try fields.optional("shouldScrollToTop") ?? true
            return try fields.flag(
                name, .statusBarTap(shouldScrollToTop: isAllowed, try fields.timing(unlessSaid: .standard)))
        case "key":
            let text: String = try fields.value(name)
            guard let key = ScrollView.Key(name: text) else {
                throw MalformedLine("unknown key \"\(text)\"")
            }
            return .key(key, try fields.timing())
        case "flyTo": return .flyTo(try fields.value(name), duration: try fields.optional("duration"))
        case "convert":
            let point: Point<ViewSpace> = try fields.value(name)
            return .convert((point.x, point.y), from: try fields.value("from"), to: try fields.value("to"))
        default: return try change(name, fields)
        }
    }

    private static func change(_ name: String, _ fields: Fields) throws -> ScriptAction {
        switch name {
        case "setBounds": return .setBounds(try fields.value(name))
        case "setContentInset": return .setContentInset(try fields.value(name))
        case "setSafeAreaInsets": return .setSafeAreaInsets(try fields.value(name))
        case "setContentInsetAdjustmentBehavior":
            let behavior: InsetAdjustmentName = try fields.value(name)
            return .setContentInsetAdjustmentBehavior(behavior.behavior)
        case "setViewSize":
            return .setViewSize(
                try fields.value(name), keepingPlace: try fields.optional("keepingPlace") ?? false)
        case "setContentSize": return .setContentSize(try fields.value(name))
        case "setContentRotation": return .setContentRotation(Rotation(degrees: try fields.value(name)))
        case "setZoomLimits":
            let limits: Size<ViewSpace> = try fields.value(name)
            guard limits.width > 0, limits.height >= limits.width else {
                throw MalformedLine(
                    "\"setZoomLimits\" must be [minimum,maximum], both above zero and in order")
            }
            return .setZoomLimits(minimum: limits.width, maximum: limits.height)
        case "advance":
            let seconds: Double = try fields.value(name)
            guard seconds >= 0 else {
                throw MalformedLine("time does not go back: \"advance\" is negative")
            }
            return .advance(seconds)
        case "restore": return .restore(try fields.value(name))
        case "stop": return try fields.flag(name, .stop)
        case "archive": return try fields.flag(name, .archive)
        case "explain": return try fields.flag(name, .explain)
        default: return try fields.flag(name, .projectedRestingState)
        }
    }
}

extension KeyedDecodingContainer where Key == ScriptLine.Name {
    /// Returns the value of a required name.
    func value<Value: Decodable>(_ name: String) throws -> Value {
        try decode(Value.self, forKey: ScriptLine.Name(stringValue: name))
    }

    /// Returns the value of an optional name.
    func optional<Value: Decodable>(_ name: String) throws -> Value? {
        try decodeIfPresent(Value.self, forKey: ScriptLine.Name(stringValue: name))
    }

    /// Returns an action whose value can only be true.
    func flag(_ name: String, _ action: ScriptAction) throws -> ScriptAction {
        let isTrue: Bool = try value(name)
        guard isTrue else { throw MalformedLine("\"\(name)\" must be true") }
        return action
    }

    /// Returns the timing of an animated action, or nil for an immediate action.
    ///
    /// `"animated":true` selects UIKit's timing. `"duration"`, in seconds, and `"timing"`, one of `linear`,
    /// `easeInOut`, `spring` or the four numbers of a cubic Bézier curve, imply an animation.
    func timing(unlessSaid standard: Timing? = nil) throws -> Timing? {
        let animated: Bool? = try optional("animated")
        let seconds: Double? = try optional("duration")
        let curve: CurveName? = try optional("timing")
        if animated == false { return nil }
        guard seconds != nil || curve != nil else { return animated == true ? .standard : standard }
        let duration = seconds ?? Timing.standard.duration
        guard duration >= 0 else { throw MalformedLine("\"duration\" is negative") }
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
        default:
            throw MalformedLine("\"timing\" must be \"linear\", \"easeInOut\", \"spring\" or four numbers")
        }
    }

    func timing(_ duration: Double) -> Timing {
        switch self {
        case .linear: .linear(duration: duration)
        case .easeInOut: .easeInOut(duration: duration)
        // A critically damped spring is at rest, within a ten-thousandth, after 1.87 periods.
        case .spring: .spring(dampingRatio: 1, response: duration / 1.872)
        case .bezier(let p): .cubicBezier(p[0], p[1], p[2], p[3], duration: duration)
        }
    }
}
