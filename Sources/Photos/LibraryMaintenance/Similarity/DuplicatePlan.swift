public import AssetCatalog
internal import Basics
package import Files

/// Which files of groups of duplicates are kept and which are moved to the trash, as lines of JSON that can be edited.
///
/// The first line is a header. Each following line is a group: its `action` is `resolve`, `keep-all` (the group is not
/// shown again until it gets a new member) or `skip`. The `action` of a file is `keep`, `trash` or `leave`; the first
/// file to keep gets the albums, words and ratings of those that go.
///
/// People read a plan, edit it, and carry it out later, so nothing in it is trusted:
///
/// - Each file has the state in which it was compared: size, time and checksum. Files in another state stay.
/// - A line that is not understood is an error with its number, and nothing is carried out. So are a name that is twice
///   in an object, a file in two groups, and a group of which nothing would be kept.
/// - Size in pixels, date and reason are for readers only, and are not read back.
/// - Times are texts with nine decimals. Programs that hold numbers of JSON as doubles are exact up to 2^53 only (RFC
///   8259, section 6), and would round nanoseconds since 1970.
public struct DuplicatePlan: Hashable, Sendable {
    /// Assets that are equal or look alike.
    public struct Group: Hashable, Sendable {
        /// What happens to a group.
        public enum Action: String, CaseIterable, Sendable {
            /// Files to trash are moved to the trash.
            case resolve
            /// All files stay, and the group is not shown again until it gets a new member.
            case keepAll = "keep-all"
            /// Nothing.
            case skip
        }

        /// What was compared.
        public enum Comparison: String, CaseIterable, Codable, Sendable {
            /// All bytes.
            case bytes
            /// All pixels.
            case pixels
            /// Perceptual hashes.
            case looks
        }

        /// What happens to the group.
        public var action = Action.resolve
        /// What was compared.
        public var comparison: Comparison
        /// The files, the best first.
        public var files: [File]

        /// Creates a group.
        public init(_ comparison: Comparison, _ files: [File], action: Action = .resolve) {
            (self.comparison, self.files, self.action) = (comparison, files, action)
        }
    }

    /// A file of a group, with the state in which it has to be when the plan is carried out.
    public struct File: Hashable, Sendable {
        /// What happens to a file.
        public enum Action: String, CaseIterable, Sendable {
            /// It stays; the first one gets the albums, words and ratings of those that go.
            case keep
            /// It is moved to the trash.
            case trash
            /// It stays as it is.
            case leave
        }

        /// The path below the library's root, whose bytes decide whether it is another file.
        package var file: FilePath
        /// What happens to the file.
        public var action: Action
        package var bytes: Int
        /// The size of the file in bytes.
        public var fileSize: Int { bytes }
        /// The modification time in nanoseconds since 1970.
        package var modified: Int
        /// The SHA-256: 64 hexadecimal digits.
        public var sha256: String
        /// The upright size, for readers of the plan.
        package var size: (width: Int, height: Int)?
        /// The date of capture, for readers of the plan.
        package var date: String?
        /// Why the file is left, for readers of the plan.
        package var reason: String?

        package init(_ asset: Asset, _ action: Action, reason: String? = nil) {
            file = asset.file
            self.action = action
            bytes = asset.bytes
            modified = asset.modifiedNanoseconds
            sha256 = asset.sha256
            size = asset.size.map { ($0.width, $0.height) }
            date = asset.date?.storedText
            self.reason = reason
        }

        /// Whether both are the same file in the same state, with the same action.
        public static func == (a: Self, b: Self) -> Bool {
            // Without what is for readers only, so that a plan equals the one that is read from its text.
            a.file == b.file && a.action == b.action && a.bytes == b.bytes && a.modified == b.modified
                && a.sha256 == b.sha256
        }

        /// Hashes the path, the checksum and the action.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(file)
            hasher.combine(sha256)
            hasher.combine(action)
        }
    }

    /// The groups.
    public var groups: [Group]

    /// Creates a plan.
    public init(_ groups: [Group]) { self.groups = groups }

    /// The size of the files that go.
    public var trashedBytes: Int { trashed.reduce(0) { $0 + $1.bytes } }
    /// The number of files that go.
    public var trashedCount: Int { trashed.count }

    private var trashed: [File] {
        groups.filter { $0.action == .resolve }.flatMap(\.files).filter { $0.action == .trash }
    }
}

// Not `Codable`: `text` is its format.
extension DuplicatePlan: CustomStringConvertible {
    /// The counts: "12 groups, 14 files of 34.5 MB to trash".
    public var description: String {
        "\(groups.count.counted("group")), \(trashedCount.counted("file")) of \(trashedBytes.readableBytes) to trash"
    }
}

// MARK: - Text

extension DuplicatePlan {
    private static let (kind, version) = ("viewport library duplicates", 1)

    /// The plan as lines of JSON.
    public var text: String {
        let header = JSONValue.object([
            "plan": .string(Self.kind), "version": .int(Self.version), "groups": .int(groups.count),
            "bytes": .int(trashedBytes),
        ])
        return ([header] + groups.map(\.json)).map { "\($0)\n" }.joined()
    }

    /// Reads a plan; empty lines are ignored.
    ///
    /// - Parameters:
    ///   - text: the lines of JSON.
    ///   - name: the name of the file, for errors.
    /// - Throws: `LibraryError` of the kind `damaged` with the line that is not understood, also where a file is in two
    ///   groups, or all files of a group would go.
    public init(parsing text: String, name: String) throws(LibraryError) {
        self.init([])
        var isBehindHeader = false
        var seen: Set<FilePath> = []
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (number, line) in zip(1..., lines) {
            guard line.contains(where: { !" \t\r".utf8.contains($0) }) else { continue }
            do throws(InvalidText) {
                let json: JSONValue
                do { json = try JSONValue(parsing: Array(line)) } catch {
                    let fault = error.duplicate.map { "has \"\($0)\" twice in one object" }
                    throw InvalidText(fault ?? "is not JSON at byte \(error.offset)")
                }
                guard isBehindHeader else {
                    guard json["plan"]?.string == Self.kind else {
                        throw InvalidText("is not the header of a plan of duplicates")
                    }
                    guard json["version"]?.int == Self.version else {
                        throw InvalidText("is a plan of another version")
                    }
                    isBehindHeader = true
                    continue
                }
                let group = try Group(json)
                for file in group.files where !seen.insert(file.file).inserted {
                    throw InvalidText("names \(file.path) a second time; a file is in one group only")
                }
                groups.append(group)
            } catch {
                throw LibraryError(.plan(name, line: number, reason: error.description))
            }
        }
        guard isBehindHeader else {
            throw LibraryError(.plan(name, line: 1, reason: "has no header of a plan"))
        }
    }
}

extension DuplicatePlan.Group {
    var json: JSONValue {
        .object([
            "by": .string(comparison.rawValue), "action": .string(action.rawValue),
            "files": .array(files.map(\.json)),
        ])
    }

    fileprivate init(_ json: JSONValue) throws(InvalidText) {
        comparison = try Self.choice(json, "by")
        action = try Self.choice(json, "action")
        guard let list = json["files"]?.array, !list.isEmpty else {
            throw InvalidText("has no \"files\"")
        }
        files = []
        for item in list { files.append(try DuplicatePlan.File(item)) }
        guard action != .resolve || files.contains(where: { $0.action != .trash }) else {
            throw InvalidText("would move all files of the group to the trash; keep one")
        }
        guard
            action != .resolve || files.contains(where: { $0.action == .keep })
                || !files.contains(where: { $0.action == .trash })
        else { throw InvalidText("keeps no file that could get the albums of the others") }
    }

    /// The value of a member, by its name.
    fileprivate static func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ json: JSONValue, _ name: String
    ) throws(InvalidText) -> Value {
        guard let value = json[name]?.string.flatMap(Value.init(rawValue:)) else {
            let known = Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw InvalidText("needs \"\(name)\" with one of \(known)")
        }
        return value
    }
}

extension DuplicatePlan.File {
    /// The path below the library's root.
    public var path: String {
        get { file.text }
        set { file = FilePath(newValue) }
    }

    var json: JSONValue {
        .object([
            "action": .string(action.rawValue), "path": .string(path),
            "width": size.map { .int($0.width) }, "height": size.map { .int($0.height) },
            "bytes": .int(bytes), "date": date.map(JSONValue.string),
            "reason": reason.map(JSONValue.string), "modified": .string(Self.decimal(modified)),
            "sha256": .string(sha256),
        ])
    }

    fileprivate init(_ json: JSONValue) throws(InvalidText) {
        guard let path = json["path"]?.string, !path.isEmpty else {
            throw InvalidText("has a file without \"path\"")
        }
        guard let bytes = json["bytes"]?.int, let sha256 = json["sha256"]?.string, sha256.utf8.count == 64,
            let modified = json["modified"]?.string.flatMap(Self.nanoseconds)
        else { throw InvalidText("lacks \"bytes\", \"modified\" or \"sha256\" of \(path)") }
        (file, self.bytes, self.sha256, self.modified) = (FilePath(path), bytes, sha256, modified)
        action = try DuplicatePlan.Group.choice(json, "action")
    }

    /// Seconds with nine decimals: programs that edit JSON would round a number of nanoseconds.
    private static func decimal(_ nanoseconds: Int) -> String {
        let unit: UInt = 1_000_000_000
        let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: unit)
        return "\(nanoseconds < 0 ? "-" : "")\(seconds).\("\(unit + rest)".dropFirst())"
    }

    private static func nanoseconds(_ text: String) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 9,
            (parts[0].drop { $0 == "-" } + parts[1]).utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(parts[0] + parts[1])
    }
}
