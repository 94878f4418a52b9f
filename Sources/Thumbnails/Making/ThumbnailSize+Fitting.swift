internal import ViewportGeometry
internal import ViewportRendering

extension ThumbnailSize {
    /// How a picture of a size is laid into the box.
    ///
    /// Sides are rounded to nearest and never below 1.
    func fitting(_ source: PixelSize<UprightGrid>, crop: CropMode, upscale: Bool) -> Fitting {
        let whole = Rect<ImageSpace>(origin: .zero, size: source.imageSize)
        if rule == .exact, crop == .none, let width, let height {
            return Fitting(Viewport(imageRect: whole, size: PixelSize(width: width, height: height)))
        }
        let scale = scale(for: source, isFilled: crop != .none, upscale: upscale)
        let size = PixelSize<OutputGrid>(
            width: Self.pixels(source.width, scale), height: Self.pixels(source.height, scale))
        let filled = Viewport(imageRect: whole, size: size)
        let box = PixelSize<OutputGrid>(
            width: min(size.width, width ?? .max), height: min(size.height, height ?? .max))
        guard crop != .none, box != size else { return Fitting(filled) }
        guard let place = crop.place else { return Fitting(filled, box: box) }
        let part = Size<ImageSpace>(
            width: whole.width * Double(box.width) / Double(size.width),
            height: whole.height * Double(box.height) / Double(size.height))
        let corner = Point<ImageSpace>(
            x: (whole.width - part.width) * place, y: (whole.height - part.height) * place)
        return Fitting(Viewport(imageRect: Rect(origin: corner, size: part), size: box))
    }

    /// Pixels of the thumbnail per pixel of the picture.
    private func scale(for source: PixelSize<UprightGrid>, isFilled: Bool, upscale: Bool) -> Double {
        let across = width.map { Double($0) / Double(source.width) }
        let down = height.map { Double($0) / Double(source.height) }
        let scales = [across, down].compactMap(\.self)
        let wanted = (isFilled ? scales.max() : scales.min()) ?? 1
        return switch rule {
        case .fit: upscale ? wanted : min(wanted, 1)
        case .exact: wanted
        case .onlyEnlarging: max(wanted, 1)
        case .onlyShrinking: min(wanted, 1)
        }
    }

    private static func pixels(_ length: Int, _ scale: Double) -> Int {
        // Half a millionth: a box's own side must come out of it, also after two roundings of a Double.
        max(1, Int(min((Double(length) * scale + 5e-7).rounded(), 1e9)))
    }
}

/// What a size makes of a picture.
struct Fitting {
    /// The picture that is made.
    let viewport: Viewport
    /// The part of it that is shown, whose place its content decides; nil for all of it.
    let box: PixelSize<OutputGrid>?

    init(_ viewport: Viewport, box: PixelSize<OutputGrid>? = nil) {
        self.viewport = viewport
        self.box = box
    }

    /// Where the part that is shown lies; nil for all of the picture.
    ///
    /// - Parameter look: a small picture of the whole image, so that all sizes show the same part.
    func window(by crop: CropMode, in look: Picture) throws -> PixelRect<OutputGrid>? {
        guard let box else { return nil }
        let whole = viewport.size
        let part = PixelSize<OutputGrid>(
            width: Self.share(look.size.width, box.width, whole.width),
            height: Self.share(look.size.height, box.height, whole.height))
        let found = try look.mostInterestingRect(part, by: crop.rawValue)
        return PixelRect(
            x: Self.share(whole.width - box.width, found.x, look.size.width - part.width),
            y: Self.share(whole.height - box.height, found.y, look.size.height - part.height),
            width: box.width, height: box.height)
    }

    /// `length` times `part` by `whole`, rounded; 0 of nothing.
    private static func share(_ length: Int, _ part: Int, _ whole: Int) -> Int {
        whole == 0 ? 0 : Int((Double(length) * Double(part) / Double(whole)).rounded())
    }
}
