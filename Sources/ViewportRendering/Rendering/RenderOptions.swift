public import Resampling

/// How a viewport is rendered: kernel, colors, background and limits.
public struct RenderOptions: Sendable {
    /// What happens to colors.
    public enum ColorMode: String, CaseIterable, Sendable {
        /// Everything becomes sRGB (gray stays gray).
        case srgb
        /// Numbers stay as they are and the profile goes with them.
        case keep
        /// Everything becomes Display P3, whose profile goes with it.
        case p3

        /// Whether pictures carry their profile; pictures without one are sRGB.
        var carriesProfile: Bool { self != .srgb }
    }

    /// The resampling kernel; nil for lanczos3 below zoom 1, cubic above, nearest from zoom 8.
    public var kernel: ResamplingKernel?
    /// The pixels that a level must have for each pixel of the picture.
    ///
    /// 2 gives the sharpest pictures. With 1 a picture at 1/2, 1/4 or 1/8 shows a level's pixels as they are, as
    /// tile servers do: less sharp by a little, and made in a fraction of the time.
    public var oversampling = 2.0
    /// What happens to colors.
    public var colorMode = ColorMode.srgb
    /// Whether CMYK may stay CMYK where colors are kept.
    public var keepsCMYK = false
    /// What is seen beyond the image and through it.
    public var background = Color.transparent
    /// Bits per sample, 8 or 16.
    public var depth = 8
    /// Whether a viewport that shows nothing of the image is a picture of the background; else it is an error.
    public var allowsEmptyPicture = false
    /// The most pixels that a picture may have.
    public var maximumPictureArea = 1 << 27

    /// Creates the options of a picture in sRGB of 8 bits on a transparent background.
    public init() {}
}
