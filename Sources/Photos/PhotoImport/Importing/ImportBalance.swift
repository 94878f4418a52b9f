internal import AssetCatalog
internal import Files

/// Checks that an import accounts for each file that it has found.
enum ImportBalance {
    /// Compares the files that were found with those of which it is known what becomes of them.
    ///
    /// A file is found twice if two of the sources hold it, and is in the plan twice if an archive has two entries of its
    /// name.
    ///
    /// - Throws: `LibraryError` of the kind `inconsistent` with the first file that is missing, or one too many.
    static func check(
        _ found: some Sequence<FilePath>, _ accounted: some Sequence<FilePath>
    ) throws(LibraryError) {
        var counts: [FilePath: (found: Int, accounted: Int)] = [:]
        for path in found { counts[path, default: (0, 0)].found += 1 }
        for path in accounted { counts[path, default: (0, 0)].accounted += 1 }
        let wrong = counts.filter { $1.accounted == 0 || $1.accounted > $1.found }
        guard let first = wrong.min(by: { $0.key < $1.key }) else { return }
        throw LibraryError(
            .unbalanced("\(first.key)", found: first.value.found, accounted: first.value.accounted))
    }

    /// Returns the numbers of those files that are the same file as another one of them.
    ///
    /// - Parameter file: returns the path of a file.
    static func shared(_ numbers: [Int], file: (Int) -> String?) -> [Int] {
        let files = Dictionary(grouping: numbers) { file($0).flatMap { FileIdentity($0) } }
        return files.flatMap { identity, numbers in identity != nil && numbers.count > 1 ? numbers : [] }
    }
}

extension ImportReport {
    /// Ends an import with an error if the outcomes are not those of all files of its plan.
    mutating func checkBalance(with plan: ImportPlan) {
        do {
            try ImportBalance.check(plan.items.map(\.source), files.map(\.source))
        } catch {
            stopped = stopped ?? error
        }
    }
}
