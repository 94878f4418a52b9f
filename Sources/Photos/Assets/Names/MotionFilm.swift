package import Files

/// The names of the films of motion photos where they are files of their own, as in exports of Google Photos.
///
/// A film is named as its photo is without the extension: "PXL_1.MP" of "PXL_1.MP.jpg", "PXL_1.MP~2" of "PXL_1.MP~2.jpg",
/// "MVIMG_1" of "MVIMG_1.jpg".
package enum MotionFilm {
    /// Whether a name has an extension that only such films have: "MP" or "MV", or a copy of one, "MP~2".
    package static func isNamed(_ name: FilePath) -> Bool {
        let parts = FileExtension.of(name).split(separator: "~", omittingEmptySubsequences: false)
        guard ["mp", "mv"].contains(parts.first), parts.count <= 2 else { return false }
        return parts.count == 1
            || !parts[1].isEmpty && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Whether a film has the name that the film of a photo has.
    package static func isNamed(_ film: FilePath, of photo: FilePath) -> Bool {
        film == photo.withoutExtension || isNamed(film) && film.withoutExtension == photo.withoutExtension
    }
}
