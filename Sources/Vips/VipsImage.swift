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

extension VipsImage {
    /// An operation with this image as its input.
    package func operation(_ nickname: String) throws(VipsError) -> VipsOperation {
        let operation = try VipsOperation(nickname)
        try operation.set("in", .image(self))
        return operation
    }
}

/// Metadata that came with the file.
extension VipsImage {
    /// Whether a field is there.
    package func has(_ field: String) -> Bool {
        unsafe vips_image_get_typeof(pointer, field) != 0
    }

    /// A field that is a whole number.
    package func int(_ field: String) -> Int? {
        guard has(field) else { return nil }
        var value: Int32 = 0
        guard unsafe vips_image_get_int(pointer, field, &value) == 0 else {
            _ = VipsLibrary.takeLog()
            return nil
        }
        return Int(value)
    }

    /// A field that is a list of whole numbers.
    package func ints(_ field: String) -> [Int]? {
        guard has(field) else { return nil }
        var values: UnsafeMutablePointer<Int32>?
        var count: Int32 = 0
        guard unsafe vips_image_get_array_int(pointer, field, &values, &count) == 0,
            let values = unsafe values
        else {
            _ = VipsLibrary.takeLog()
            return nil
        }
        // The image owns `count` numbers, which are copied.
        return unsafe UnsafeBufferPointer(start: values, count: Int(count)).map(Int.init)
    }

    /// A field that is text.
    package func string(_ field: String) -> String? {
        guard has(field) else { return nil }
        var value: UnsafePointer<CChar>?
        guard unsafe vips_image_get_string(pointer, field, &value) == 0, let value = unsafe value else {
            _ = VipsLibrary.takeLog()
            return nil
        }
        return unsafe String(cString: value)
    }

    /// A field that is a block of bytes: "exif-data", "icc-profile-data", "xmp-data".
    package func blob(_ field: String) -> [UInt8]? {
        guard has(field) else { return nil }
        var value: UnsafeRawPointer?
        var count = 0
        guard unsafe vips_image_get_blob(pointer, field, &value, &count) == 0 else {
            _ = VipsLibrary.takeLog()
            return nil
        }
        return unsafe Array(UnsafeRawBufferPointer(start: value, count: count))
    }

    /// A copy that carries only what pixels need: no EXIF, XMP or orientation, and this profile or none.
    package func withoutMetadata(profile: [UInt8]? = nil) throws(VipsError) -> VipsImage {
        let copy = try operation("copy").image()
        for field in copy.fields where !field.isNeededForPixels {
            _ = unsafe vips_image_remove(copy.pointer, field)
        }
        if let profile {
            unsafe profile.withUnsafeBytes { bytes in
                unsafe vips_image_set_blob_copy(
                    copy.pointer, "icc-profile-data", bytes.baseAddress, bytes.count)
            }
        }
        return copy
    }

    /// A copy that says how it is to be turned: savers write it as EXIF's or TIFF's tag.
    package func withOrientation(_ orientation: Orientation) throws(VipsError) -> VipsImage {
        let copy = try operation("copy").image()
        unsafe vips_image_set_int(copy.pointer, "orientation", Int32(orientation.rawValue))
        return copy
    }

    /// A copy that says how high each of its pages is: savers of many pages cut it there.
    package func withPageHeight(_ height: Int) throws(VipsError) -> VipsImage {
        let copy = try operation("copy").image()
        unsafe vips_image_set_int(copy.pointer, "page-height", Int32(height))
        return copy
    }

    /// A copy whose pages are the frames of an animation, shown for so many milliseconds each.
    ///
    /// - Parameter loop: how often it plays; 0 for ever.
    package func animated(pageHeight: Int, delays: [Int], loop: Int = 0) throws(VipsError) -> VipsImage {
        let copy = try withPageHeight(pageHeight)
        let delays = delays.map { Int32(clamping: $0) }
        // The numbers are copied.
        unsafe vips_image_set_array_int(copy.pointer, "delay", delays, Int32(delays.count))
        unsafe vips_image_set_int(copy.pointer, "loop", Int32(clamping: loop))
        return copy
    }

    /// The names of all metadata fields.
    package var fields: [String] {
        guard let names = unsafe vips_image_get_fields(pointer) else { return [] }
        defer { unsafe g_strfreev(names) }
        var result: [String] = []
        var next = unsafe names
        while let name = unsafe next.pointee {
            unsafe result.append(String(cString: name))
            unsafe next += 1
        }
        return result
    }
}

extension String {
    fileprivate var isNeededForPixels: Bool {
        ["width", "height", "bands", "format", "coding", "interpretation"].contains(self)
            || hasPrefix("x") && count == 4 || hasPrefix("y") && count == 4
            || hasSuffix("offset")
    }
}

extension VipsImage {
    /// A copy with what the camera and people wrote into another image (EXIF, XMP, IPTC), but upright and without
    /// its preview: that shows the other image.
    ///
    /// - Parameter blobs: EXIF, XMP and IPTC as blocks of bytes, by libvips' names, changed to tell of this image.
    package func withWriting(
        of other: VipsImage, _ blobs: [String: [UInt8]]
    ) throws(VipsError) -> VipsImage {
        let copy = try operation("copy").image()
        for field in other.fields where field.isWriting {
            var value = GValue()
            // `value` is filled by the first call, copied by the second and emptied after it.
            guard unsafe vips_image_get(other.pointer, field, &value) == 0 else {
                _ = VipsLibrary.takeLog()
                continue
            }
            unsafe vips_image_set(copy.pointer, field, &value)
            unsafe g_value_unset(&value)
        }
        unsafe vips_image_set_int(copy.pointer, "orientation", 1)
        for (field, blob) in blobs {
            // libvips copies the bytes.
            unsafe blob.withUnsafeBytes { bytes in
                unsafe vips_image_set_blob_copy(copy.pointer, field, bytes.baseAddress, bytes.count)
            }
        }
        return copy
    }
}

extension String {
    /// Whether a field is a tag of EXIF's that is of the picture, not of the preview.
    ///
    /// libvips has EXIF as a block and as one field a tag; the second directory is the preview's.
    fileprivate var isWriting: Bool {
        hasPrefix("exif-") && !hasPrefix("exif-ifd1-") && self != "exif-ifd0-Orientation"
            && self != "exif-data"
    }
}
