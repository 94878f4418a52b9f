internal import Basics
internal import Files

/// The JSON of a layout file, which finds the line of each of its values for errors.
struct LayoutFile: Sendable {
    let path: String
    let bytes: [UInt8]
    let json: JSONValue

    init(_ path: String) throws(PageError) {
        self.path = path
        do throws(FileError) {
            bytes = try InputFile.contents(path)
        } catch {
            throw PageError(kind: .unreadable, file: path, reason: "\(error)")
        }
        do throws(JSONSyntaxError) {
            json = try JSONValue(parsing: bytes)
        } catch {
            let reason =
                error.duplicate.map { "the name \"\($0)\" is given twice" } ?? "is not JSON from here on"
            throw PageError(
                kind: .invalid, file: path, line: Self.line(of: error.offset, in: bytes), reason: reason)
        }
        guard json.members != nil else {
            throw PageError(kind: .invalid, file: path, line: 1, reason: "is not an object with \"views\"")
        }
    }

    private static func line(of offset: Int, in bytes: [UInt8]) -> Int {
        1 + bytes.prefix(offset).count { $0 == 0x0A }
    }

    /// Returns an error at a value.
    func error(
        at steps: [JSONStep], _ part: String?, _ key: String?, _ reason: String,
        kind: PageError.Kind = .invalid
    ) -> PageError {
        let line = Self.line(of: JSONValue.offset(of: steps, in: bytes), in: bytes)
        return PageError(kind: kind, file: path, line: line, part: part, key: key, reason: reason)
    }
}

/// An object of a layout file, which reads its members and rejects those it does not know.
struct LayoutObject {
    let file: LayoutFile
    let steps: [JSONStep]
    /// The object in errors: "view photo"; nil for the whole file.
    let part: String?
    private let members: [JSONValue.Member]

    /// - Parameter known: the names of its members.
    init(
        _ json: JSONValue, in file: LayoutFile, at steps: [JSONStep], _ part: String?, known: [String]
    ) throws(PageError) {
        (self.file, self.steps, self.part) = (file, steps, part)
        guard let members = json.members else {
            throw file.error(at: steps, part, nil, "is not an object")
        }
        self.members = members
        if let other = members.first(where: { !known.contains($0.name) }) {
            throw error(
                other.name, "is not a key here; known are \(known.sorted().joined(separator: ", "))")
        }
    }

    func error(_ key: String, _ reason: String) -> PageError {
        file.error(at: steps + [.member(key)], part, key, reason)
    }

    func value(_ key: String) -> JSONValue? { members.first { $0.name == key }?.value }

    func string(_ key: String) throws(PageError) -> String? {
        guard let value = value(key) else { return nil }
        guard let string = value.string else { throw error(key, "is not a string") }
        return string
    }

    /// Returns a string that `read` turns into a value.
    func value<T>(
        _ key: String, _ meaning: String, _ read: (String) -> T?
    ) throws(PageError) -> T? {
        guard let text = try string(key) else { return nil }
        guard let result = read(text) else { throw error(key, "\"\(text)\" is not \(meaning)") }
        return result
    }

    func count(_ key: String) throws(PageError) -> Int? {
        guard let value = value(key) else { return nil }
        guard let count = value.int, count >= 0 else { throw error(key, "is not a whole number from 0") }
        return count
    }

    /// Returns a list of exactly `count` numbers.
    func numbers(_ key: String, count: Int) throws(PageError) -> [Double]? {
        guard let value = value(key) else { return nil }
        let numbers = value.array?.compactMap(\.double) ?? []
        guard numbers.count == count, value.array?.count == count else {
            throw error(key, "is not a list of \(count) numbers")
        }
        return numbers
    }

    /// The members of an object, each of which is a number.
    func namedNumbers(_ key: String) throws(PageError) -> [String: Double] {
        guard let value = value(key) else { return [:] }
        guard let members = value.members else { throw error(key, "is not an object of numbers") }
        var result: [String: Double] = [:]
        for member in members {
            guard let number = member.value.double else {
                throw file.error(
                    at: steps + [.member(key), .member(member.name)], part, "\(key).\(member.name)",
                    "is not a number")
            }
            result[member.name] = number
        }
        return result
    }
}

extension JSONValue {
    /// A number that is finite and at most 10^9, as lengths on pages are.
    var double: Double? {
        let value: Double? =
            switch self {
            case .int(let value): Double(value)
            case .number(let text): Double(text)
            default: nil
            }
        return value.flatMap { abs($0) <= 1e9 ? $0 : nil }
    }
}
