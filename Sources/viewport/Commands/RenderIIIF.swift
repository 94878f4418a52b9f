#if CommandLine
import ArgumentParser
import Basics
import RemoteFiles
import TilePyramid
import ViewportGeometry
import ViewportRendering

/// `viewport render --iiif`: writes the file that `viewport serve` sends for the same request, byte for byte.
extension RenderCommand {
    func renderIIIF(_ text: String) async throws {
        let format = try format(of: request(text))
        let name = try OutputName(
            picture.output ?? (PipedInput.isPiped(image) ? "-" : nil), asked: (format, "--iiif"),
            default: "\(OutputName.stem(of: image)).viewport")
        try OutputName.makeFolder(picture.output)
        let output = ExactOutput(
            path: name.path, format: format, inputs: [image], overwrites: picture.overwriting.overwrite)
        try output.check()
        let file = try opening.open(image, through: caches)
        let asked = try resolved(text, file)
        try output.write(IIIFRenderer(file).renderSynchronously(asked))
        try storeNewIndex(of: file)
        if json {
            output.report(
                .object([
                    "path": .string(RemoteAddress.shown(image)), "output": .string(output.path),
                    "outputs": .outputs(output.path),
                    "canonical": .string(asked.canonicalPath),
                ]))
        }
    }

    /// Renders an open image for a batch.
    func renderedIIIF(
        _ text: String, _ file: ImageFile
    ) throws -> (bytes: [UInt8], size: PixelSize<OutputGrid>, isMarked: Bool) {
        let asked = try resolved(text, file)
        let quarters = asked.rotation.degrees / 90
        guard quarters == quarters.rounded() else {
            throw ValidationError("--iiif of a batch rotates by multiples of 90 degrees")
        }
        let isTurned = Int(quarters) % 2 == 1
        let size = PixelSize<OutputGrid>(
            width: isTurned ? asked.size.height : asked.size.width,
            height: isTurned ? asked.size.width : asked.size.height)
        return (try IIIFRenderer(file).renderSynchronously(asked), size, false)
    }

    func request(_ text: String) throws -> IIIFRequest {
        do throws(IIIFError) {
            return try IIIFRequest(parsing: text)
        } catch {
            throw ValidationError("--iiif: \(error)")
        }
    }

    func format(of request: IIIFRequest) throws -> PictureFormat {
        guard let format = PictureFormat(rawValue: request.format) else {
            throw ValidationError("--iiif: this libvips cannot write \(request.format)")
        }
        return format
    }

    private func resolved(_ text: String, _ file: ImageFile) throws -> IIIFPicture {
        let request = try request(text)
        do throws(IIIFError) {
            return try request.resolved(for: file.uprightSize, IIIFLimits(area: 1 << 27))
        } catch {
            throw ValidationError("--iiif: \(error)")
        }
    }
}
#endif
