/// What `stack:` asks for.
package enum StackPlace {
    case any, cover, other, none
    /// In the stack of a cover.
    case of(Asset.ID)

    /// Reads a word in lower case, or a number; nil for anything else.
    init?(_ word: String) {
        switch word {
        case "any": self = .any
        case "cover": self = .cover
        case "other": self = .other
        case "none": self = .none
        default:
            guard let id = Int64(word), id > 0 else { return nil }
            self = .of(id)
        }
    }

    func includes(_ asset: Asset) -> Bool {
        switch self {
        case .any: asset.stack != nil
        case .cover: asset.stack == asset.id
        case .other: asset.stack != nil && asset.stack != asset.id
        case .none: asset.stack == nil
        case .of(let cover): asset.stack == cover || asset.id == cover
        }
    }
}
