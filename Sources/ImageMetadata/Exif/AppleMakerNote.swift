internal import Basics

/// What Apple's cameras write into EXIF's MakerNote of pictures that belong together.
///
/// A big-endian TIFF directory behind 14 bytes, with offsets from the note's own beginning.
/// Source: ExifTool's tag names of Apple.
struct AppleMakerNote: Equatable, Sendable {
    /// Shared by the pictures of one burst.
    var burst: String?
    /// Shared by a live photo's picture and film.
    var content: String?

    init() {}

    init(_ note: FileBytes) {
        guard note.has("Apple iOS\0"), let directory = TIFFDirectory(TIFFBlock(note, order: .big), at: 14)
        else { return }
        burst = directory.string(0x000B)
        content = directory.string(0x0011)
    }
}
