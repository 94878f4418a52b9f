internal import Dispatch
internal import GRDB
internal import Synchronization

extension PhotoLibrary {
    /// Decodes the photos that have no fingerprint yet; those that could not be, with the reason.
    ///
    /// - Parameter progress: gets how many are done, and of how many.
    @discardableResult
    public func makeFingerprints(
        _ maker: some FingerprintMaker, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(LibraryError) -> [IndexReport.Failure] {
        let paths = try await catalog.read { database in
            // Files of the same bytes are decoded once.
            try String.fetchAll(
                database,
                sql: """
                    SELECT min(path) FROM asset LEFT JOIN fingerprint USING (sha256)
                    WHERE pixels IS NULL AND kinds & ? <> 0 GROUP BY sha256 ORDER BY 1
                    """, arguments: [AssetKinds.photo.rawValue])
        }
        var failures: [IndexReport.Failure] = []
        for start in stride(from: 0, to: paths.count, by: Self.fingerprintBatch) {
            if Task.isCancelled { throw .cancelled }
            let batch = Array(paths[start...].prefix(Self.fingerprintBatch))
            let made = try await BackgroundQueue.run { () throws(LibraryError) in
                self.fingerprints(of: batch, maker)
            }
            try await catalog.write { database in
                for case (let path, .success(let fingerprint)) in made {
                    try database.execute(
                        sql:
                            "INSERT OR REPLACE INTO fingerprint SELECT sha256, ?, ? FROM asset WHERE path = ?",
                        arguments: [
                            Hexadecimal.bytes(fingerprint.pixels),
                            Int64(bitPattern: fingerprint.difference.bits), path,
                        ])
                }
            }
            for case (let path, .failure(let reason)) in made {
                failures.append(IndexReport.Failure(path: path, reason: "\(reason)"))
            }
            progress(start + batch.count, paths.count)
        }
        return failures
    }

    /// Written together, so that little is lost when the process ends.
    private static var fingerprintBatch: Int { 64 }

    private func fingerprints(
        of paths: [String], _ maker: some FingerprintMaker
    ) -> [(path: String, result: Result<Fingerprint, any Error>)] {
        let results = Mutex([Result<Fingerprint, any Error>?](repeating: nil, count: paths.count))
        let next = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: Processors.count) { _ in
            while true {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < paths.count else { return }
                let result = Result { try maker.fingerprint(of: "\(root)/\(paths[index])") }
                results.withLock { $0[index] = result }
            }
        }
        return zip(paths, results.withLock { $0.compactMap(\.self) }).map { ($0, $1) }
    }
}
