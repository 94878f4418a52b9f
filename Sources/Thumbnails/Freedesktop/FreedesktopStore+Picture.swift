internal import Vips

extension FreedesktopStore {
    /// The kind of PNG that the standard asks for: 8 bits, not interlaced, with full transparency, even where the
    /// picture has none.
    static func standardPNG(_ png: [UInt8]) throws(BatchFailure) -> [UInt8] {
        do throws(VipsError) {
            let image = try VipsImage.load(bytes: png, with: "pngload_buffer").converted(to: "srgb")
            let full = image.hasAlpha ? image : try image.joined(constant: 255)
            return try full.saved(with: "pngsave_buffer", ["strip": .bool(true)])
        } catch {
            throw BatchFailure("cannot-encode", "the thumbnail cannot be written as png (\(error.log))")
        }
    }
}
