internal import ViewportGeometry
internal import ViewportRendering

/// What a size makes of a picture: its pixels, and the scale that brings them.
struct Fitting {
    /// Pixels of the thumbnail per upright pixel; nil where the axes are stretched apart.
    let scale: Double?
    let size: PixelSize<OutputGrid>

    init(_ size: PixelSize<OutputGrid>, scale: Double?) {
        self.size = size
        self.scale = scale
    }
}

extension ThumbnailSize {
    /// How a picture of a size is laid into the box.
    ///
    /// Sides are rounded to nearest and never below 1.
    func fitting(_ source: PixelSize<UprightGrid>, isCropped: Bool, upscale: Bool) -> Fitting {
        if rule == .exact, !isCropped, let width, let height {
            return Fitting(PixelSize(width: width, height: height), scale: nil)
        }
        let across = width.map { Double($0) / Double(source.width) }
        let down = height.map { Double($0) / Double(source.height) }
        let scales = [across, down].compactMap(\.self)
        let filling = (isCropped ? scales.max() : scales.min()) ?? 1
        let scale =
            switch rule {
            case .fit: upscale ? filling : min(filling, 1)
            case .exact: filling
            case .onlyEnlarging: max(filling, 1)
            case .onlyShrinking: min(filling, 1)
            }
        let whole = Viewport(imageRect: Rect(origin: .zero, size: source.imageSize), scale: scale).size
        guard isCropped else { return Fitting(whole, scale: scale) }
        let cut = PixelSize<OutputGrid>(
            width: min(whole.width, width ?? .max), height: min(whole.height, height ?? .max))
        return Fitting(cut, scale: scale)
    }
}
