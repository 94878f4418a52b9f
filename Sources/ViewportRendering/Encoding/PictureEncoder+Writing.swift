internal import Vips

extension PictureEncoder {
    /// The bytes of a file that carries what was written into another: EXIF, XMP and IPTC.
    ///
    /// - Throws: `RenderingError.cannotEncode`, as without.
    package func encode(_ picture: Picture, withWritingOf file: ImageFile) throws(RenderingError) -> [UInt8] {
        do {
            let header = try VipsImage.load(file.path, with: VipsImage.loader(for: file.path), [:])
            var arguments = arguments(picture)
            arguments["strip"] = nil
            return try picture.image().withWriting(of: header).saved(with: saver, arguments)
        } catch {
            throw .cannotEncode(format: format.rawValue, detail: error.log)
        }
    }
}
