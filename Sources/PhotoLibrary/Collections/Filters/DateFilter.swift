internal import ImageMetadata

/// The assets whose own wall clock shows a time between two others; undated ones are left out.
public struct DateFilter: Filter, Hashable {
    /// The beginning of "2014-05-25T10:00:00", as far as it matters; nil for no bound.
    public let from: String?
    /// The same; all that begins like it is included.
    public let to: String?

    /// Days without a time count as midnight.
    public init(from: String?, to: String?) {
        self.from = from
        self.to = to
    }

    public func includes(_ asset: Asset) -> Bool {
        guard let date = asset.date?.local.description.utf8 else { return false }
        if let from, date.lexicographicallyPrecedes(from.utf8) { return false }
        if let to, to.utf8.lexicographicallyPrecedes(date.prefix(to.utf8.count)) { return false }
        return true
    }
}
