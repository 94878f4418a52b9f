/// Says which assets of a group a collection shows.
///
/// Standard filters are evaluated by the catalog; those of users are asked for every asset.
public protocol Filter: Sendable {
    func includes(_ asset: Asset) -> Bool
}

extension AssetKinds: Filter {
    /// Whether the asset is any of these.
    public func includes(_ asset: Asset) -> Bool { !isDisjoint(with: asset.kinds) }
}

extension Filter where Self == AssetKinds {
    public static var all: Self { AssetKinds.all }
    public static var photo: Self { AssetKinds.photo }
    public static var video: Self { AssetKinds.video }
    public static var jpeg: Self { AssetKinds.jpeg }
    public static var png: Self { AssetKinds.png }
    public static var screenshot: Self { AssetKinds.screenshot }
}
