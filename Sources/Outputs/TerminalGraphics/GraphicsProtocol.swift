/// A way to show pictures in a terminal.
package enum GraphicsProtocol: String, CaseIterable, Sendable {
    /// Kitty's graphics protocol, which Ghostty, Konsole and WezTerm have, too.
    case kitty
    /// ITerm2's inline images, which WezTerm, mintty and VS Code have, too.
    case iterm2
    /// DEC's sixels of a palette, which foot, mlterm, Windows Terminal, xterm and tmux have.
    case sixel
    /// Half blocks with a color above and one below, which every terminal with colors shows.
    case blocks
}

/// Colors and sizes that a terminal takes.
package struct TerminalAbilities: Hashable, Sendable {
    /// How it shows pictures.
    package var graphics: GraphicsProtocol
    /// The most colors of a sixel picture, from 2 to 256.
    package var sixelColors = 256
    /// Whether text has any color, and not only the 256 of xterm's table.
    package var hasTrueColor = true
    /// Whether control strings go to the terminal around tmux, which passes them on where `allow-passthrough` is set.
    package var isInTmux = false

    package init(_ graphics: GraphicsProtocol) { self.graphics = graphics }
}

/// The size of a cell of text in pixels.
package struct CellSize: Hashable, Sendable {
    package var width: Int
    package var height: Int

    /// Creates a size; nil for one that no font has, which some terminals report.
    package init?(width: Int, height: Int) {
        guard (2...400).contains(width), (4...800).contains(height) else { return nil }
        (self.width, self.height) = (width, height)
    }

    private init(_ width: Int, _ height: Int) { (self.width, self.height) = (width, height) }

    /// The size where a terminal does not tell its own.
    package static let usual = CellSize(10, 20)
    /// The pixels of a half block: one above the other.
    package static let block = CellSize(1, 2)
}
