internal import CVips

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
