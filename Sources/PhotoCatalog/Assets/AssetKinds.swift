/// What an asset is; as a filter, the assets that are any of these.
public struct AssetKinds: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A still picture of any format, screenshots included.
    public static let photo = AssetKinds(rawValue: 1)
    public static let video = AssetKinds(rawValue: 2)
    public static let jpeg = AssetKinds(rawValue: 4)
    public static let png = AssetKinds(rawValue: 8)
    public static let screenshot = AssetKinds(rawValue: 16)
    public static let all: AssetKinds = [.photo, .video, .jpeg, .png, .screenshot]
}
