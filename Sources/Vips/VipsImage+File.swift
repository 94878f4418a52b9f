internal import CVips

/// Pixels in files without a header.
extension VipsImage {
    /// An image of 8-bit samples that lie in a file, rows from the top; the file is mapped, not read.
    ///
    /// - Throws: `VipsError` where the file is shorter than width x height x bands.
    package static func rawFile(
        _ path: String, width: Int, height: Int, bands: Int, interpretation: String
    ) throws(VipsError) -> VipsImage {
        try VipsLibrary.start()
        guard
            let image = unsafe vips_image_new_from_file_raw(
                path, Int32(width), Int32(height), Int32(bands), 0)
        else { throw VipsError(operation: "new_from_file_raw", reason: .failed, log: VipsLibrary.takeLog()) }
        return try unsafe VipsImage(owning: image).relabelled(interpretation)
    }
}
