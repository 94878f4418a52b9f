package import AssetCatalog
package import Files
package import WorkReporting

extension PhotoLibrary {
    /// Looks for the bytes of all files of folders, files and archives in the library, whatever their kind is.
    ///
    /// Nothing is changed, except that the catalog remembers the checksums of the sources, if it can be written.
    ///
    /// - Parameters:
    ///   - sources: folders, files and ZIP archives outside of the library.
    ///   - trustsCatalog: whether files of the library that have kept their size and time are not read again.
    ///   - entryLimit: the most bytes of an entry of a ZIP archive; nil for 1,000 times its compressed size.
    ///   - scope: which entries of folders and archives are looked at; what systems keep beside photos is only counted by default.
    ///   - progress: receives the files that are read, of the sources and of the library.
    ///   - each: receives what is found of each file, folder by folder, one call at a time.
    /// - Throws: `LibraryError`; `CancellationError`.
    package func check(
        _ sources: [String], trustsCatalog: Bool = false, entryLimit: Int? = nil,
        scope: EntryScope = .hidden,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in },
        each: @escaping @Sendable (SourceReport.Finding) -> Void
    ) async throws -> SourceReport {
        let reporter = ProgressReporter(.files, progress)
        let report = try await BackgroundQueue.run(cancellably: { flag in
            var checker = SourceChecker(self, trustsCatalog: trustsCatalog, flag)
            return try checker.check(
                sources, entryLimit: entryLimit, scope, { reporter.report($0, of: $1) }, each)
        })
        reporter.finish()
        return report
    }
}
