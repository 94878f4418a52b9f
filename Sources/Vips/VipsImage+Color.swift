/// libvips' family *color*.
extension VipsImage {
    /// The same colors in another space, by libvips' nickname: "srgb", "rgb16", "b-w", "grey16", "lab".
    package func converted(to interpretation: String) throws(VipsError) -> VipsImage {
        let convert = try operation("colourspace")
        try convert.set("space", .name(interpretation))
        return try convert.image()
    }

    /// The colors of the embedded profile (or of `input`, a file or libvips' "srgb", "cmyk", "p3") in
    /// another profile's space, alpha carried along.
    ///
    /// - Parameters:
    ///   - intent: "relative" or "perceptual"; profiles of tables may have only the latter.
    ///   - depth: bits of a sample of the result, 8 or 16.
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
