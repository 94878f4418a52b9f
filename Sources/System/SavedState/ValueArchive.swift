internal import Basics
internal import Files

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A file that keeps a value from one run to the next.
///
/// ```swift
/// var archive = ValueArchive<Selection>(path: "selection.json", version: 2)
/// archive.migrate(from: 1) { Selection(try JSONDecoder().decode(OldSelection.self, from: $0)) }
/// let selection = archive.value(default: Selection()) { print($0) }
/// try archive.store(selection)
/// ```
///
/// The file is `{"version":2,"value":…}` and is written atomically. One that cannot be read is not lost: the next
/// `store` moves it to `PATH.broken`.
public struct ValueArchive<Value: Codable & Sendable>: Sendable {
    /// The path of the file.
    public let path: String
    /// The version of the values that are stored.
    public let version: Int
    private var migrations: [Int: @Sendable (_ json: Data) throws -> Value] = [:]

    /// Creates an archive; reads and writes nothing.
    public init(path: String, version: Int = 1) {
        self.path = path
        self.version = version
    }

    /// Sets the closure that makes a value from the JSON of another version.
    public mutating func migrate(
        from version: Int, _ make: @escaping @Sendable (_ json: Data) throws -> Value
    ) {
        migrations[version] = make
    }

    /// Returns the stored value; nil if there is none.
    ///
    /// - Throws: `ArchiveError` if the file cannot be read, has an unknown version, or is not such a value.
    public func value() throws(ArchiveError) -> Value? {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try InputFile.contents(path)
        } catch {
            guard error != .missing else { return nil }
            throw ArchiveError(path, .unreadable("\(error)"))
        }
        guard let archive = try? JSONValue(parsing: bytes), let stored = archive["version"]?.int,
            let value = archive["value"]
        else { throw ArchiveError(path, .invalid("it is not an archive")) }
        let json = Data(value.description.utf8)
        do {
            if stored == version { return try JSONDecoder().decode(Value.self, from: json) }
            guard let make = migrations[stored] else { throw ArchiveError(path, .version(stored)) }
            return try make(json)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ArchiveError(path, .invalid(Self.reason(error)))
        }
    }

    /// Returns the stored value; if there is none or it cannot be read, the default.
    ///
    /// - Parameter report: Receives the error, if there is one.
    public func value(
        default other: @autoclosure () -> Value, _ report: (ArchiveError) -> Void = { _ in }
    ) -> Value {
        do throws(ArchiveError) {
            return try value() ?? other()
        } catch {
            report(error)
            return other()
        }
    }

    /// Stores a value instead of the previous one, in a folder that is created if it is missing.
    ///
    /// - Throws: `ArchiveError` if the value cannot be encoded, or the file cannot be written.
    public func store(_ value: Value) throws(ArchiveError) {
        let json: JSONValue
        do {
            // The same parser reads it: what it refuses, such as very deep values, must not be written.
            json = try JSONValue(
                parsing: Array(JSONEncoder().encode(Envelope(version: version, value: value))))
        } catch {
            throw ArchiveError(path, .invalid(Self.reason(error)))
        }
        do throws(FileError) {
            try Folder.make(OutputFile.folder(of: path))
            if Folder.isThere(path), !isReadable { try Folder.move(path, to: path + ".broken") }
            try OutputFile.write(Array("\(json)\n".utf8), to: path)
        } catch {
            throw ArchiveError(path, .unwritable("\(error)"))
        }
    }

    /// Removes the stored value.
    public func remove() { OutputFile.remove(path) }

    private var isReadable: Bool {
        do throws(ArchiveError) {
            return try value() != nil
        } catch {
            return false
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let context = (error as? DecodingError)?.context else { return "\(error)" }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
    }
}

private struct Envelope<Value: Encodable>: Encodable {
    var version: Int
    var value: Value
}

extension DecodingError {
    fileprivate var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}

/// An error of a ``ValueArchive``.
public struct ArchiveError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The cause of the error.
    public enum Cause: Equatable, Sendable {
        /// The file cannot be read.
        case unreadable(String)
        /// The file has a version without a migration.
        case version(Int)
        /// The file, or the value to be stored, is not of the archive's type.
        case invalid(String)
        /// The file cannot be written.
        case unwritable(String)
    }

    /// The path of the file.
    public let file: String
    /// The cause.
    public let cause: Cause

    init(_ file: String, _ cause: Cause) {
        self.file = file
        self.cause = cause
    }

    /// The error in one sentence.
    public var description: String {
        switch cause {
        case .unreadable(let reason), .unwritable(let reason): "\(file): the archive \(reason)"
        case .version(let version): "\(file): version \(version) of the archive is not supported"
        case .invalid(let reason): "\(file): the archive is invalid (\(reason))"
        }
    }
}
