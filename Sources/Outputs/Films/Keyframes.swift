internal import Basics
package import ScrollModel
package import ViewportGeometry
internal import ViewportRendering

/// The poses of a flight in a JSON file: `{"poses":[{"rect":[0,0,640,480],"hold":1},…]}`.
///
/// A pose has a "rect", or a "center" and a "zoom" in pixels of the film per image point, or a "look" into a panorama with its
/// "fov"; and "hold", "duration" and "easing" if it needs them. Either all poses have looks, or none.
package struct Keyframes: Sendable {
    /// What is wrong with a file, and the line of the pose.
    package struct Invalid: Error {
        package let line: Int
        package let reason: String
    }

    /// The poses of a path.
    package enum Poses: Sendable {
        case rects([FlightPath.Pose])
        case looks([LookPath.Pose])
    }

    package let poses: Poses
    /// The line at which each pose begins, from 1.
    private let lines: [Int]

    /// - Parameters:
    ///   - bytes: the file.
    ///   - size: the size of the film, from which zooms are computed.
    package init(_ bytes: [UInt8], size: Size<ViewSpace>) throws(Invalid) {
        lines = Self.lines(bytes)
        let document: JSONValue
        do throws(JSONSyntaxError) {
            document = try JSONValue(parsing: bytes)
        } catch {
            let line = bytes.prefix(error.offset).count { $0 == UInt8(ascii: "\n") } + 1
            throw Invalid(line: line, reason: "not valid JSON")
        }
        guard let members = document.members, members.map(\.name) == ["poses"],
            let elements = members[0].value.array, !elements.isEmpty
        else {
            throw Invalid(
                line: 1, reason: "not an object with poses; give {\"poses\":[{\"rect\":[…]},…]}")
        }
        var (rects, looks) = ([FlightPath.Pose](), [LookPath.Pose]())
        for (index, element) in elements.enumerated() {
            do throws(InvalidText) {
                let times = try Times(element)
                if element["look"] != nil {
                    let look = try Self.look(element)
                    looks.append(
                        LookPath.Pose(look, hold: times.hold, duration: times.duration, easing: times.easing))
                } else {
                    let rect = try Self.rect(element, size)
                    rects.append(
                        FlightPath.Pose(
                            rect, hold: times.hold, duration: times.duration, easing: times.easing))
                }
                guard rects.isEmpty || looks.isEmpty else {
                    throw InvalidText("some poses have a \"look\", and others have none")
                }
            } catch {
                throw Invalid(line: lines[index], reason: "pose \(index + 1): \(error)")
            }
        }
        poses = looks.isEmpty ? .rects(rects) : .looks(looks)
    }

    /// Returns the error of a path through these poses.
    package func error(_ error: FlightPathError) -> Invalid {
        switch error {
        case .invalidRect(let pose), .outside(let pose), .invalidTime(let pose):
            Invalid(line: lines[pose], reason: "\(error)")
        case .empty, .invalidDuration, .noDuration, .conflict:
            Invalid(line: lines.last ?? 1, reason: "\(error)")
        }
    }

    /// Returns the line of each element of the list in the only member of an object.
    private static func lines(_ bytes: [UInt8]) -> [Int] {
        var (lines, line, depth) = ([Int](), 1, 0)
        var (isText, isEscaped, isNext) = (false, false, false)
        for byte in bytes {
            if byte == UInt8(ascii: "\n") { line += 1 }
            if isText {
                (isText, isEscaped) = (
                    isEscaped || byte != UInt8(ascii: "\""), !isEscaped && byte == UInt8(ascii: "\\")
                )
                continue
            }
            guard ![0x20, 0x09, 0x0A, 0x0D].contains(byte) else { continue }
            if isNext, depth == 2, byte != UInt8(ascii: "]") { lines.append(line) }
            isNext = false
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isNext = depth == 2
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): isNext = depth == 2
            default: break
            }
        }
        return lines
    }

    /// The members that all poses may have.
    private struct Times {
        var hold = 0.0
        var duration: Double?
        var easing = FlightPath.Easing.easeInOut

        init(_ value: JSONValue) throws(InvalidText) {
            guard let members = value.members else { throw InvalidText("not an object") }
            let known = ["rect", "center", "zoom", "look", "fov", "hold", "duration", "easing"]
            for member in members where !known.contains(member.name) {
                let near = Suggestion.nearest(to: member.name, of: known).map { "; did you mean \"\($0)\"?" }
                throw InvalidText("\"\(member.name)\" is not a member of a pose\(near ?? "")")
            }
            if let hold = value["hold"] { self.hold = try number(hold, "hold") }
            if let duration = value["duration"] { self.duration = try number(duration, "duration") }
            if let easing = value["easing"] { self.easing = try Keyframes.easing(easing) }
        }
    }

    private static func look(_ value: JSONValue) throws(InvalidText) -> Look {
        guard value["rect"] == nil, value["center"] == nil, value["zoom"] == nil else {
            throw InvalidText("give either \"look\", or \"rect\", or \"center\" and \"zoom\"")
        }
        return try Look(members: value)
    }

    private static func rect(
        _ value: JSONValue, _ size: Size<ViewSpace>
    ) throws(InvalidText) -> Rect<ImageSpace> {
        guard value["fov"] == nil else { throw InvalidText("\"fov\" needs a \"look\"") }
        switch (value["rect"], value["center"], value["zoom"]) {
        case (let rect?, nil, nil):
            let numbers = try numbers(rect, 4, "rect", "[x,y,width,height]")
            return Rect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
        case (nil, let center?, let zoom?):
            let (middle, zoom) = (try numbers(center, 2, "center", "[x,y]"), try number(zoom, "zoom"))
            guard zoom > 0 else { throw InvalidText("\"zoom\" is not above 0") }
            let (width, height) = (size.width / zoom, size.height / zoom)
            return Rect(x: middle[0] - width / 2, y: middle[1] - height / 2, width: width, height: height)
        default:
            throw InvalidText("give either \"rect\", or \"center\" and \"zoom\"")
        }
    }

    private static func number(_ value: JSONValue, _ name: String) throws(InvalidText) -> Double {
        guard let number = value.double else { throw InvalidText("\"\(name)\" is not a number") }
        return number
    }

    private static func numbers(
        _ value: JSONValue, _ count: Int, _ name: String, _ form: String
    ) throws(InvalidText) -> [Double] {
        let numbers = value.array?.compactMap(\.double) ?? []
        guard numbers.count == count, value.array?.count == count else {
            throw InvalidText("\"\(name)\" is not \(form)")
        }
        return numbers
    }

    private static func easing(_ value: JSONValue) throws(InvalidText) -> FlightPath.Easing {
        let numbers = value.array?.compactMap(\.double) ?? []
        let name = value.string ?? numbers.map { "\($0)" }.joined(separator: ",")
        guard let easing = FlightPath.Easing(css: name) else {
            throw InvalidText("\"easing\" is not \(FlightPath.Easing.forms)")
        }
        return easing
    }
}

extension JSONValue {
    /// A finite number as a double.
    fileprivate var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .number(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }
}

extension FlightPath.Easing {
    /// The names of CSS.
    package static let names: [(String, FlightPath.Easing)] = [
        ("linear", .linear), ("ease", .ease), ("ease-in", .easeIn), ("ease-out", .easeOut),
        ("ease-in-out", .easeInOut),
    ]

    /// The texts that `init(css:)` reads.
    package static let forms =
        "linear, ease, ease-in, ease-out, ease-in-out or four numbers x1,y1,x2,y2 from 0 to 1"

    /// Parses a name of CSS, or the four numbers of a cubic Bézier curve.
    package init?(css text: String) {
        if let known = Self.names.first(where: { $0.0 == text }) {
            self = known.1
            return
        }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            Double(String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()))
        }
        guard parts.count == 4, numbers.count == 4, numbers.allSatisfy((0...1).contains) else { return nil }
        self.init(numbers[0], numbers[1], numbers[2], numbers[3])
    }
}
