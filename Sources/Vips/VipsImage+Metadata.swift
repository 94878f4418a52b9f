internal import CVips

extension VipsImage {
    /// A copy with what the camera and people wrote into another image (EXIF, XMP, IPTC), but upright and without
    /// its preview: that shows the other image.
    ///
    /// - Parameter packet: the XMP to carry instead of the other's.
    package func withWriting(of other: VipsImage, xmp packet: [UInt8]? = nil) throws(VipsError) -> VipsImage {
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
        if let packet {
            // libvips copies the bytes.
            unsafe packet.withUnsafeBytes { bytes in
                unsafe vips_image_set_blob_copy(copy.pointer, "xmp-data", bytes.baseAddress, bytes.count)
            }
        }
        return copy
    }
}

extension String {
    /// libvips has EXIF as a block and as one field a tag; the first directory's are of the picture, the second's
    /// of the preview.
    fileprivate var isWriting: Bool {
        self == "xmp-data" || self == "iptc-data"
            || hasPrefix("exif-") && !hasPrefix("exif-ifd1-") && self != "exif-ifd0-Orientation"
    }
}
