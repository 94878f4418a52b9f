public import ViewportGeometry

/// What a library stores of a file, read from its bytes without decoding a pixel.
public struct FileMetadata: Equatable, Sendable {
    public var format: FileFormat
    /// The pixels as they are stored; nil where the file does not say.
    public var storedSize: PixelSize<StoredGrid>?
    /// How they are turned to be seen: IFD0's orientation, or the rotation that HEIF, JPEG XL and films have of
    /// their own.
    public var orientation = Orientation.up
    /// When it was taken, from the most trusted source there is.
    public var date: CaptureDate?
    /// Where it was taken.
    public var location: Location?
    public var make: String?
    public var model: String?
    public var lens: String?
    public var software: String?
    /// Of films and animations that say it, in seconds.
    public var duration: Double?
    /// The pictures of an animation; 1 of everything else.
    public var frames = 1
    /// Whether it shows a screen: the file's own word, or its name.
    public var isScreenshot = false
    /// Equal for the pictures of one burst.
    public var burstIdentifier: String?
    /// Equal for the picture and the film of a live photo.
    public var livePhotoIdentifier: String?
    public var title: String?
    public var caption: String?
    public var keywords: [String] = []
    /// -1 (rejected) to 5.
    public var rating: Int?
    /// Where in the file the largest embedded JPEG lies that is smaller than the picture, for a quick look.
    public var preview: Range<Int>?

    public var kind: FileKind { format.kind }

    /// The size as it is seen.
    public var uprightSize: PixelSize<UprightGrid>? { storedSize.map(orientation.uprightSize) }

    public var isAnimated: Bool { frames > 1 && kind == .photo }

    init(_ format: FileFormat) {
        self.format = format
    }
}
