internal import Vips

extension PictureEncoder {
    /// The bytes of a file that carries what was written into another: EXIF, XMP and IPTC.
    ///
    /// - Throws: `RenderingError.cannotEncode`, as without.
    package func encode(_ picture: Picture, withWritingOf file: ImageFile) throws(RenderingError) -> [UInt8] {
        let header = try file.opened.checked { () throws(RenderingError) in try Self.header(of: file) }
        do {
            var arguments = arguments(picture)
            arguments["strip"] = nil
            return try picture.image().withWriting(of: header).saved(with: saver, arguments)
        } catch {
            throw .cannotEncode(format: format.rawValue, detail: error.log)
        }
    }

    private static func header(of file: ImageFile) throws(RenderingError) -> VipsImage {
        let loader = try ImageFile.findLoader(file.opened)
        return try LoaderFile(
            file: file.opened, loader: loader, format: file.format, options: OpenOptions()
        ).load()
    }
}
