internal import CVips
package import ViewportGeometry

/// A libvips image: a pipeline that computes pixels on demand.
///
// A VipsImage is immutable once it is created, and libvips counts references atomically; only regions are
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

    /// The offset that the operation that made the image set.
    var offset: (x: Int, y: Int) {
        (Int(unsafe vips_image_get_xoffset(pointer)), Int(unsafe vips_image_get_yoffset(pointer)))
    }

    /// The type of a sample.
    package var format: SampleFormat { SampleFormat(unsafe vips_image_get_format(pointer)) }

    /// The color space by libvips' nickname, such as "srgb", "b-w" or "cmyk".
    package var interpretation: String {
        let type = vips_interpretation_get_type()
        let value = unsafe vips_image_guess_interpretation(pointer)
        return unsafe String(cString: vips_enum_nick(type, value.rawValue))
    }

    /// The packing of pixels by libvips' nickname: "none", or "labq" and "rad", which must be unpacked.
    package var coding: String {
        let value = unsafe vips_image_get_coding(pointer)
        return unsafe String(cString: vips_enum_nick(vips_coding_get_type(), value.rawValue))
    }
}

/// The type of a sample.
package enum SampleFormat: Sendable, Equatable {
    case uint8, uint16, float32
    /// Any other type of libvips, which must be cast before pixels are read.
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

    /// The size of a sample in bytes; 0 for types that must be cast.
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
    /// Creates an operation with this image as its input.
    package func operation(_ nickname: String) throws(VipsError) -> VipsOperation {
        let operation = try VipsOperation(nickname)
        try operation.set("in", .image(self))
        return operation
    }
}

/// Metadata of the file.
extension VipsImage {
    /// Returns whether a field exists.
    package func has(_ field: String) -> Bool {
        unsafe vips_image_get_typeof(pointer, field) != 0
    }

    /// Returns a field that is an integer.
    package func int(_ field: String) -> Int? {
        guard has(field) else { return nil }
        var value: Int32 = 0
        guard unsafe vips_image_get_int(pointer, field, &value) == 0 else {
            _ = VipsLibrary.takeLog()
            return nil
        }
        return Int(value)
    }

    /// Returns a field that is a list of integers.
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

    /// Returns a field that is text.
    package func string(_ field: String) -> String? {
        guard has(field) else { return nil }
        var value: UnsafePointer<CChar>?
        guard unsafe vips_image_get_string(pointer, field, &value) == 0, let value = unsafe value else {
            _ = VipsLibrary.takeLog()
            return nil
        }
        return unsafe String(cString: value)
    }

    /// Returns a field that is a block of bytes: "exif-data", "icc-profile-data", "xmp-data".
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

    /// Returns a copy without EXIF, XMP and orientation, with the given profile or none.
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

    /// Returns a copy with an orientation, which savers write as a tag of EXIF or TIFF.
    package func withOrientation(_ orientation: Orientation) throws(VipsError) -> VipsImage {
        let copy = try operation("copy").image()
        unsafe vips_image_set_int(copy.pointer, "orientation", Int32(orientation.rawValue))
        return copy
    }

    /// Returns a copy with a page height, by which savers split it into pages.
    package func withPageHeight(_ height: Int) throws(VipsError) -> VipsImage {
        let copy = try operation("copy").image()
        unsafe vips_image_set_int(copy.pointer, "page-height", Int32(height))
        return copy
    }

    /// Returns a copy whose pages are the frames of an animation, with their delays in milliseconds.
    ///
    /// - Parameter loop: the number of times it plays; 0 for an endless loop.
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
    /// Returns an upright copy with blocks of metadata by libvips' names.
    package func withBlobs(_ blobs: [String: [UInt8]]) throws(VipsError) -> VipsImage {
        let copy = try withOrientation(.up)
        for (field, blob) in blobs {
            // libvips copies the bytes.
            unsafe blob.withUnsafeBytes { bytes in
                unsafe vips_image_set_blob_copy(copy.pointer, field, bytes.baseAddress, bytes.count)
            }
        }
        return copy
    }
}
