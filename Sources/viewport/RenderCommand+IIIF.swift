import ArgumentParser
import Files
internal import RenderCaching
import TilePyramid
import ViewportRendering

/// `viewport render --iiif`: the file that `viewport serve` gives for the same request, byte for byte.
extension RenderCommand {
    func render(_ text: String) async throws {
        let request: IIIFRequest
        do throws(IIIFError) {
            request = try IIIFRequest(parsing: text)
        } catch {
            throw ValidationError("--iiif: \(error)")
        }
        guard let format = PictureFormat(rawValue: request.format) else {
            throw ValidationError("--iiif: \(request.format) is not written here")
        }
        let name = try OutputName(
            picture.output ?? (image == PipedInput.name ? "-" : nil), asked: (format, "--iiif"),
            default: "\(OutputName.stem(of: image)).viewport")
        try OutputName.makeFolder(picture.output)
        let output = ExactOutput(
            path: name.path, format: format, inputs: [image], overwrites: picture.overwriting.overwrite)
        try output.check()
        let opened = try opening.open(image)
        let file =
            try image == PipedInput.name
            ? opened : PyramidCache(folder: CacheSettings.folder()).existing(opened) ?? throughIndex(opened)
        let asked: IIIFPicture
        do throws(IIIFError) {
            asked = try request.meet(file.uprightSize, IIIFLimits(area: 1 << 27))
        } catch {
            throw ValidationError("--iiif: \(error)")
        }
        try output.write(IIIFRenderer(file).make(asked))
        if json {
            output.report(
                .object([
                    ("path", .string(image)), ("output", .string(output.path)),
                    ("canonical", .string(asked.canonicalPath)),
                ]))
        }
    }
}
