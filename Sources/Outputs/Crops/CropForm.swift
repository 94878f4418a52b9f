internal import ImageReading
package import PictureEncoding
package import Pictures
internal import Resampling
internal import ViewportGeometry
internal import ViewportRendering
internal import Vips

/// The form that all crops of an archive have: programs that train put them into one array.
package struct CropForm: Equatable, Sendable {
    package enum Format: String, CaseIterable, Sendable {
        case jpg, png, webp
        /// The stored samples for measurements, without any conversion: arrays of NumPy, and TIFF.
        case npy, tif

        package var picture: PictureFormat {
            switch self {
            case .jpg: .jpg
            case .png: .png
            case .webp: .webp
            case .npy, .tif: .tif
            }
        }

        /// Whether crops have the stored samples, not colors.
        package var hasValues: Bool { self == .npy || self == .tif }
    }

    /// The channels of 8 bits.
    package enum Mode: String, CaseIterable, Sendable {
        case rgb, rgba, grey
        /// Those of each image: archives of unlike images are mixed then.
        case source
    }

    package var format: Format
    package var mode: Mode
    /// The quality of jpg and webp, 1 to 100; nil for the format's default.
    package var quality: Int?
    /// What shows through transparent pixels where crops have no opacity.
    package var background: Color

    package init(
        _ format: Format = .jpg, mode: Mode = .rgb, quality: Int? = nil, background: Color = .white
    ) {
        (self.format, self.mode, self.quality, self.background) = (format, mode, quality, background)
    }

    /// Whether crops keep opacity.
    package var keepsOpacity: Bool {
        switch mode {
        case .rgb, .grey: false
        case .rgba: true
        case .source: format.picture.hasAlpha
        }
    }

    /// What decides the bytes of a crop, in the recipe of an archive.
    var text: String {
        "\(format.rawValue) \(mode.rawValue) \(quality.map { "\($0)" } ?? "-") \(keepsOpacity ? "-" : "\(background)")"
    }

    var rendering: RenderOptions {
        var options = RenderOptions()
        if !keepsOpacity { options.background = background }
        return options
    }

    /// Returns the file of a crop.
    ///
    /// A PNG has no palette: most loaders would give its numbers instead of colors.
    func encode(_ crop: CropPicture) throws -> [UInt8] {
        let picture: Picture
        switch crop {
        case .values(let values): return try format == .npy ? values.npy : values.tiff()
        case .colors(let colors): picture = colors
        }
        var encoder = PictureEncoder(format.picture, quality: quality)
        encoder.usesPalette = false
        return try encoder.encodeSynchronously(formed(picture))
    }

    private func formed(_ picture: Picture) throws -> Picture {
        switch mode {
        case .source: picture
        case .grey: try picture.inGray()
        case .rgb:
            picture.bands == 3
                ? picture : Picture(size: picture.size, bytes: try picture.rgb(), hasAlpha: false)
        case .rgba:
            picture.bands == 4 && picture.hasAlpha
                ? picture : Picture(size: picture.size, bytes: try picture.rgba(), hasAlpha: true)
        }
    }
}

/// The pixels of a crop.
enum CropPicture {
    case colors(Picture)
    case values(CropValues)
}
