package import AssetCatalog
internal import Basics
internal import Files

/// Files that are sent to a library in pieces, and then imported by its rules.
///
/// They lie in the library's hidden folder, on the same disk, so that they are renamed into the library. A file whose end is
/// missing has a hidden name, which imports pass over; what has arrived can be asked for, and continued, also after a
/// restart.
package struct UploadFolder: Sendable {
    private let library: PhotoLibrary
    private let path: String

    /// Why a piece cannot be taken.
    package enum Fault: Error, Equatable, Sendable {
        /// The name is hidden, too long, or not one of a file.
        case name
        /// The file has this many bytes, after which it can be continued.
        case position(Int)
        case unwritable(reason: String)
    }

    /// The age of unfinished uploads after which they are removed, in nanoseconds: a week.
    private static let oldest = 7 * 86_400 * 1_000_000_000

    /// The folder of all uploads below the root of a library.
    static func all(of root: String) -> String { "\(root)/\(LibraryFolder.name)/uploads" }

    /// - Parameter session: 16 to 64 hexadecimal digits, chosen by the sender; nil for anything else.
    package init?(_ session: String, of library: PhotoLibrary) {
        guard (16...64).contains(session.utf8.count),
            session.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        self.library = library
        path = "\(Self.all(of: library.root))/\(session)"
    }

    /// The number of bytes that have arrived of each file, by "FOLDER/NAME".
    package func received() -> [(name: String, bytes: Int)] {
        Folder.names(in: path).flatMap { folder in
            Folder.names(in: "\(path)/\(folder)").compactMap { name in
                guard let status = FileStatus("\(path)/\(folder)/\(name)") else { return nil }
                return (
                    "\(folder)/\(Self.isPart(name) ? String(name.dropFirst(Self.part.count)) : name)",
                    status.size
                )
            }
        }.sorted { $0.0 < $1.0 }
    }

    private static let part = ".part-"
    private static func isPart(_ name: String) -> Bool { name.hasPrefix(part) }

    /// Whether the end of a file is missing.
    private var hasParts: Bool {
        Folder.names(in: path).contains { Folder.names(in: "\(path)/\($0)").contains(where: Self.isPart) }
    }

    /// Adds a piece to a file.
    ///
    /// - Parameters:
    ///   - folder: the number of the folder in which the sender has the file: files of one folder may belong together.
    ///   - offset: the position of the piece, which is the number of bytes that have arrived.
    ///   - size: the size of the whole file.
    package func append(
        _ bytes: [UInt8], to name: String, folder: Int, at offset: Int, size: Int
    ) throws(Fault) {
        let file = FilePath(name)
        guard !name.isEmpty, file.names.count == 1, !file.isHidden, !name.utf8.contains(0),
            name.utf8.count <= 255 - Self.part.utf8.count, folder >= 0, offset >= 0,
            offset + bytes.count <= size
        else { throw .name }
        let (whole, part) = ("\(path)/\(folder)/\(name)", "\(path)/\(folder)/\(Self.part)\(name)")
        if let status = FileStatus(whole) { throw .position(status.size) }
        let arrived = FileStatus(part)?.size ?? 0
        guard arrived == offset else { throw .position(arrived) }
        do throws(FileError) {
            if offset == 0 {
                try Folder.make("\(path)/\(folder)")
                try OutputFile.write(bytes, to: part)
            } else {
                try OutputFile.append(bytes, to: part)
            }
            if offset + bytes.count == size { try Folder.move(part, to: whole) }
        } catch {
            throw .unwritable(reason: error.description)
        }
    }

    /// Imports what has arrived completely; what could not be imported, or has not arrived, stays for another try.
    ///
    /// - Throws: `LibraryError`; `CancellationError`.
    package func finish() async throws -> ImportReport {
        Folder.touch(path)
        var options = ImportOptions(sources: [path])
        options.moves = true
        let report = try await library.performImport(library.planImport(options))
        if report.stopped == nil, !report.wasCancelled, report.failures.isEmpty, !hasParts { remove(path) }
        Folder.removeEmpty(Self.all(of: library.root))
        return report
    }

    /// Removes uploads that nobody has continued for a week.
    package func sweep() {
        let all = Self.all(of: library.root)
        for name in Folder.names(in: all) {
            let files = ["\(all)/\(name)"] + Folder.names(in: "\(all)/\(name)").map { "\(all)/\(name)/\($0)" }
            let last = files.compactMap { FileStatus(folder: $0)?.modified }.max() ?? 0
            if ProcessEnvironment.now - last > Self.oldest { remove("\(all)/\(name)") }
        }
    }

    private func remove(_ session: String) {
        for folder in Folder.names(in: session) {
            for name in Folder.names(in: "\(session)/\(folder)") {
                Folder.remove("\(session)/\(folder)/\(name)")
            }
            Folder.removeEmpty("\(session)/\(folder)")
        }
        Folder.removeEmpty(session)
    }
}
