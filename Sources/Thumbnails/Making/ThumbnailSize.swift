/// How large a thumbnail is to be, in vipsthumbnail's words: "256", "1024x768", "1024x", "x768", "256x256!".
///
/// Without a crop the whole picture fits into the box and keeps its proportions; with one the box is filled and
/// what stands out is cut off. Nothing is enlarged unless the size or the recipe asks for it.
public struct ThumbnailSize: Sendable, Hashable {
    /// What a size says beside its sides.
    public enum Rule: String, CaseIterable, Sendable {
        /// Pictures that are smaller stay as they are, unless the recipe enlarges.
        case fit = ""
        /// Exactly these pixels: the proportions give way, or the box is filled where it is cropped.
        case exact = "!"
        /// Only pictures that are smaller are changed, and enlarged.
        case onlyEnlarging = "<"
        /// Only pictures that are larger are changed, whatever the recipe says.
        case onlyShrinking = ">"
    }

    /// Pixels across; nil for as many as the proportions give.
    public let width: Int?
    /// Pixels down; nil for as many as the proportions give.
    public let height: Int?
    public let rule: Rule

    /// A box.
    ///
    /// - Precondition: both sides are in `range`.
    public init(width: Int, height: Int, _ rule: Rule = .fit) {
        precondition(Self.range.contains(width) && Self.range.contains(height), "a thumbnail has pixels")
        self.init(sides: (width, height), rule)
    }

    /// A square box.
    public init(_ side: Int) {
        self.init(width: side, height: side)
    }

    /// The lengths that a side may have; no JPEG holds more.
    public static let range = 1...65500

    init(sides: (width: Int?, height: Int?), _ rule: Rule) {
        width = sides.width
        height = sides.height
        self.rule = rule
    }
}
