internal import Files

/// How stacks are shown: raw and JPEG files, edited copies and their originals, and bursts.
public enum StackChoice: String, Hashable, Codable, Sendable, CaseIterable {
    /// A stack is one item, its cover.
    case cover
    /// A stack is one item, its cover, which the others follow.
    case all
    /// Each file is an item.
    case none

    /// Reads a word in any case; nil for an unknown one.
    package init?(word: String) { self.init(rawValue: word.lowercased()) }

    /// The title in a menu.
    package var title: String {
        switch self {
        case .cover: "One photo"
        case .all: "Cover, then others"
        case .none: "All files"
        }
    }
}

/// Hides the files behind the cover of their stack, where the cover itself is shown.
package struct CoverFilter: AssetFilter {
    /// What else decides which assets are shown.
    package let base: any AssetFilter
    /// The group whose assets are shown.
    package let group: AssetGroup.ID

    package init(base: any AssetFilter, group: AssetGroup.ID) { (self.base, self.group) = (base, group) }

    /// Whether the filter alone includes an asset, as if all covers were shown.
    package func includes(_ asset: Asset) -> Bool { base.includes(asset) && !asset.kinds.contains(.behind) }
}
