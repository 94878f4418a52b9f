internal import AssetCatalog

/// Why the source of an import may be removed.
enum ImportProof: Sendable {
    /// Its bytes and those of the library's file were equal in these states.
    case compared(ImportPlan.Compared)
    /// This import has linked the file into the library.
    case linked
    /// It may not be removed.
    case none(String)

    static let isOneFile = "is the library's own file under another name; it stays"

    /// That of a copy that was verified.
    var digest: KnownDigest? { if case .compared(let compared) = self { compared.digest } else { nil } }
}
