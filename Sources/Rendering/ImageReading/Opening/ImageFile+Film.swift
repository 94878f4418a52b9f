internal import Containers
package import ImageMetadata

extension ImageFile {
    /// Finds the film inside of the file; nil where it states none.
    ///
    /// - Throws: `EmbeddedFilmError` if the file states a film that it does not have, or cannot be read.
    package func embeddedFilm() throws(EmbeddedFilmError) -> EmbeddedFilm? {
        try EmbeddedFilm.find(in: FileBytes(opened))
    }
}
