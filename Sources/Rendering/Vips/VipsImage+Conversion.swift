package import ViewportGeometry

/// libvips' family *conversion*: pixels moved, joined or cast.
extension VipsImage {
    /// Returns the pixels of `rect`.
    package func cropped(to rect: PixelRect<StoredGrid>) throws(VipsError) -> VipsImage {
        let crop = try VipsOperation("extract_area")
        try crop.set("input", .image(self))
        try crop.set("left", .int(rect.x))
        try crop.set("top", .int(rect.y))
        try crop.set("width", .int(rect.width))
        try crop.set("height", .int(rect.height))
        return try crop.image()
    }

    /// Returns the corner of the most interesting part of a size, by one of libvips' measures, such as "attention".
    package func interestingPlace(
        width: Int, height: Int, by interest: String
    ) throws(VipsError) -> (x: Int, y: Int) {
        let crop = try VipsOperation("smartcrop")
        try crop.set("input", .image(self))
        try crop.set("width", .int(width))
        try crop.set("height", .int(height))
        try crop.set("interesting", .name(interest))
        let part = try crop.image()
        // The offset of a part is that of the image's corner from its own.
        return (x: -part.offset.x, y: -part.offset.y)
    }

    /// Returns the image upright, given that it is stored in `orientation`.
    package func turned(_ orientation: Orientation) throws(VipsError) -> VipsImage {
        switch orientation {
        case .up: self
        case .upMirrored: try flipped("horizontal")
        case .down: try rotated("d180")
        case .downMirrored: try flipped("vertical")
        case .leftMirrored: try rotated("d90").flipped("horizontal")
        case .right: try rotated("d90")
        case .rightMirrored: try rotated("d270").flipped("horizontal")
        case .left: try rotated("d270")
        }
    }

    /// Returns the image turned upright by its orientation.
    package func autorotated() throws(VipsError) -> VipsImage { try operation("autorot").image() }

    private func rotated(_ angle: String) throws(VipsError) -> VipsImage {
        let rot = try operation("rot")
        try rot.set("angle", .name(angle))
        return try rot.image()
    }

    /// Returns the image rotated clockwise by any angle, on a larger canvas with `background` in the corners.
    package func rotated(degrees: Double, background: [Double]) throws(VipsError) -> VipsImage {
        let rotate = try operation("rotate")
        try rotate.set("angle", .double(degrees))
        try rotate.set("background", .doubles(background))
        return try rotate.image()
    }

    private func flipped(_ direction: String) throws(VipsError) -> VipsImage {
        let flip = try operation("flip")
        try flip.set("direction", .name(direction))
        return try flip.image()
    }

    /// Returns the samples in another type; `shift` scales between 8 and 16 bits.
    package func cast(to format: SampleFormat, shift: Bool = false) throws(VipsError) -> VipsImage {
        let cast = try operation("cast")
        try cast.set("format", .name(format.nick))
        try cast.set("shift", .bool(shift))
        return try cast.image()
    }

    /// Returns `count` bands from `first` on.
    package func bands(_ first: Int, count: Int) throws(VipsError) -> VipsImage {
        let extract = try operation("extract_band")
        try extract.set("band", .int(first))
        try extract.set("n", .int(count))
        return try extract.image()
    }

    /// Appends a band of a constant.
    package func joined(constant: Double) throws(VipsError) -> VipsImage {
        let join = try operation("bandjoin_const")
        try join.set("c", .doubles([constant]))
        return try join.image()
    }

    /// Returns the bands of this image followed by those of another.
    package func joined(_ other: VipsImage) throws(VipsError) -> VipsImage {
        let join = try VipsOperation("bandjoin")
        try join.set("in", .images([self, other]))
        return try join.image()
    }

    /// Returns images of one size stacked vertically.
    package static func column(of images: [VipsImage]) throws(VipsError) -> VipsImage {
        let join = try VipsOperation("arrayjoin")
        try join.set("in", .images(images))
        try join.set("across", .int(1))
        return try join.image()
    }

    /// Returns the image at a position of a larger canvas, surrounded by `background`, one value per band.
    package func embedded(
        x: Int, y: Int, width: Int, height: Int, background: [Double]
    ) throws(VipsError) -> VipsImage {
        let embed = try operation("embed")
        try embed.set("x", .int(x))
        try embed.set("y", .int(y))
        try embed.set("width", .int(width))
        try embed.set("height", .int(height))
        try embed.set("extend", .name("background"))
        try embed.set("background", .doubles(background))
        return try embed.image()
    }

    /// Returns the image without alpha, over `background`, whose values have the range of the samples.
    package func flattened(background: [Double], maximumAlpha: Double) throws(VipsError) -> VipsImage {
        let flatten = try operation("flatten")
        try flatten.set("background", .doubles(background))
        try flatten.set("max_alpha", .double(maximumAlpha))
        return try flatten.image()
    }

    /// Returns an image of the same size and kind with one color, a value per band.
    package func filled(_ color: [Double]) throws(VipsError) -> VipsImage {
        let fill = try operation("linear")
        try fill.set("a", .doubles([0]))
        try fill.set("b", .doubles(color))
        return try fill.image().cast(to: format).relabelled(interpretation)
    }

    /// Returns the image composed over another of the same size; both have alpha last.
    package func over(_ base: VipsImage) throws(VipsError) -> VipsImage {
        let composite = try VipsOperation("composite2")
        try composite.set("base", .image(base))
        try composite.set("overlay", .image(self))
        try composite.set("mode", .name("over"))
        return try composite.image().cast(to: format)
    }

    /// Returns the samples multiplied by a factor, as floats.
    package func scaled(by factor: Double) throws(VipsError) -> VipsImage {
        let linear = try operation("linear")
        try linear.set("a", .doubles([factor]))
        try linear.set("b", .doubles([0]))
        return try linear.image()
    }

    /// Returns floats from 0 to 1 as samples of 16 bits; others are cut off.
    package func withWholeRange() throws(VipsError) -> VipsImage {
        let linear = try operation("linear")
        try linear.set("a", .doubles([65535]))
        // A cast rounds down.
        try linear.set("b", .doubles([0.5]))
        let isGray = bands - (hasAlpha ? 1 : 0) == 1
        return try linear.image().cast(to: .uint16).relabelled(isGray ? "grey16" : "rgb16")
    }

    /// Returns the samples with another interpretation.
    package func relabelled(_ interpretation: String) throws(VipsError) -> VipsImage {
        let copy = try operation("copy")
        try copy.set("interpretation", .name(interpretation))
        return try copy.image()
    }
}

/// libvips' family *color*.
extension VipsImage {
    /// The greatest alpha of light in the installed libvips: 255 before version 8.15, then 1.
    private static let opaqueLight: Double = {
        // Bytes have no padding that could be read.
        let one = unsafe withUnsafeBytes(of: Float(1)) { unsafe Array($0) }
        let pixel = try? VipsImage.pixels(
            one + one + one + one, width: 1, height: 1, bands: 4, format: .float32, interpretation: "scrgb")
        return (try? pixel?.converted(to: "srgb").pixels().copied().last) == 255 ? 1 : 255
    }()

    /// Returns light with alpha from 0 to 1, whatever the installed libvips takes for opaque.
    package func withAlphaFromZeroToOne() throws(VipsError) -> VipsImage {
        guard interpretation == "scrgb", hasAlpha, Self.opaqueLight != 1 else { return self }
        let alpha = try bands(bands - 1, count: 1).scaled(by: 1 / Self.opaqueLight)
        return try bands(0, count: bands - 1).joined(alpha).relabelled(interpretation)
    }

    /// Converts to another color space, by libvips' nickname: "srgb", "rgb16", "b-w", "grey16", "lab".
    package func converted(to interpretation: String) throws(VipsError) -> VipsImage {
        let convert = try operation("colourspace")
        try convert.set("space", .name(interpretation))
        return try convert.image()
    }

    /// Returns the image in sRGB by its embedded profile, with its alpha and its depth, and without the profile.
    package func convertedToSRGB() throws(VipsError) -> VipsImage {
        let depth = format == .uint16 ? 16 : 8
        guard hasAlpha else {
            return try transformed(toProfile: "srgb", embedded: true, depth: depth).withoutMetadata()
        }
        // libvips passes alpha through a profile without scaling it.
        let colors = try bands(0, count: bands - 1)
            .transformed(toProfile: "srgb", embedded: true, depth: depth)
        // Alpha has the profile, too.
        return try colors.joined(bands(bands - 1, count: 1)).relabelled(colors.interpretation)
            .withoutMetadata()
    }

    /// Converts from the embedded profile (or from `input`, a file or libvips' "srgb", "cmyk", "p3") to
    /// another profile; alpha is kept.
    ///
    /// - Parameters:
    ///   - intent: "relative" or "perceptual"; table-based profiles may support only the latter.
    ///   - depth: the bits per sample of the result, 8 or 16.
    package func transformed(
        toProfile output: String, embedded: Bool, input: String? = nil, intent: String = "relative",
        depth: Int
    ) throws(VipsError) -> VipsImage {
        let transform = try operation("icc_transform")
        try transform.set("output_profile", .string(output))
        try transform.set("embedded", .bool(embedded))
        if let input { try transform.set("input_profile", .string(input)) }
        try transform.set("intent", .name(intent))
        try transform.set("depth", .int(depth))
        return try transform.image()
    }
}
