internal import CVips
package import ViewportGeometry

/// A picture as libvips sees it: a recipe for pixels that runs when they are asked for.
///
// A VipsImage never changes once it is made and libvips counts references atomically; only regions are
// bound to a thread, and those never leave `withRegion`.
@safe package final class VipsImage: @unchecked Sendable {
    // Owned: one reference, given back in deinit.
    let pointer: UnsafeMutablePointer<CVips.VipsImage>

    init(owning pointer: UnsafeMutablePointer<CVips.VipsImage>) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe g_object_unref(pointer)
    }

    package var width: Int { Int(unsafe vips_image_get_width(pointer)) }
    package var height: Int { Int(unsafe vips_image_get_height(pointer)) }
    package var bands: Int { Int(unsafe vips_image_get_bands(pointer)) }
    package var hasAlpha: Bool { unsafe vips_image_hasalpha(pointer) != 0 }
    package var size: PixelSize<StoredGrid> { PixelSize(width: width, height: height) }

    /// How far the image was moved by the operation that made it.
    var offset: (x: Int, y: Int) {
        (Int(unsafe vips_image_get_xoffset(pointer)), Int(unsafe vips_image_get_yoffset(pointer)))
    }

    /// The type of a sample.
    package var format: SampleFormat { SampleFormat(unsafe vips_image_get_format(pointer)) }

    /// What the samples mean, by libvips' nickname, as "srgb", "b-w" or "cmyk".
    package var interpretation: String {
        let type = vips_interpretation_get_type()
        let value = unsafe vips_image_guess_interpretation(pointer)
        return unsafe String(cString: vips_enum_nick(type, value.rawValue))
    }

    /// How pixels are packed, by libvips' nickname: "none", or "labq" and "rad", which are unpacked first.
    package var coding: String {
        let value = unsafe vips_image_get_coding(pointer)
        return unsafe String(cString: vips_enum_nick(vips_coding_get_type(), value.rawValue))
    }

    /// The number of bytes of a row.
    package var rowBytes: Int { width * bands * format.bytes }
}

/// The type of a sample.
package enum SampleFormat: Sendable, Equatable {
    case uint8, uint16, float32
    /// Any other of libvips' types; cast it before its pixels are read.
    case other

    init(_ format: VipsBandFormat) {
        self =
            switch format {
            case VIPS_FORMAT_UCHAR: .uint8
            case VIPS_FORMAT_USHORT: .uint16
            case VIPS_FORMAT_FLOAT: .float32
            default: .other
            }
    }

    /// The number of bytes of a sample; 0 for those that are cast first.
    package var bytes: Int {
        switch self {
        case .uint8: 1
        case .uint16: 2
        case .float32: 4
        case .other: 0
        }
    }

    var vips: VipsBandFormat {
        switch self {
        case .uint8: VIPS_FORMAT_UCHAR
        case .uint16: VIPS_FORMAT_USHORT
        case .float32, .other: VIPS_FORMAT_FLOAT
        }
    }

    var nick: String {
        switch self {
        case .uint8: "uchar"
        case .uint16: "ushort"
        case .float32, .other: "float"
        }
    }
}
