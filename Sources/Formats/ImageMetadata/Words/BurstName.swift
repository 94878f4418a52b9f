/// The names that cameras give to the pictures of a burst.
enum BurstName {
    /// A form of names.
    private struct Form {
        /// The beginning of makers in lower case whose bursts alone have it, because others name single pictures so; nil for any.
        var maker: String?
        /// Returns what the pictures of a burst share.
        var identifier: @Sendable ([Substring]) -> String?
    }

    /// The forms, each by the parts of a name between underscores.
    private static let forms = [
        // "20231207_101605_001": Samsung (Aves; immich-go issue 99). Others number single pictures of one second so.
        Form(maker: "samsung") { parts in
            parts.count == 3 && [8, 6, 3] == parts.map(\.utf8.count) && parts.allSatisfy(isNumber)
                ? "\(parts[0])_\(parts[1])" : nil
        },
        // "DSCPDC_0003_BURST20180619163426901_COVER": Sony (Aves), 17 digits; "00001IMG_00001_BURST20181225094523123": Nexus and
        // Pixel (immich-go); "00001IMG_00001_BURST1723801037429_COVER": Nothing (immich-go issue 743), 13 digits, milliseconds.
        Form(maker: nil) { parts in
            burst(parts).flatMap { $0.digits.utf8.count >= 13 ? String($0.digits) : nil }
        },
        // "IMG_20140525_100000_BURST001" and "..._BURST001_COVER": Huawei (immich-go), Fairphone and Motorola (Aves), with any
        // number of digits behind BURST; LG and OnePlus write "Burst01".
        Form(maker: nil) { parts in
            burst(parts).flatMap { $0.index == 0 ? nil : parts[..<$0.index].joined(separator: "_") }
        },
    ]

    /// Returns what the pictures of a burst share, by the name without its extension; nil for other names.
    ///
    /// - Parameter make: the maker of the camera.
    static func identifier(in stem: String, make: String?) -> String? {
        let parts = stem.split(separator: "_", omittingEmptySubsequences: false)
        let maker = make?.lowercased() ?? ""
        for form in forms where form.maker.map(maker.hasPrefix) ?? true {
            if let identifier = form.identifier(parts) { return identifier }
        }
        return nil
    }

    /// The last part that begins with "BURST" and has only digits behind it.
    private static func burst(_ parts: [Substring]) -> (index: Int, digits: Substring)? {
        guard let index = parts.lastIndex(where: { $0.uppercased().hasPrefix("BURST") }) else { return nil }
        let digits = parts[index].dropFirst(5)
        return isNumber(digits) ? (index, digits) : nil
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
