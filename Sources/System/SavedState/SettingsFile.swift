internal import Basics
internal import Files

/// A settings file: one JSON object, whose members keep their order.
struct SettingsFile: Sendable {
    let path: String
    private(set) var members: [JSONValue.Member] = []
    private var text = ""

    /// Creates no file.
    init() { path = "" }

    /// Reads a file; one that is missing, empty or in a folder that cannot be searched has no members.
    init(_ path: String) throws(SettingsError) {
        self.path = path
        do throws(FileError) {
            text = PathText.decode(try InputFile.contents(path))
        } catch {
            switch error {
            case .missing, .empty: return
            // In containers the home is often that of another user, whose folders cannot be searched.
            case .unreadable where FileStatus(path) == nil: return
            case .unreadable(let reason): throw .unreadable(file: path, reason: reason)
            default: throw .unreadable(file: path, reason: error.description)
            }
        }
        let json: JSONValue
        do throws(JSONSyntaxError) {
            json = try JSONValue(parsing: text)
        } catch {
            throw .syntax(file: path, line: line(at: error.offset))
        }
        guard let members = json.members else { throw .syntax(file: path, line: 1) }
        self.members = members
    }

    subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(JSONValue.Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    // MARK: Lines

    /// The line of a member, from 1; nil if its name is written with escapes.
    func line(of name: String) -> Int? {
        let (bytes, quoted) = (Array(text.utf8), Array(JSONValue.string(name).description.utf8))
        guard bytes.count >= quoted.count else { return nil }
        for start in 0...(bytes.count - quoted.count) where bytes[start...].starts(with: quoted) {
            let rest = bytes[(start + quoted.count)...].drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            if rest.first == UInt8(ascii: ":") { return line(at: start) }
        }
        return nil
    }

    private func line(at offset: Int) -> Int {
        1 + text.utf8.prefix(offset).count { $0 == UInt8(ascii: "\n") }
    }

    func wrongType(_ name: String, _ value: JSONValue, _ expected: String) -> SettingsError {
        .wrongType(key: name, value: value.description, expected: expected, file: path, line: line(of: name))
    }

    // MARK: Writing

    /// Reads a file; one that is not JSON counts as empty and is to be moved aside.
    static func mending(_ path: String) throws(SettingsError) -> (contents: Self, isBroken: Bool) {
        do throws(SettingsError) {
            return (try Self(path), false)
        } catch {
            guard case .syntax = error else { throw error }
            return (Self(empty: path), true)
        }
    }

    private init(empty path: String) { self.path = path }

    /// Writes the file atomically, after moving a broken one aside.
    ///
    /// - Returns: the path to which it was moved.
    mutating func write(movingAside isBroken: Bool) throws(SettingsError) -> String? {
        let lines = members.map { "  \(JSONValue.string($0.name)): \($0.value)" }
        text = lines.isEmpty ? "{}\n" : "{\n" + lines.joined(separator: ",\n") + "\n}\n"
        do throws(FileError) {
            guard !Folder.isLink(path) || Folder.isThere(path) else {
                throw .kept("it is a link that leads nowhere")
            }
            try Folder.make(OutputFile.folder(of: path))
            let target = ProcessEnvironment.futurePath(path)
            var aside: String?
            if isBroken {
                let names = (0...).lazy.map { "\(target).broken" + ($0 == 0 ? "" : "-\($0)") }
                let free = names.first { !Folder.isThere($0) } ?? target
                try Folder.move(target, to: free)
                aside = free
            }
            try OutputFile.write(Array(text.utf8), to: target)
            return aside
        } catch {
            throw .unwritable(file: path, reason: error.description)
        }
    }
}

extension JSONValue {
    /// The text and the kind of a value that a setting can have.
    var setting: (text: String, kind: SettingKind)? {
        switch self {
        case .bool(let value): ("\(value)", .boolean)
        case .int(let value): ("\(value)", .number)
        case .number(let text): (text, .number)
        case .string(let text): (text, .string)
        case .null, .array, .object: nil
        }
    }

    /// The text as the first of the kinds that can express it: a boolean, a number, else a string.
    init(setting text: String, of kinds: Set<SettingKind>) {
        let parsed = try? JSONValue(parsing: text)
        switch parsed {
        case .bool? where kinds.contains(.boolean): self = parsed!
        case .int? where kinds.contains(.number), .number? where kinds.contains(.number): self = parsed!
        default: self = .string(text)
        }
    }
}
