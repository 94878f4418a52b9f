#if CommandLine
import ArgumentParser
import Basics
import Files
import RemoteFiles
import ScrollModel
import ViewportGeometry
import ViewportRendering

/// `viewport render --faces`: writes the six faces of a cube into a folder.
extension RenderCommand {
    /// Checks `--faces` with the other options.
    func validateFaces() throws {
        if isBatch || iiif != nil
            || region.sizes.contains(where: { $0.width == nil || $0.width != $0.height })
        {
            throw ValidationError(
                "--faces writes six squares of one image: give one --size such as 1024, and no --iiif or batch"
            )
        }
        guard let output = picture.output, OutputName.isFolder(output) else {
            throw ValidationError("--faces writes six files: give a folder, for example -o faces/")
        }
    }

    func renderFaces() throws {
        let file = try opening.open(image, through: caches)
        let panorama = try file.panorama(assumed: looking.options.display.panorama)
        let format = try picture.resolvedFormat()
        let folder = picture.output ?? ""
        try OutputName.makeFolder(folder)
        let outputs = CubeFace.allCases.map { face in
            let path = FilePath(folder).appending(FilePath("\(face.rawValue).\(format.rawValue)")).text
            return (
                face,
                PictureOutput(
                    path, format, inputs: [image], overwrites: picture.overwriting.overwrite)
            )
        }
        for (_, output) in outputs { try output.check() }
        let side = region.size?.width ?? CubeFace.side(of: panorama)
        let size = (side * region.scale.value).rounded()
        let renderer = ViewportRenderer(options: try picture.renderOptions(for: format, of: file))
        var encoder = PictureEncoder(format, quality: picture.quality)
        encoder.compression = picture.compression ?? .standard
        let line = ProgressLine("rendering six faces of \(RemoteAddress.shown(image))")
        var reports: [JSONValue] = []
        for (number, (face, output)) in outputs.enumerated() {
            let frame = LookFrame(face.look, size: Size(width: size, height: size))
            let made = try renderer.renderSynchronously(frame, into: panorama, of: file).picture
            let bytes = try encoder.encodeSynchronously(made)
            try output.write(bytes)
            reports.append(
                .object([
                    "face": .string(face.rawValue), "path": .string(output.path),
                    "width": .int(made.size.width), "height": .int(made.size.height),
                    "bytes": .int(bytes.count),
                ]))
            line.show(Double(number + 1) / Double(outputs.count))
        }
        line.clear()
        try storeNewIndex(of: file)
        if json {
            print(
                json: [
                    "path": .string(RemoteAddress.shown(image)), "output": .string(folder),
                    "outputs": .array(reports),
                ])
        }
    }
}
#endif
