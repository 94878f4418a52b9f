internal import Files
internal import ImageMetadata
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// One level of a file, read through a libvips region in strips from the top.
struct LoaderLevel: LevelReader {
    let file: OpenFile
    let level: PyramidLevel
    let image: VipsImage
    let isSequential: Bool

    var pixels: PixelKind {
        let type: SampleLayout.SampleType =
            switch image.format {
            case .uint8: .uint8
            case .uint16: .uint16
            case .float32, .other: .float32
            }
        return PixelKind(
            layout: SampleLayout(type: type, bands: image.bands, hasAlpha: image.hasAlpha),
            interpretation: image.interpretation, profile: image.blob("icc-profile-data"))
    }

    /// Strips of about a megabyte: large enough to be cheap, small enough to be forgotten.
    private func stripHeight(_ width: Int) -> Int {
        min(max(1 << 20 / max(1, width * image.bands * image.format.bytes), 16), 256)
    }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        try file.checkedRows { try readRows(rect, row) }
    }

    private func readRows(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        do {
            try image.withRegion { region in
                if isSequential { try skip(rect.y, region) }
                let height = stripHeight(isSequential ? image.width : rect.width)
                for y in stride(from: rect.y, to: rect.maxY, by: height) {
                    try checkCancellation()
                    let strip = PixelRect<StoredGrid>(
                        x: rect.x, y: y, width: rect.width, height: min(height, rect.maxY - y))
                    try region.prepare(strip)
                    for y in strip.y..<strip.maxY { try region.withRow(y, of: strip, row) }
                }
            }
        } catch let error as VipsError {
            throw RenderingError.damaged(
                file: file.path, detail: error.log.replacing(file.descriptorPath, with: file.path))
        }
    }

    /// Moves a sequential decoder down to a row and drops what it decodes on the way.
    ///
    /// Every row has to be decoded, but one column of it is enough to make that happen; a skip in one leap would
    /// make libvips keep all rows between.
    private func skip(_ rows: Int, _ region: borrowing VipsRegion) throws {
        let height = stripHeight(image.width)
        for y in stride(from: 0, to: rows, by: height) {
            try checkCancellation()
            try region.prepare(PixelRect(x: 0, y: y, width: 1, height: min(height, rows - y)))
        }
    }

    private func checkCancellation() throws {
        guard !Task.isCancelled else { throw CancellationError() }
    }
}

extension VipsImage {
    /// The image as samples that can be read: 8 or 16 bit or float, unpacked.
    func readable() throws(VipsError) -> VipsImage {
        let unpacked = coding == "labq" || coding == "rad" ? try converted(to: "srgb") : self
        guard unpacked.format == .other else { return unpacked }
        return try unpacked.cast(to: .float32)
    }
}
