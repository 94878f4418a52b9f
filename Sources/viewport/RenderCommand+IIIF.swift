import ArgumentParser
import Files
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
        let output = PictureOutput(path: try picture.path(for: image))
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
