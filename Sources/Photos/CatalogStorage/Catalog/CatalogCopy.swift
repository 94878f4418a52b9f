internal import Assets
internal import Files

/// A copy of a catalog in the folder for temporary files, with its log; removed with the value, also while it is open.
///
/// It stands in for a catalog that cannot be written, where reading it needs writing: to apply a log, to migrate the
/// schema, or to store what is derived from it. Copies of killed processes are removed by the next one.
final class CatalogCopy: Sendable {
    /// The path of the copy.
    let path: String
    private let folder: OutputFolder

    /// The endings of the files that SQLite may apply when it opens a database.
    private static let logs = ["-wal", "-journal"]
    /// The number of attempts while another program writes the catalog.
    private static let attempts = 5

    /// - Throws: `LibraryError`, of the kind `inaccessible` if there is no room for it, `busy` if the catalog is written
    ///   all the time.
    init(of catalog: String) throws {
        let temporary = ProcessEnvironment.temporaryFolder
        do throws(FileError) {
            folder = try OutputFolder(beside: "\(temporary)/catalog-\(UInt64.random(in: 0...(.max)))")
        } catch {
            throw LibraryError.unwritable(temporary, error)
        }
        // Catalogs are private, and the folder for temporary files is not.
        let place = folder.path(of: "copy")
        path = "\(place)/\(LibraryFolder.catalog)"
        do {
            do throws(FileError) {
                try Folder.make(place)
            } catch {
                throw LibraryError.unwritable(place, error)
            }
            for _ in 0..<Self.attempts where try Self.copy(catalog, to: path) { return }
            throw LibraryError(.busy(catalog: catalog))
        } catch {
            folder.discard()
            throw error
        }
    }

    deinit { folder.discard() }

    /// Whether a catalog has a log that has to be applied before it is read.
    static func isNeeded(for catalog: String) -> Bool {
        logs.contains { (FileStatus(catalog + $0)?.size ?? 0) > 0 }
    }

    /// Copies the files of a catalog; returns false if one of them was written meanwhile.
    private static func copy(_ catalog: String, to path: String) throws -> Bool {
        let endings = [""] + logs
        let before = endings.map { FileMoment(catalog + $0) }
        let needed = before.reduce(0) { $0 + ($1?.status.size ?? 0) }
        let folder = OutputFile.folder(of: path)
        if let free = Folder.freeBytes(at: folder), free < needed {
            throw LibraryError(
                .inaccessible(
                    catalog: catalog,
                    reason:
                        "its log is read in a copy, which needs \(needed) bytes in \(folder); \(free) are free"
                ))
        }
        for (ending, moment) in zip(endings, before) {
            Folder.remove(path + ending)
            guard moment != nil else { continue }
            do throws(FileCopy.Failure) {
                let copy = try FileCopy(of: catalog + ending, beside: path + ending) { _ in }
                _ = try? copy.replace(path + ending)
            } catch {
                // A log that was just applied is gone.
                guard endings.map({ FileMoment(catalog + $0) }) == before else { return false }
                throw Self.error(error, catalog, folder)
            }
        }
        return endings.map { FileMoment(catalog + $0) } == before
    }

    private static func error(_ failure: FileCopy.Failure, _ catalog: String, _ folder: String)
        -> LibraryError
    {
        switch failure {
        case .source(let error): .inaccessible(catalog: catalog, error)
        case .destination(let error): .unwritable(folder, error)
        case .full: LibraryError(.unwritable(folder, reason: "the disk is full"))
        }
    }
}

/// Catalogs on storage that cannot be written.
enum ReadOnlyCatalog {
    /// Why an existing catalog cannot be written; nil if it can, or is missing.
    ///
    /// SQLite writes files beside a database, too.
    static func fault(of catalog: String) -> FileError? {
        guard FileStatus(catalog) != nil else { return nil }
        return Folder.writingFault(OutputFile.folder(of: catalog)) ?? Folder.writingFault(catalog)
    }

    /// Whether reading a catalog needs no copy of it.
    static func isReadInPlace(_ catalog: String) -> Bool {
        guard let fault = fault(of: catalog) else { return true }
        return fault.isReadOnlyStorage && !CatalogCopy.isNeeded(for: catalog)
    }

    /// The address by which SQLite reads a database without locks and without files beside it.
    ///
    /// Only for files that nobody can write. Source: sqlite.org/uri.html.
    ///
    /// - Parameter isFixed: false to read a log beside the database, too, which has to be there already.
    static func address(_ catalog: String, isFixed: Bool = true) -> String {
        let escaped = PathText.bytes(catalog).map { byte in
            let isPlain = byte < 0x80 && Character(Unicode.Scalar(byte)).isPlain
            let digits = String(byte, radix: 16)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + (digits.count == 1 ? "0" : "") + digits
        }
        return "file:\(escaped.joined())?" + (isFixed ? "immutable=1" : "mode=ro")
    }
}

extension Character {
    fileprivate var isPlain: Bool { isLetter || isNumber || "/-._~".contains(self) }
}
