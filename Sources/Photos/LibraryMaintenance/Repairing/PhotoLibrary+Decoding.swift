internal import AssetCatalog
internal import Basics
internal import Files
internal import ImageMetadata

extension PhotoLibrary {
    /// Looks for photos that cannot be decoded, or only in part.
    ///
    /// The data of JPEGs is read without making pixels, on all processors.
    ///
    /// - Parameters:
    ///   - decode: decodes the picture of an asset in another format; returns why that is impossible.
    ///   - progress: receives the number of assets that are done, and of all.
    /// - Returns: what is wrong with the photos, by their paths.
    func undecodable(
        _ decode: @escaping @Sendable (Asset) async -> String?,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> [FilePath: String] {
        let ids = try await collection().snapshot().ids
        var found: [FilePath: String] = [:]
        for start in stride(from: 0, to: ids.count, by: 64) {
            let batch = try await assets(Array(ids[start...].prefix(64)))
            let flaws = try await BackgroundQueue.run(cancellably: { flag in
                let flaws = Processors.map(below: batch.count, until: flag) { index in
                    self.flaw(of: batch[index], flag)
                }
                if flag.isRaised { throw CancellationError() }
                return flaws
            })
            for (asset, flaw) in zip(batch, flaws) {
                if Task.isCancelled { throw CancellationError() }
                let isDecoded = flaw == nil && asset.isPhoto && !asset.format.isRaw && asset.format != .jpeg
                if let flaw = isDecoded ? await decode(asset) : flaw { found[asset.file] = flaw }
            }
            progress(min(ids.count, start + 64), ids.count)
        }
        return found
    }

    /// Files that are gone or cannot be read are found elsewhere.
    private func flaw(of asset: Asset, _ flag: CancellationFlag) -> String? {
        let found = try? InputFile.read(path(of: asset)) {
            FileFlaw.find($0, name: asset.name, readsData: true) { flag.isRaised }
        }
        return found ?? nil
    }
}
