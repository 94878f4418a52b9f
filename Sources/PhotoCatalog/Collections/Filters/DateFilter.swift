internal import ImageMetadata

/// The assets whose own wall clock shows a time between two others; undated ones are left out.
public struct DateFilter: Filter, Hashable {
    /// Nil for no bound.
    public let from: PartialDate?
    /// All that begins like it is included; nil for no bound.
    public let to: PartialDate?

    /// Days without a time count as midnight.
    public init(from: PartialDate?, to: PartialDate?) {
        self.from = from
        self.to = to
    }

    /// The same with texts: "2014-05", or as much of "2014-05-25T10:00:00" as matters.
    ///
    /// - Throws: `PartialDateError` where one is no date.
    public init(from: String?, to: String?) throws(PartialDateError) {
        self.from = if let from { try PartialDate(from) } else { nil }
        self.to = if let to { try PartialDate(to) } else { nil }
    }

    public func includes(_ asset: Asset) -> Bool {
        guard let date = asset.date?.local.description.utf8 else { return false }
        if let from = from?.description.utf8, date.lexicographicallyPrecedes(from) { return false }
        if let to = to?.description.utf8, to.lexicographicallyPrecedes(date.prefix(to.count)) { return false }
        return true
    }
}
