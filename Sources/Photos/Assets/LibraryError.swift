package import Archives
package import Files
public import Foundation

/// An error of a photo library, of an import or of a file that one of them reads.
///
/// `description` names the file, the operation and the cause; `kind` is for programs.
public struct LibraryError: Error, Hashable, Codable, Sendable {
    /// What kind of error it is.
    public enum Kind: String, Codable, Sendable {
        /// The library, root, source, album or asset does not exist or cannot be read.
        case notFound
        /// The library or the album exists already.
        case alreadyExists
        /// An argument is invalid: a path outside of the library, a source inside of it, a layout, a date.
        case invalidArgument
        /// The catalog or another file is damaged or has an unknown format.
        case damaged
        /// Another process or task is writing, indexing or importing; try again later.
        case busy
        /// The disk does not allow reading or writing, or is full.
        case inaccessible
        /// An import does not account for each file that it has found, which is a fault of this library.
        case inconsistent
    }

    package let cause: Cause

    package init(_ cause: Cause) { self.cause = cause }

    /// Whether both have the same cause, with the same bytes in their paths.
    public static func == (a: Self, b: Self) -> Bool {
        a.cause == b.cause && FilePath(a.description) == FilePath(b.description)
    }

    /// Hashes the sentence.
    public func hash(into hasher: inout Hasher) { hasher.combine(FilePath(description)) }

    /// The cause with its details, for exit codes and remedies of the command line.
    package enum Cause: Equatable, Codable, Sendable {
        case missing(catalog: String)
        case exists(catalog: String)
        /// The root is not a readable folder.
        case noRoot(String, reason: String)
        /// The file is not a catalog, or its pages contradict each other.
        case damaged(catalog: String, reason: String)
        /// A folder cannot be that of the library's sidecars.
        case sidecars(String, reason: String)
        /// The folder of the library's sidecars is not there.
        case sidecarsGone(String)
        /// The database rejected an operation for a reason that is neither the file's nor the disk's.
        case refused(catalog: String, reason: String)
        /// A newer version of the program has changed the catalog.
        case newer(catalog: String)
        case busy(catalog: String)
        case indexing(catalog: String)
        case editing(catalog: String)
        case inaccessible(catalog: String, reason: String)
        /// What has to be written is on storage that is read-only.
        case readOnly(String, ReadOnlyPart)
        case outside(path: String, root: String)
        case albumExists(String)
        case noAlbum
        case noAsset(Int64)
        case noAnnotation(Int64)
        /// Somebody else has changed the annotation of this name.
        case annotationChanged(String)
        case noImport(Int64, root: String)
        case layout(String, reason: String)
        case noSource(String, reason: String)
        /// A source is in the library already, or the library in it.
        case inside(String, root: String)
        /// The folder to import into is no library, and looks like a source; the other order may be meant.
        case swapped(root: String, sources: [String], SwapEvidence)
        case importing(root: String)
        /// A ZIP archive, or an entry of one, cannot be read; the sentence names both.
        case archive(String)
        /// A file of the sources was found, and is not in the plan or in the report as often.
        case unbalanced(String, found: Int, accounted: Int)
        /// Files of an archive cannot be moved.
        case moveOfArchive(String)
        case unwritable(String, reason: String)
        case noRoom(root: String, needed: Int, free: Int)
        case date(PartialDateError)
        /// A word of a search is not understood.
        case query(String, reason: String)
        /// A track or a list of towns cannot be read.
        case unreadable(file: String, reason: String)
        /// Not GPX, or malformed XML from this byte on.
        case gpxSyntax(file: String, offset: Int)
        case noTrackPoints(file: String)
        case noTowns(file: String)
        /// A line of a plan is not understood.
        case plan(String, line: Int, reason: String)
    }

    /// Why arguments seem to be in the order of `cp`, the sources first.
    package enum SwapEvidence: String, Codable, Sendable {
        /// The last source is a library.
        case sourceIsLibrary
        /// The folder to import into is the card of a camera.
        case rootIsCard
    }

    /// What cannot be written on read-only storage.
    package enum ReadOnlyPart: String, Codable, Sendable { case catalog, sidecars, files }
}

extension LibraryError {
    /// What kind of error it is.
    public var kind: Kind {
        switch cause {
        case .missing, .sidecarsGone, .noAlbum, .noAsset, .noAnnotation, .noImport, .noSource, .unreadable:
            .notFound
        case .exists, .albumExists: .alreadyExists
        case .outside, .sidecars, .layout, .inside, .swapped, .date, .query, .moveOfArchive: .invalidArgument
        case .damaged, .newer, .refused, .archive, .gpxSyntax, .noTrackPoints, .noTowns, .plan: .damaged
        case .busy, .indexing, .editing, .importing, .annotationChanged: .busy
        case .noRoot, .inaccessible, .readOnly, .unwritable, .noRoom: .inaccessible
        case .unbalanced: .inconsistent
        }
    }
}

extension LibraryError: LocalizedError, CustomStringConvertible {
    /// The file, the operation and the cause, in one sentence.
    public var description: String {
        switch cause {
        case .missing(let path): "\(path): there is no library"
        case .exists(let path): "\(path): there is a library already"
        case .noRoot(let path, let reason): "\(path): the library's root cannot be read (\(reason))"
        case .damaged(let path, let reason): "\(path): the catalog is damaged (\(reason))"
        case .refused(let path, let reason): "\(path): the catalog rejected the operation (\(reason))"
        case .newer(let path): "\(path): the catalog was made by a newer version"
        case .busy(let path): "\(path): another program is writing the catalog"
        case .indexing(let path): "\(path): another program is indexing this library"
        case .editing(let path): "\(path): another program is editing this library"
        case .inaccessible(let path, let reason): "\(path): the catalog cannot be read or written (\(reason))"
        case .readOnly(let path, .catalog): "\(path): the catalog cannot be written: its storage is read-only"
        case .readOnly(let path, .sidecars):
            "\(path): sidecars cannot be written beside the photos: their storage is read-only"
        case .readOnly(let path, .files): "\(path): cannot be written: the storage is read-only"
        case .outside(let path, let root): "\(path): is not in the library's root \(root)"
        case .albumExists(let name): "\(name): there is an album of that name already"
        case .noAlbum: "there is no such album; it may have been deleted"
        case .noAsset(let id): "there is no asset \(id); its file may have been deleted"
        case .noAnnotation(let id): "there is no annotation \(id); it may have been removed"
        case .annotationChanged(let name): "somebody else has changed \"\(name)\"; look at it again"
        case .noImport(let id, let root): "\(root): there is no import \(id)"
        case .layout(let template, let reason): "the layout \"\(template)\" cannot be used: \(reason)"
        case .inside(let path, let root):
            "\(path): cannot be imported into the library \(root), one lies in the other"
        case .swapped(let root, let sources, .sourceIsLibrary):
            "\(root): is no library, but \(sources.last ?? "") is one; the library comes first"
        case .swapped(let root, _, .rootIsCard):
            "\(root): is the card of a camera, and no library; the library comes first"
        case .importing(let root): "\(root): another program is importing into this library"
        case .archive(let sentence): sentence
        case .unbalanced(let path, let found, let accounted):
            "\(path): the import does not add up, for it was found \(found)x and is accounted for \(accounted)x"
        case .moveOfArchive(let path):
            "\(path): files cannot be moved out of an archive, which is never changed"
        case .unwritable(let path, let reason): "\(path): cannot be written (\(reason))"
        case .noRoom(let root, let needed, let free): "\(root): needs \(needed) bytes, \(free) are free"
        case .date(let error): error.description
        case .query(let word, let reason): "\(word): \(reason)"
        case .sidecarsGone(let path): "\(path): the folder of the library's sidecars is not there"
        case .noSource(let path, let reason), .unreadable(let path, let reason),
            .sidecars(let path, let reason):
            "\(path): \(reason)"
        case .gpxSyntax(let file, let offset): "\(file): is not valid GPX at byte \(offset)"
        case .noTrackPoints(let file): "\(file): has no track point with a time"
        case .noTowns(let file): "\(file): is not a list of towns"
        case .plan(let file, let line, let reason): "\(file): line \(line) \(reason)"
        }
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension LibraryError {
    package static var noAlbum: Self { Self(.noAlbum) }

    package static func archive(_ error: ZipError) -> Self { Self(.archive(error.description)) }

    package static func noRoot(_ path: String, _ error: FileError) -> Self {
        Self(.noRoot(path, reason: error == .missing ? "it does not exist" : error.cause))
    }

    package static func inaccessible(catalog: String, _ error: FileError) -> Self {
        Self(
            error.isReadOnlyStorage
                ? .readOnly(catalog, .catalog) : .inaccessible(catalog: catalog, reason: error.cause))
    }

    package static func unwritable(_ path: String, _ error: FileError) -> Self {
        Self(error.isReadOnlyStorage ? .readOnly(path, .files) : .unwritable(path, reason: error.cause))
    }
}

extension LibraryError {
    /// Does work as soon as no other process or task does what must not run beside it, such as another index run.
    ///
    /// - Parameter isBusy: whether an error means that one does.
    package static func whenFree<R>(
        _ isBusy: (Cause) -> Bool, _ work: () async throws -> R
    ) async throws -> R {
        while true {
            do {
                return try await work()
            } catch {
                guard let cause = (error as? LibraryError)?.cause, isBusy(cause) else { throw error }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Whether another process or task indexes the library.
    package static func isIndexing(_ cause: Cause) -> Bool {
        if case .indexing = cause { true } else { false }
    }

    /// Whether another process or task edits the library.
    package static func isEditing(_ cause: Cause) -> Bool { if case .editing = cause { true } else { false } }
}
