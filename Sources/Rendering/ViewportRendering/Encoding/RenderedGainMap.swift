internal import Files
public import ImageMetadata
internal import ViewportGeometry

/// A gain map that was cropped, scaled and turned as a picture was.
public struct RenderedGainMap: Sendable {
    /// The samples of the map: gray or color, 8 bits.
    public private(set) var picture: Picture
    /// The numbers that turn the samples into factors.
    public let values: GainMapValues

    /// Rotates the map as its picture was rotated by any angle; corners keep the brightness of the picture.
    package mutating func rotate(degrees: Double) throws(RenderingError) {
        picture = try picture.rotated(degrees: degrees, background: values.neutralColor)
    }
}

extension ImageFile {
    /// The gain map of the file, found by its structure without decoding it; nil where the file has none.
    public var gainMap: GainMap? {
        format == .jpeg || format == .heif ? GainMap(FileBytes(opened)) : nil
    }

    /// Opens the picture of a gain map of this file, turned as this file is.
    fileprivate func picture(of map: GainMap) throws(RenderingError) -> ImageFile {
        var options = OpenOptions()
        options.threads = self.options.threads
        switch map.place {
        case .jpeg(let range):
            options.appliesOrientation = false
            options.turn = orientation
            return try Self.open(OpenFile(range, of: opened), options)
        case .item(let id):
            options.appliesOrientation = self.options.appliesOrientation
            options.turn = self.options.turn
            return try Self.open(part(id, &options), options)
        }
    }

    /// Returns a HEIF file in memory with one item of this one.
    ///
    /// - Parameter options: gets the turn of the picture where the item has none of its own.
    private func part(_ id: Int, _ options: inout OpenOptions) throws(RenderingError) -> OpenFile {
        let bytes = FileBytes(opened)
        guard let items = HEIFItems(bytes), let item = items[id] else {
            throw .gainMap(file: path, reason: "its item is missing")
        }
        if item.orientation == .up, options.appliesOrientation,
            let main = items.primary.flatMap({ items[$0] })
        {
            options.turn = main.orientation.followed(by: options.turn)
        }
        do throws(HEIFPart.Problem) {
            let part: [UInt8]
            if let grid = items.grid(of: item, in: bytes), let size = items[grid.tiles[0]]?.codedSize {
                part = try HEIFPart.tiles(
                    rows: 0..<grid.rows, columns: 0..<grid.columns, of: grid, alpha: nil, tileSize: size,
                    items: items, in: opened)
            } else {
                part = try HEIFPart.picture(item, colors: nil, of: items, in: opened)
            }
            do throws(FileError) {
                return try OpenFile(bytes: part, name: path)
            } catch {
                throw HEIFPart.Problem.file(error)
            }
        } catch {
            switch error {
            case .unusable: throw .gainMap(file: path, reason: "its item is damaged")
            case .file(let error): throw RenderingError(error, file: path)
            }
        }
    }
}

extension ViewportRenderer {
    /// Renders the gain map of a file for a viewport of its picture; returns nil where the file has none.
    ///
    /// The map keeps its resolution relative to the picture. Outside of the image it leaves the background as it is.
    /// Apple's maps become maps of Ultra HDR. Blocks the calling thread.
    ///
    /// - Throws: `RenderingError.gainMap` where the map is incomplete, lacks numbers or belongs to an HDR picture;
    ///   `CancellationError`.
    public func renderGainMap(_ viewport: Viewport, of file: ImageFile) throws -> RenderedGainMap? {
        guard let map = file.gainMap else { return nil }
        guard let values = map.values, map.defect == nil else {
            throw RenderingError.gainMap(file: file.path, reason: map.defect ?? "its numbers are missing")
        }
        guard !values.isBaseHDR else {
            throw RenderingError.gainMap(
                file: file.path, reason: "its picture is HDR, and Ultra HDR requires an SDR picture")
        }
        guard values.alternateHeadroom > values.baseHeadroom else {
            throw RenderingError.gainMap(
                file: file.path, reason: "its headroom is 1, so that it changes nothing")
        }
        let image = try file.picture(of: map)
        var renderer = self
        renderer.options.colorMode = .keep
        renderer.options.keepsCMYK = false
        renderer.options.depth = 8
        // Other kernels overshoot, which would make bright edges brighter than the HDR picture.
        renderer.options.kernel = options.kernel == .nearest ? .nearest : .linear
        renderer.options.background = values.neutralColor
        renderer.options.allowsEmptyPicture = true
        let (made, _) = try renderer.renderSynchronously(
            viewport.scaled(from: file.uprightSize, to: image.uprightSize), of: image)
        guard made.bands == 1 || made.bands == 3, made.depth == 8 else {
            throw RenderingError.gainMap(file: file.path, reason: "it is neither gray nor RGB")
        }
        // Apple's map is gray, whatever its decoder makes of it.
        let samples = map.kind == .apple ? made.firstBand(through: values.appleSamples) : made.bytes
        let bands = map.kind == .apple ? 1 : made.bands
        // Its samples are no colors: a profile has no meaning.
        let picture = Picture(
            size: made.size, bands: bands, depth: 8, hasAlpha: false, profile: nil,
            interpretation: bands == 1 ? "b-w" : "srgb", bytes: samples)
        return RenderedGainMap(picture: picture, values: values)
    }
}

extension Picture {
    /// Returns the first band of all pixels, each sample replaced by that of a table.
    fileprivate func firstBand(through table: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: bands).map { table[Int(bytes[$0])] }
    }
}

extension Viewport {
    /// Returns the viewport of another image that shows the same at another resolution, at most at this one's.
    fileprivate func scaled(
        from size: PixelSize<UprightGrid>, to other: PixelSize<UprightGrid>
    ) -> Viewport {
        let (x, y) = (
            Double(other.width) / Double(size.width), Double(other.height) / Double(size.height)
        )
        return Viewport(
            imageRect: Rect(
                x: imageRect.minX * x, y: imageRect.minY * y, width: imageRect.width * x,
                height: imageRect.height * y),
            size: PixelSize(
                width: min(Self.pixels(Double(self.size.width) * x), self.size.width),
                height: min(Self.pixels(Double(self.size.height) * y), self.size.height)),
            isSubpixel: true)
    }

    /// Returns the viewport of a part of its picture.
    package func part(_ rect: PixelRect<OutputGrid>) -> Viewport {
        let (x, y) = (imageRect.width / Double(size.width), imageRect.height / Double(size.height))
        return Viewport(
            imageRect: Rect(
                x: imageRect.minX + Double(rect.x) * x, y: imageRect.minY + Double(rect.y) * y,
                width: Double(rect.width) * x, height: Double(rect.height) * y),
            size: rect.size, isSubpixel: isSubpixel)
    }
}

extension GainMapValues {
    /// The color of samples that leave the picture as it is.
    fileprivate var neutralColor: Color { Color(red: neutral.x, green: neutral.y, blue: neutral.z) }
}
