internal import CVips
private import Files
package import ViewportGeometry

/// Pixels in files without a header.
extension VipsImage {
    /// An image of samples that lie in a file, rows from the top; the file is mapped, not read.
    ///
    /// - Throws: `VipsError` where the file is shorter than width x height x bands x sample.
    package static func rawFile(
        _ path: String, size: PixelSize<StoredGrid>, bands: Int, format: SampleFormat = .uint8,
        interpretation: String
    ) throws(VipsError) -> VipsImage {
        try VipsLibrary.start()
        let pixelBytes = Int32(bands * format.bytes)
        guard
            let image = unsafe PathText.withCString(
                path,
                {
                    unsafe vips_image_new_from_file_raw(
                        $0, Int32(size.width), Int32(size.height), pixelBytes, 0)
                })
        else { throw VipsError(operation: "new_from_file_raw", reason: .failed, log: VipsLibrary.takeLog()) }
        // Read as bytes, and then said to be samples.
        let copy = try unsafe VipsImage(owning: image).operation("copy")
        try copy.set("bands", .int(bands))
        try copy.set("format", .name(format.nick))
        try copy.set("interpretation", .name(interpretation))
        return try copy.image()
    }
}
