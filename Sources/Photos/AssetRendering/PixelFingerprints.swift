public import AssetCatalog
internal import Digests
internal import LibraryMaintenance
internal import ViewportGeometry
internal import ViewportRendering
public import WorkReporting

extension PhotoLibrary {
    /// Decodes the photos that have no fingerprint yet, so that `duplicates` can compare pixels and appearance.
    ///
    /// Fingerprints are stored in the catalog by the checksum of the file. If the task is cancelled, finished ones are
    /// kept.
    ///
    /// - Parameter progress: receives the number of photos done, and of all.
    /// - Returns: the photos that could not be decoded.
    /// - Throws: `LibraryError`; `CancellationError`.
    @discardableResult
    public func makeFingerprints(
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> [IndexReport.Failure] {
        try await makeFingerprints(PixelFingerprints(), progress: progress)
    }
}

/// Makes fingerprints from upright sRGB pixels, both parts in one decode.
package struct PixelFingerprints: FingerprintMaker {
    package init() {}

    package func fingerprint(of path: String) throws -> Fingerprint {
        let file = try ImageFile.open(path)
        let whole = Rect<ImageSpace>(origin: .zero, size: file.uprightSize.imageSize)
        let small = PixelSize<OutputGrid>(
            width: DifferenceHash.size.width, height: DifferenceHash.size.height)
        var options = RenderOptions()
        // Transparent pixels become white, as on paper.
        options.background = Color(red: 1, green: 1, blue: 1)
        let looks = [Viewport(imageRect: whole, scale: 1), Viewport(imageRect: whole, size: small)]
        let pictures = try ViewportRenderer(options: options).renderBatch(looks, of: file)
        return Fingerprint(
            pixels: Self.digest(pictures[0]), difference: DifferenceHash(gray: Self.gray(pictures[1])))
    }

    private static func digest(_ picture: Picture) -> String {
        var hash = SHA256()
        hash.update(Array("\(picture.size.width)x\(picture.size.height)x\(picture.bands) ".utf8).span)
        hash.update(picture.bytes.span)
        return hash.finalize().hexadecimal
    }

    /// Returns the luma of every pixel.
    ///
    /// Source: ITU-R BT.601, as in most implementations of such hashes.
    private static func gray(_ picture: Picture) -> [UInt8] {
        stride(from: 0, to: picture.bytes.count, by: picture.bands).map { start in
            guard picture.bands >= 3 else { return picture.bytes[start] }
            let (red, green, blue) = (
                Int(picture.bytes[start]), Int(picture.bytes[start + 1]), Int(picture.bytes[start + 2])
            )
            return UInt8((299 * red + 587 * green + 114 * blue + 500) / 1000)
        }
    }
}
