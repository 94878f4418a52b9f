/// The name of a tile: its level, and its place in that level's grid from the top-left corner.
public struct TilePosition: Hashable, Sendable {
    /// The level; 0 is full resolution.
    public var level: Int
    public var column: Int
    public var row: Int

    public init(level: Int, column: Int, row: Int) {
        self.level = level
        self.column = column
        self.row = row
    }
}
