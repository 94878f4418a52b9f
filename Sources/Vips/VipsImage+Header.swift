internal import CVips
package import ViewportGeometry

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
