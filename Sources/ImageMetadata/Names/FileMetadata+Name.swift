extension FileMetadata {
    /// Reads what cameras, phones and programs write into the names of files.
    mutating func readName(_ name: String) {
        let parts = name.split(separator: ".")
        let base = parts.dropLast().joined(separator: ".")
        // Behind the last point of "2014-05-25 10.00.00" are seconds.
        let hasExtension = !base.isEmpty && parts.last?.utf8.allSatisfy(\.isDigit) == false
        let stem = hasExtension ? base : name
        offer(NamedDate.find(in: stem))
        isScreenshot = isScreenshot || (kind == .photo && ScreenshotName.matches(stem))
        if kind == .photo { burstIdentifier = burstIdentifier ?? BurstName.identifier(in: stem) }
    }
}

/// Names of pictures of a screen, as systems give them.
private enum ScreenshotName {
    /// In lower case: Android, iOS, Windows, GNOME; macOS and GNOME in some languages.
    private static let beginnings = [
        "screenshot", "screen shot", "bildschirmfoto", "capture d’écran", "capture d'écran",
        "captura de pantalla", "captura de tela", "schermata", "schermafbeelding", "skärmavbild",
        "skjermbilde",
        "снимок экрана", "zrzut ekranu", "スクリーンショット", "屏幕截图", "截屏",
    ]

    static func matches(_ stem: String) -> Bool {
        let lower = stem.lowercased()
        return beginnings.contains { lower.hasPrefix($0) } || lower.hasSuffix("_screenshot")
    }
}

/// Names of the pictures of a burst.
private enum BurstName {
    /// "IMG_20140525_100000_BURST001" belongs to "IMG_20140525_100000";
    /// "00003IMG_00003_BURST20181225094523123_COVER" to "20181225094523123".
    static func identifier(in stem: String) -> String? {
        let parts = stem.split(separator: "_", omittingEmptySubsequences: false)
        guard let index = parts.lastIndex(where: { $0.hasPrefix("BURST") }) else { return nil }
        let digits = parts[index].dropFirst(5)
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        if digits.utf8.count >= 14 { return String(digits) }
        return index == 0 ? nil : parts[..<index].joined(separator: "_")
    }
}
