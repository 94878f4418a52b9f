internal import ViewportGeometry
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
        do {
            let metadata = try PictureMetadata(of: file, for: picture.size, isSRGB: picture.profile == nil)
            switch format {
            case .jpg, .png, .webp:
                return metadata.added(to: try encode(picture), format)
            case .avif, .tif, .gif, .jp2:
                let header = try VipsImage.load(file.path, with: VipsImage.loader(for: file.path), [:])
                var arguments = arguments(picture)
                arguments["strip"] = nil
                let saved = try picture.image().withWriting(of: header, metadata.blobs)
                    .saved(with: saver, arguments)
                let joined = format == .tif ? metadata.exif.flatMap { TIFFExif.added($0, to: saved) } : nil
                let leftOut = format.lacks.filter {
                    $0 == "IPTC" ? metadata.iptc != nil : header.has("\($0.lowercased())-data")
                }
                return (joined ?? saved, leftOut.filter { $0 != "EXIF" || joined == nil })
            }
        } catch let error as VipsError {
            throw .cannotEncode(format: format.rawValue, detail: error.log)
        } catch {
            throw error as? RenderingError ?? .cannotEncode(format: format.rawValue, detail: "\(error)")
        }
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
