internal import ImageMetadata
internal import PDFWriting
internal import PNGEncoding
package import Pictures
internal import ViewportGeometry
internal import ViewportRendering
internal import Vips

extension Page {
    /// Paints the page.
    ///
    /// - Throws: `RenderingError`, or `CancellationError` where the surrounding task is cancelled.
    package func picture(background: Color) throws -> Picture {
        try checkPixels()
        var canvas = PageCanvas(size: pixelSize, background: background)
        for part in parts {
            let rect = pixelRect(part.frame)
            switch part.content {
            case .space: break
            case .panel(let color): canvas.fill(rect, with: color)
            case .picture(let file, let mode, let area):
                if let shown = try shown(file, mode, area, in: rect) {
                    canvas.draw(shown.picture, x: rect.x + shown.x, y: rect.y + shown.y)
                }
            case .text(let text, let color):
                guard let ink = ink(text, in: part.frame) else { continue }
                canvas.fill(
                    mask: try ink.image.samples, width: ink.image.width, height: ink.image.height,
                    x: rect.x + ink.x, y: rect.y + ink.y, with: color)
            }
        }
        return canvas.picture
    }

    /// Checks that the page is not too large to paint.
    func checkPixels() throws(RenderingError) {
        let limit = RenderOptions().maximumPictureArea
        guard max(pixelSize.width, pixelSize.height) <= limit, pixelSize.area <= limit else {
            throw .pictureTooLarge(size: pixelSize, limit: limit)
        }
    }

    private func ink(_ text: TextDrawing, in frame: Rect<ViewSpace>) -> TextDrawing.Drawing? {
        guard frame.width > 0, frame.height > 0 else { return nil }
        // Half a pixel is rounding, and must not cost a line.
        return text.drawn(
            width: Self.pixels(frame.width, scale), height: Int(min(frame.height * scale + 0.5, 1e9)))
    }

    // MARK: Pictures

    /// Renders what a view shows of a picture, as `viewport render` does for the same size in pixels.
    ///
    /// - Returns: the picture and the distance of its corner from that of the view; nil if nothing is seen.
    private func shown(
        _ file: ImageFile, _ mode: ContentMode, _ area: Rect<ImageSpace>?, in rect: PixelRect<OutputGrid>
    ) throws -> (picture: Picture, x: Int, y: Int)? {
        guard !rect.size.isEmpty else { return nil }
        let bounds = Size<ViewSpace>(width: Double(rect.width) / scale, height: Double(rect.height) / scale)
        guard let area else { return (try render(file, .contentMode(mode, bounds: bounds)), 0, 0) }
        switch mode {
        case .scaleToFill, .redraw, .scaleAspectFill:
            return (try render(file, .rectInContentMode(.points(area), mode, bounds: bounds)), 0, 0)
        case .scaleAspectFit:
            let picture = try render(file, .fit(.points(area), width: bounds.width, height: bounds.height))
            return (
                picture, (rect.width - picture.size.width) / 2, (rect.height - picture.size.height) / 2
            )
        default:
            // Unscaled: the part of the rectangle that is in the view.
            let placed = mode.frame(of: area.size, in: bounds)
            let view = Rect<ViewSpace>(origin: .zero, size: bounds)
            guard let seen = placed.intersection(view) else { return nil }
            let part = Rect<ImageSpace>(
                x: area.minX + seen.minX - placed.minX, y: area.minY + seen.minY - placed.minY,
                width: seen.width, height: seen.height)
            let image = Rect<ImageSpace>(origin: .zero, size: file.uprightSize.imageSize)
            guard part.intersection(image) != nil else { return nil }
            let corner = pixelRect(Rect(origin: seen.origin, size: .zero))
            return (try render(file, .rect(.points(part), zoom: 1)), corner.x, corner.y)
        }
    }

    private func render(_ file: ImageFile, _ region: ViewportRequest.Region) throws -> Picture {
        var request = ViewportRequest(region)
        request.displayScale = scale
        guard let resolved = request.resolve(in: file.uprightSize.imageSize) else {
            throw RenderingError.outside(file: file.path, size: file.uprightSize)
        }
        var options = RenderOptions()
        options.allowsEmptyPicture = true
        return try ViewportRenderer(options: options).renderSynchronously(resolved.viewport, of: file).picture
    }

    // MARK: PDF

    /// Returns the page as a PDF: panels as rectangles, pictures as images, texts as images of their coverage with their words
    /// over them, which are not seen.
    ///
    /// The document says what is text and what is a picture, with its alternative text, and has a title. Colors are sRGB.
    ///
    /// - Parameters:
    ///   - quality: the quality of JPEGs; nil for the usual one.
    ///   - isLossless: whether opaque pictures are stored without loss instead of as JPEG.
    /// - Throws: `RenderingError`, or `CancellationError` where the surrounding task is cancelled.
    package func pdf(background: Color, quality: Int?, isLossless: Bool) throws -> [UInt8] {
        try checkPixels()
        var page = PDFPage(size: size)
        (page.title, page.producer, page.profile) = (title, "viewport", ICCProfile.sRGB)
        let whole = Rect<ViewSpace>(origin: .zero, size: size)
        page.add(.decoration, in: whole) { $0.fill(whole, with: background) }
        for part in parts {
            switch part.content {
            case .space: break
            case .panel(let color): page.add(.decoration, in: part.frame) { $0.fill(part.frame, with: color) }
            case .picture(let file, let mode, let area):
                let rect = pixelRect(part.frame)
                guard var shown = try shown(file, mode, area, in: rect) else { continue }
                if let part = shown.picture.opaquePart {
                    shown = (part.picture, shown.x + part.x, shown.y + part.y)
                }
                let image = try PDFImage(shown.picture, quality: quality, isLossless: isLossless)
                let place = points(
                    rect.x + shown.x, rect.y + shown.y, shown.picture.size.width, shown.picture.size.height)
                page.add(.figure(part.alternative), in: place) { $0.draw(image, in: place) }
            case .text(let text, let color):
                guard let ink = ink(text, in: part.frame) else { continue }
                let rect = pixelRect(part.frame)
                let image = try PDFImage(of: color, through: ink.image)
                let place = points(rect.x + ink.x, rect.y + ink.y, ink.image.width, ink.image.height)
                page.add(.paragraph, in: place) { page in
                    page.draw(image, in: place)
                    for word in text.placedWords(ink, width: Self.pixels(part.frame.width, scale)) {
                        page.addWords(
                            word.text,
                            in: Rect(
                                x: Double(rect.x + word.x) / scale, y: (Double(rect.y) + word.y) / scale,
                                width: Double(word.width) / scale, height: word.height / scale),
                            isRightToLeft: word.isRightToLeft)
                    }
                }
            }
        }
        return page.file
    }

    private func points(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Rect<ViewSpace> {
        Rect(
            x: Double(x) / scale, y: Double(y) / scale, width: Double(width) / scale,
            height: Double(height) / scale)
    }
}

extension Picture {
    /// The rectangle of opaque pixels in a picture that is transparent around it, as in a view of another shape.
    ///
    /// Nil for other pictures.
    fileprivate var opaquePart: (picture: Picture, x: Int, y: Int)? {
        guard hasAlpha, depth == 8 else { return nil }
        let pixels = 0..<size.area
        func alpha(_ pixel: Int) -> UInt8 { bytes[pixel * bands + bands - 1] }
        guard let first = pixels.first(where: { alpha($0) == 255 }),
            let last = pixels.last(where: { alpha($0) == 255 })
        else { return nil }
        let (left, right) = (first % size.width, last % size.width)
        let (top, bottom) = (first / size.width, last / size.width)
        guard left <= right else { return nil }
        var samples: [UInt8] = []
        samples.reserveCapacity((right - left + 1) * (bottom - top + 1) * 3)
        for pixel in pixels {
            let isInside = (left...right).contains(pixel % size.width) && (first...last).contains(pixel)
            guard alpha(pixel) == (isInside ? 255 : 0) else { return nil }
            guard isInside else { continue }
            for band in 0..<3 { samples.append(bytes[pixel * bands + (bands < 4 ? 0 : band)]) }
        }
        let part = PixelSize<OutputGrid>(width: right - left + 1, height: bottom - top + 1)
        return (Picture(size: part, bytes: samples, hasAlpha: false), left, top)
    }
}

extension PDFPage {
    fileprivate mutating func fill(_ rect: Rect<ViewSpace>, with color: Color) {
        guard color.alpha > 0, !rect.isEmpty else { return }
        fill(rect, red: color.red, green: color.green, blue: color.blue, opacity: color.alpha)
    }
}

extension PDFImage {
    fileprivate init(_ picture: Picture, quality: Int?, isLossless: Bool) throws {
        let (width, height) = (picture.size.width, picture.size.height)
        guard picture.hasAlpha else {
            let bytes =
                isLossless
                ? try Self.deflated(picture.bytes, width, height, channels: picture.bands)
                : try PictureEncoder(.jpg, quality: quality).encodeSynchronously(picture)
            self.init(
                Plane(
                    width: width, height: height, channels: picture.bands, isLossless ? .deflatedRows : .jpeg,
                    bytes))
            return
        }
        let colors = picture.bands - 1
        var (samples, alpha): ([UInt8], [UInt8]) = ([], [])
        for pixel in stride(from: 0, to: picture.bytes.count, by: picture.bands) {
            samples += picture.bytes[pixel..<(pixel + colors)]
            alpha.append(picture.bytes[pixel + colors])
        }
        self.init(
            Plane(
                width: width, height: height, channels: colors, .deflatedRows,
                try Self.deflated(samples, width, height, channels: colors)),
            opacity: Plane(
                width: width, height: height, channels: 1, .deflatedRows,
                try Self.deflated(alpha, width, height, channels: 1)))
    }

    /// A color that is seen through a mask.
    fileprivate init(of color: Color, through mask: VipsImage) throws {
        let ink = color.bytes
        let coverage = try mask.samples.map { UInt8((Int($0) * Int(ink[3]) + 127) / 255) }
        self.init(
            Plane(width: 1, height: 1, channels: 3, .plain, Array(ink.prefix(3))),
            opacity: Plane(
                width: mask.width, height: mask.height, channels: 1, .deflatedRows,
                try Self.deflated(coverage, mask.width, mask.height, channels: 1)))
    }

    private static func deflated(
        _ samples: [UInt8], _ width: Int, _ height: Int, channels: Int
    ) throws -> [UInt8] {
        do {
            return try PNGEncoder().zlibStream(
                of: samples.span,
                as: PNGFormat(width: width, height: height, channels: channels == 1 ? .gray : .rgb))
        } catch {
            guard !Task.isCancelled else { throw CancellationError() }
            throw RenderingError.cannotEncode(format: "pdf", detail: "\(error)")
        }
    }
}

extension VipsImage {
    /// The computed samples.
    fileprivate var samples: [UInt8] {
        get throws(RenderingError) {
            do throws(VipsError) {
                return try pixels().copied()
            } catch {
                throw .library(detail: error.log)
            }
        }
    }
}
