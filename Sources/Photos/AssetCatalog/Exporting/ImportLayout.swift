internal import Basics
package import Files
internal import Foundation
package import ImageMetadata

/// The path of imported files below the library's root, with fields: "{year}/{year}-{month}-{day}/{name}".
///
/// Fields are year, month, day, hour, minute, second, make, model, ext, original and name.
public struct ImportLayout: Hashable, Sendable {
    /// A field, by its name in braces.
    enum Field: String, CaseIterable, Sendable {
        case year, month, day, hour, minute, second
        case make, model
        /// The file's extension in lower case.
        case ext
        /// The file's name without its extension.
        case original
        /// The file's name.
        case name

        /// What has to be known of the date; nil for fields of other metadata.
        var precision: DatePrecision? {
            switch self {
            case .year: .year
            case .month: .month
            case .day: .day
            case .hour, .minute: .minute
            case .second: .second
            case .make, .model, .ext, .original, .name: nil
            }
        }
    }

    enum Part: Hashable {
        case text(String)
        case field(Field)
    }

    /// The text of the layout.
    package let template: String
    let parts: [Part]

    /// A folder for each day in a folder for each year.
    package static let standard: ImportLayout = {
        guard let layout = try? ImportLayout("{year}/{year}-{month}-{day}/{name}") else {
            preconditionFailure("the standard layout is valid")
        }
        return layout
    }()

    /// Reads a layout.
    ///
    /// - Throws: `LibraryError` of the kind `invalidArgument` for unknown fields, paths that leave the library, and
    ///   hidden names.
    public init(_ template: String) throws(LibraryError) {
        self.template = template
        var parts: [Part] = []
        var rest = template[...]
        while !rest.isEmpty {
            let text = rest.prefix { $0 != "{" }
            if !text.isEmpty { parts.append(.text(String(text))) }
            rest = rest[text.endIndex...].dropFirst()
            guard text.endIndex < template.endIndex else { break }
            guard let end = rest.firstIndex(of: "}") else {
                throw LibraryError(.layout(template, reason: "a brace is not closed"))
            }
            guard let field = Field(rawValue: String(rest[..<end])) else {
                let known = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
                throw LibraryError(.layout(template, reason: "there is no {\(rest[..<end])}, only \(known)"))
            }
            parts.append(.field(field))
            rest = rest[rest.index(after: end)...]
        }
        self.parts = parts
        let folders = template.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard folders.allSatisfy({ $0.first.map { $0 != UInt8(ascii: ".") } ?? false }) else {
            throw LibraryError(
                .layout(template, reason: "it has to be a path of names that do not begin with a point"))
        }
    }
}

/// Coded as its text.
extension ImportLayout: Codable, CustomStringConvertible {
    /// Decodes the text, as `init(_:)` reads it.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        do { try self.init(text) } catch { throw decoder.invalid("\(error)") }
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: template) }

    /// The text: "{year}/{name}".
    public var description: String { template }
}

extension ImportLayout {
    /// The metadata of the file after which a group of files is named.
    package struct Subject {
        /// Nil for undated files.
        package var date: CaptureDate?
        var make: String?
        var model: String?
        /// The name without its extension.
        var original: String
        var fileExtension: String

        package init(
            date: CaptureDate?, make: String?, model: String?, original: String, fileExtension: String
        ) {
            (self.date, self.make, self.model) = (date, make, model)
            (self.original, self.fileExtension) = (original, fileExtension)
        }
    }

    /// Returns the path below the root without the file's extension.
    ///
    /// Undated files are placed in the folder `undated` if the layout has a field of the date. Where less of the date is
    /// known, its other fields are left out, with the text before them and folders of nothing else: "2014/2014-05" of
    /// {year}/{year}-{month}-{day}.
    package func base(for subject: Subject) -> FilePath {
        let needsDate = parts.contains {
            if case .field(let field) = $0 { field.precision != nil } else { false }
        }
        guard subject.date != nil || !needsDate else {
            return FilePath("undated/\(Self.clean(subject.original))")
        }
        let text = expanded(subject)
        // The extension is added for each file of the group.
        let ending = ".\(Self.clean(subject.fileExtension))"
        let path = FilePath(text)
        guard case .field(.ext) = parts.last, path.hasSuffix(ending) else { return path }
        return FilePath(Substring(text.utf8.dropLast(ending.utf8.count)))
    }

    /// Returns the layout with the values of its fields.
    private func expanded(_ subject: Subject) -> String {
        var names = folders.compactMap { name(of: $0, subject) }
        if name(of: folders.last ?? [], subject) == nil { names.append(Self.clean(subject.original)) }
        return names.joined(separator: "/")
    }

    /// The parts of each folder, and those of the name.
    private var folders: [[Part]] {
        var folders: [[Part]] = [[]]
        for part in parts {
            guard case .text(let text) = part else {
                folders[folders.count - 1].append(part)
                continue
            }
            for (index, piece) in text.utf8.split(
                separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
            )
            .enumerated() {
                if index > 0 { folders.append([]) }
                folders[folders.count - 1].append(.text(String(Substring(piece))))
            }
        }
        return folders
    }

    /// Returns a name; nil if it has only fields that are unknown.
    private func name(of parts: [Part], _ subject: Subject) -> String? {
        var (name, between) = ("", "")
        var (isKept, isLeftOut) = (false, false)
        for part in parts {
            switch part {
            case .text(let text): between += text
            case .field(let field):
                if let least = field.precision, let date = subject.date, date.precision < least {
                    isLeftOut = true
                } else {
                    if isKept || !isLeftOut { name += between }
                    name += Self.clean(value(of: field, subject))
                    isKept = true
                }
                between = ""
            }
        }
        return isKept || !isLeftOut ? name + between : nil
    }

    private func value(of field: Field, _ subject: Subject) -> String {
        switch field {
        case .year: subject.date.map { "\($0.local.year)" } ?? ""
        case .month: subject.date.map { $0.local.month.twoDigits } ?? ""
        case .day: subject.date.map { $0.local.day.twoDigits } ?? ""
        case .hour: subject.date.map { $0.local.hour.twoDigits } ?? ""
        case .minute: subject.date.map { $0.local.minute.twoDigits } ?? ""
        case .second: subject.date.map { $0.local.second.twoDigits } ?? ""
        case .make: subject.make ?? "unknown"
        case .model: subject.model ?? "unknown"
        case .ext: subject.fileExtension
        case .original, .name: subject.original
        }
    }

    /// Returns a valid file name: without slashes, control characters, and leading points or spaces.
    package static func clean(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Character in
            scalar == "/" || scalar.value < 0x20 || scalar.value == 0x7F ? "_" : Character(scalar)
        }
        let name = String(scalars).trimmingCharacters(in: .whitespaces).unicodeScalars.drop { $0 == "." }
        return name.isEmpty ? "unknown" : String(name)
    }
}
