internal import Files
internal import GRDB

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
    var title: String {
        switch self {
        case .cover: "One photo"
        case .all: "Cover, then others"
        case .none: "All files"
        }
    }
}

/// Hides the files behind the cover of their stack, where the cover itself is shown.
struct CoverFilter: AssetFilter {
    /// What else decides which assets are shown.
    let base: any AssetFilter
    /// The group whose assets are shown.
    let group: AssetGroup.ID

    /// Whether the filter alone includes an asset, as if all covers were shown.
    func includes(_ asset: Asset) -> Bool { base.includes(asset) && !asset.kinds.contains(.behind) }
}

extension CoverFilter: CatalogFilter {
    /// The kinds where these alone, in the whole library, tell what is hidden: all covers are found if photos are.
    private var kinds: AssetKinds? {
        guard group == .all, let kinds = base as? AssetKinds, kinds.contains(.photo) || kinds == .video else {
            return nil
        }
        return kinds
    }

    private static let isInFront: SQL = "asset.kinds & \(AssetKinds.behind.rawValue) = 0"

    var condition: SQL? {
        if let kinds { return kinds.condition.map { "(\($0) AND \(Self.isInFront))" } }
        guard let base = (base as? any CatalogFilter)?.condition else { return nil }
        let isInGroup: SQL =
            switch group {
            case .all: "TRUE"
            case .folder(let id): "asset.folder = \(id)"
            case .album(let id):
                "EXISTS (SELECT 1 FROM albumAsset WHERE album = \(id) AND albumAsset.asset = member.stack)"
            }
        // The innermost rows named `asset` are covers, to which the other conditions apply.
        return """
            (\(base) AND (\(Self.isInFront) OR NOT EXISTS (SELECT 1 FROM asset AS member WHERE member.id = asset.id
                AND EXISTS (SELECT 1 FROM asset WHERE asset.id = member.stack AND \(isInGroup) AND \(base)))))
            """
    }

    var talliedCondition: SQL? { kinds == nil ? nil : condition }
    var asksOnlyForKinds: Bool { kinds != nil }
}
