internal import ImageMetadata
internal import ImageReading
internal import Resampling
internal import Vips

extension RenderOptions {
    /// Returns the light of a format's colors where pixels are averaged as light.
    func light(of format: SourcePixelFormat) -> LightTables? {
        guard isLinear, ["srgb", "rgb16", "b-w", "grey16"].contains(format.interpretation) else { return nil }
        let curve = format.profile.flatMap(ICCProfile.init)?.toneCurve ?? .sRGB
        return LightTables(for: format.layout.type) { curve($0) }
    }

    /// The minimum number of level pixels per pixel of the picture.
    var levelOversampling: Double { isLinear ? max(oversampling, 2) * 1.95 : oversampling }

    /// Returns whether pixels of a format already have the requested colors.
    func isFinal(_ format: SourcePixelFormat) -> Bool {
        guard depth == 8 else { return false }
        return switch colorMode {
        case .srgb: format.isPlainSRGB
        case .keep: format.isPlain
        case .p3: false
        }
    }
}

/// Converts the samples of a file to the colors that the options request.
struct ColorConversion {
    private let options: RenderOptions
    private let format: SourcePixelFormat
    private let profile: ICCProfile?

    init(_ options: RenderOptions, _ format: SourcePixelFormat) {
        self.options = options
        self.format = format
        profile = format.profile.flatMap(ICCProfile.init)
    }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        if options.colorMode == .keep, let kept = try keep(image) { return kept }
        if options.colorMode == .p3 { return try displayP3(image) }
        return try converted(image)
    }

    /// Converts to Display P3, from the embedded profile, or from sRGB where none fits the samples.
    private func displayP3(_ image: VipsImage) throws(VipsError) -> VipsImage {
        if let converted = try convertByProfile(image) { return try withDepth(converted) }
        let converted = try withoutProfile(image)
        let isDeep = converted.format == .uint16
        let isGray = converted.interpretation == (isDeep ? "grey16" : "b-w")
        let colors = isGray ? try converted.converted(to: isDeep ? "rgb16" : "srgb") : converted
        return try withoutAlpha(colors) { colors throws(VipsError) in
            try colors.transformed(toProfile: "p3", embedded: false, input: "srgb", depth: options.depth)
        }
    }

    /// Converts to sRGB, or to gray.
    private func converted(_ image: VipsImage) throws(VipsError) -> VipsImage {
        if let converted = try convertByProfile(image) { return try withDepth(converted) }
        return try withoutProfile(image)
    }

    /// Converts to sRGB, or to gray, from libvips' interpretation.
    private func withoutProfile(_ image: VipsImage) throws(VipsError) -> VipsImage {
        let labeled = try self.labeled(image)
        // 16 bits are kept until the end, so that nothing is rounded twice.
        let isDeep = options.depth == 16 && labeled.format != .uint8
        let isGray = labeled.bands - (labeled.hasAlpha ? 1 : 0) == 1
        if labeled.interpretation == "cmyk" {
            return try withoutAlpha(labeled) { colors throws(VipsError) in
                try colors.transformed(
                    toProfile: "srgb", embedded: false, input: "cmyk", depth: options.depth)
            }
        }
        if labeled.interpretation == "scrgb", labeled.hasAlpha {
            // libvips passes this alpha on as it is, too.
            return try withoutAlpha(labeled) { colors throws(VipsError) in try withoutProfile(colors) }
        }
        let space = isGray ? (isDeep ? "grey16" : "b-w") : (isDeep ? "rgb16" : "srgb")
        return try withDepth(labeled.interpretation == space ? labeled : labeled.converted(to: space))
    }

    /// Returns the pixels with their own values and profile; nil where these must be converted.
    private func keep(_ image: VipsImage) throws(VipsError) -> VipsImage? {
        switch image.interpretation {
        case "srgb", "rgb", "b-w", "rgb16", "grey16": try withDepth(image)
        case "cmyk" where options.keepsCMYK: try withDepth(image)
        default: nil
        }
    }

    /// Converts from the embedded profile to the target's; nil where no embedded profile fits the samples.
    private func convertByProfile(_ image: VipsImage) throws(VipsError) -> VipsImage? {
        guard let profile, !(profile.isSRGB && target == "srgb") else { return nil }
        let colors = image.bands - (image.hasAlpha ? 1 : 0)
        let expected = ["RGB": 3, "GRAY": 1, "CMYK": 4, "Lab": 3]
        guard expected[profile.colorSpace] == colors, image.format != .other else { return nil }
        if profile.highDynamicRange != nil { return try mapHighDynamicRange(image, profile) }
        // libvips takes floats for bytes; values above white are cut off, as by other programs.
        let image =
            image.format == .float32 && colors != 4 && profile.colorSpace != "Lab"
            ? try image.withWholeRange() : image
        // A profile that LittleCMS rejects is ignored.
        return try? withoutAlpha(image) { colors throws(VipsError) in
            try colors.transformed(
                toProfile: target, embedded: true, intent: profile.isPerceptual ? "perceptual" : "relative",
                depth: options.depth)
        }
    }

    /// Maps PQ and HLG to SDR.
    private func mapHighDynamicRange(
        _ image: VipsImage, _ profile: ICCProfile
    ) throws(VipsError) -> VipsImage? {
        let isP3 = options.colorMode == .p3
        guard let conversion = HDRConversion(profile, toPrimaries: isP3 ? 12 : 1, depth: options.depth),
            let colors = try conversion.converted(
                image.hasAlpha ? image.bands(0, count: image.bands - 1) : image)
        else { return nil }
        let mapped = try withoutAlpha(image) { _ throws(VipsError) in colors }
        guard isP3, profile.colorSpace == "RGB" else { return mapped }
        let displayP3 = CodedColors(primaries: 12, transfer: 13, matrix: 0, isFullRange: true)
        return try mapped.withoutMetadata(profile: displayP3.profile)
    }

    /// libvips' name of the target profile.
    private var target: String { options.colorMode == .p3 ? "p3" : "srgb" }

    /// Converts without alpha: libvips passes alpha through a profile without scaling it to the new depth.
    private func withoutAlpha(
        _ image: VipsImage, _ change: (VipsImage) throws(VipsError) -> VipsImage
    ) throws(VipsError) -> VipsImage {
        guard image.hasAlpha else { return try change(image) }
        let changed = try change(image.bands(0, count: image.bands - 1))
        let stored = try image.bands(image.bands - 1, count: 1)
        let alpha = try withDepth(image.format == .float32 ? stored.withWholeRange() : stored)
        return try changed.joined(alpha).relabelled(changed.interpretation)
    }

    /// Interprets bands by their number: one or two are gray, three and more begin with RGB.
    private func labeled(_ image: VipsImage) throws(VipsError) -> VipsImage {
        guard ["multiband", "rgb", "histogram", "fourier", "matrix"].contains(image.interpretation) else {
            return image
        }
        let isDeep = image.format == .uint16
        if image.bands <= 2 { return try image.relabelled(isDeep ? "grey16" : "b-w") }
        let colors = image.bands > 4 ? try image.bands(0, count: 3) : image
        return try colors.relabelled(isDeep ? "rgb16" : "srgb")
    }

    /// Converts to the requested depth; 255 becomes 65535.
    private func withDepth(_ image: VipsImage) throws(VipsError) -> VipsImage {
        switch (image.format, options.depth) {
        case (.uint8, 8), (.uint16, 16):
            return image
        case (.uint8, _):
            let isGray = image.interpretation == "b-w"
            let wide = try image.scaled(by: 257).cast(to: .uint16)
            return image.interpretation == "cmyk" ? wide : try wide.relabelled(isGray ? "grey16" : "rgb16")
        case (.uint16, _):
            let isGray = image.interpretation == "grey16"
            let narrow = try image.cast(to: .uint8, shift: true)
            return image.interpretation == "cmyk" ? narrow : try narrow.relabelled(isGray ? "b-w" : "srgb")
        default:
            return try withDepth(image.cast(to: .uint8))
        }
    }
}
