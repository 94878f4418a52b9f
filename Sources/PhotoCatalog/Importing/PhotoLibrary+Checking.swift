internal import Files

extension PhotoLibrary {
    /// Reads files and compares them with what the catalog knows of their bytes; those that differ or are gone.
    ///
    /// A file that was written since it was indexed is left to `index`, and named as such.
    ///
    /// - Parameter progress: gets how many are done, and of how many.
    public func checkFiles(
        of assets: [Asset], progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(LibraryError) -> [IndexReport.Failure] {
        var failures: [IndexReport.Failure] = []
        for start in stride(from: 0, to: assets.count, by: 64) {
            if Task.isCancelled { throw .cancelled }
            let batch = Array(assets[start...].prefix(64))
            failures += try await BackgroundQueue.run { () throws(LibraryError) in
                batch.compactMap { asset in
                    self.fault(of: asset).map { IndexReport.Failure(path: asset.path, reason: $0) }
                }
            }
            progress(start + batch.count, assets.count)
        }
        return failures
    }

    private func fault(of asset: Asset) -> String? {
        guard let status = FileStatus(path(of: asset)) else { return "is gone; run `viewport library index`" }
        guard status.size == asset.bytes, status.modified == asset.modified else {
            return "was written since it was indexed; run `viewport library index`"
        }
        do {
            return try FileDigest.of(path(of: asset)) == asset.sha256
                ? nil
                : Asset.damage
        } catch {
            return error.description
        }
    }
}

extension Asset {
    /// What is wrong with a file of another checksum and the same size and time.
    static let damage =
        "has other bytes than when it was indexed, at the same time and size: restore it from a backup"
}
