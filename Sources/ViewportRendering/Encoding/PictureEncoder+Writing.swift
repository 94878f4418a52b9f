internal import Vips

extension PictureEncoder {
    /// The bytes of a file that carries what was written into another: EXIF, XMP and IPTC.
    ///
    /// They are changed to tell of the new picture: it stands upright, and the preview of the other one is gone.
    ///
    /// - Returns: the file and the names of what its format cannot hold: "EXIF".
    /// - Throws: `RenderingError.cannotEncode`, as without.
    package func encode(
        _ picture: Picture, withWritingOf file: ImageFile
    ) throws(RenderingError) -> (file: [UInt8], leftOut: [String]) {
        let header = try file.opened.checked { () throws(RenderingError) in try Self.header(of: file) }
        let metadata = PictureMetadata(
            header, of: file, for: picture.size, isSRGB: picture.profile == nil)
        guard ![.jpg, .png, .webp].contains(format) else {
            return metadata.added(to: try encode(picture), format)
        }
        do {
            var arguments = arguments(picture)
            arguments["strip"] = nil
            let saved = try picture.image().withWriting(of: header, metadata.blobs)
                .saved(with: saver, arguments)
            let joined = format == .tif ? metadata.exif.flatMap { TIFFExif.added($0, to: saved) } : nil
            let leftOut = format.lacks.filter {
                $0 == "IPTC" ? metadata.iptc != nil : header.has("\($0.lowercased())-data")
            }
            return (joined ?? saved, leftOut.filter { $0 != "EXIF" || joined == nil })
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

extension PictureFormat {
    /// What libvips writes into none of the format's files.
    fileprivate var lacks: [String] {
        switch self {
        case .avif: ["IPTC"]
        case .tif: ["EXIF"]
        case .gif, .jp2: ["EXIF", "XMP", "IPTC"]
        case .png, .jpg, .webp: []
        }
    }
}
