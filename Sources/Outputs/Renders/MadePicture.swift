package import PictureEncoding
package import ViewportGeometry
package import Viewports

/// The bytes of a picture, and how they were made.
package struct MadePicture: Sendable {
    package var bytes: [UInt8]
    package var size: PixelSize<OutputGrid>
    /// The view; nil for a look and for IIIF.
    package var request: ResolvedRequest?
    /// The canonical path of a IIIF request.
    package var canonicalPath: String?
    /// The format of the source and how it was read.
    package var reading = ""
    /// The level that was read; nil where several or none were.
    package var level: Int?
    /// The rectangle of that level that was read, as stored.
    package var storedRect: PixelRect<StoredGrid>?
    package var times = Times()
    /// Whether it has the gain map of the source.
    package var hasGainMap = false
    /// What users would not expect.
    package var notes: [Note] = []

    /// The time of each step.
    package struct Times: Sendable {
        package var read = Duration.zero
        package var scale = Duration.zero
        package var encode = Duration.zero
    }

    /// Something that differs from what was asked for.
    package enum Note: Hashable, Sendable {
        /// Blocks of metadata that the format cannot hold, such as "EXIF".
        case leftOut([String], PictureFormat)
        /// Content credentials (C2PA), which bind the pixels of the file.
        case credentials
        /// The gain map of the file, with the reason why it is left out.
        case gainMap(String)
        /// The rectangle of whole blocks of a JPEG.
        case widened(Rect<ImageSpace>)
        /// The visible rectangle of a view that has another aspect ratio than the rectangle that was asked for.
        case showsMore(Rect<ImageSpace>)
        /// The frame of an animation, and the number of all frames: the picture has only this one.
        case oneFrame(Int, of: Int)
        /// The damage of a preview that is shown in place of its file.
        case damaged(String)
    }
}
