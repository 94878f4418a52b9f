internal import Basics
package import Containers
package import Files

/// The film inside of a motion photo.
///
/// It is a whole MP4 or QuickTime file in a range of the photo's file. Sources: Android's Motion Photo format 1.0 and its
/// predecessor MicroVideo; Samsung's trailer as ExifTool describes it.
package struct EmbeddedFilm: Equatable, Sendable {
    /// How the photo refers to the film.
    package enum Kind: String, CaseIterable, Sendable {
        /// A directory of items in XMP.
        case motionPhoto = "motion-photo"
        /// An offset in XMP, counted from the end of the file.
        case microVideo = "micro-video"
        /// A box of a HEIC or AVIF file.
        case box = "mpvd"
        /// A trailer of Samsung's phones.
        case samsung
        /// Nothing: the film follows the picture.
        case appended
    }

    package let kind: Kind
    /// The bytes of the film in the photo's file.
    package let range: Range<Int>
    /// MP4 or QuickTime.
    package let format: FileFormat
}

/// A photo refers to a film that its file does not have.
package enum EmbeddedFilmError: Error, Equatable, Sendable {
    /// The stated bytes are not all in the file.
    case outside(EmbeddedFilm.Kind, length: Int, of: Int)
    /// There is something else.
    case noFilm(EmbeddedFilm.Kind, offset: Int)
    /// The file states no bytes, and no film follows its picture.
    case nowhere
    /// The file could not be read where the film is stated, or where it is.
    case unreadable(FileError)
}

extension EmbeddedFilmError: CustomStringConvertible {
    /// The cause, as the end of a sentence that begins with the file's name.
    package var description: String {
        switch self {
        case .outside(let kind, let length, let count):
            "states a film (\(kind.rawValue)) of \(length) bytes, but has only \(count) bytes; "
                + "the film was cut off"
        case .noFilm(let kind, let offset):
            "states a film (\(kind.rawValue)) at \(offset), but none begins there; it was removed or damaged"
        case .nowhere: "states that it is a motion photo, but not where its film is"
        case .unreadable(let error): error.description
        }
    }
}

extension EmbeddedFilm {
    /// Finds the film of a JPEG, HEIC or AVIF file; nil where it has none.
    ///
    /// Reads only the headers of the file and of the film, and the end of the file. The whole file is read only where it
    /// states a film without its place, or ends with something else than a picture.
    ///
    /// - Throws: `EmbeddedFilmError` if the file states a film that it does not have, or cannot be read.
    package static func find(in bytes: FileBytes) throws(EmbeddedFilmError) -> EmbeddedFilm? {
        let found = Result { () throws(EmbeddedFilmError) in try search(bytes) }
        // A film in bytes that cannot be read looks like one that is missing.
        do throws(FileError) { try bytes.check() } catch { throw .unreadable(error) }
        return try found.get()
    }

    private static func search(_ bytes: FileBytes) throws(EmbeddedFilmError) -> EmbeddedFilm? {
        guard let announcements = FilmAnnouncements(bytes) else { return nil }
        var failure: EmbeddedFilmError?
        for statement in announcements.statements {
            do throws(EmbeddedFilmError) {
                return try statement.film(in: bytes)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        if let film = FollowingFilm.find(in: bytes, isAnnounced: announcements.isMotionPhoto) { return film }
        if announcements.isMotionPhoto { throw .nowhere }
        return nil
    }
}
