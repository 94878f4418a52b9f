internal import Basics

/// Text that libvips draws with Pango.
package struct VipsText: Sendable {
    /// Pango's markup; `escaped` makes it of any text.
    package var markup: String
    /// A font by Pango's description, such as "Sans Bold 17"; 1 pt is 1 pixel at 72 dpi.
    package var font: String
    /// The width in pixels at which lines wrap; nil for no wrapping.
    package var width: Int?
    /// The alignment of lines by libvips' name: "low", "centre" or "high"; swapped in right-to-left paragraphs.
    package var alignment = "low"
    package var justifies = false
    /// Pixels per inch.
    package var resolution = 72
    /// Pixels between lines.
    package var spacing = 0
    /// Whether the image has the markup's colors and alpha instead of one band of coverage.
    package var isColored = false

    package init(_ markup: String, font: String) {
        self.markup = markup
        self.font = font
    }

    /// Whether this machine has fonts: without them, every character is an empty box of the same size.
    package static var hasFonts: Bool {
        get throws(VipsError) {
            let narrow = try VipsText("i", font: "Sans 40").drawn().image
            let wide = try VipsText("W", font: "Sans 40").drawn().image
            return (narrow.width, narrow.height) != (wide.width, wide.height)
        }
    }

    /// Returns text with the characters escaped that Pango reads as markup; zero bytes, which C cannot pass, are dropped.
    package static func escaped(_ text: String) -> String {
        Markup.escaped(text) { $0 == "\0" ? "" : nil }
    }

    /// Draws the ink of the text, and returns its distance from the corner of the layout.
    ///
    /// - Throws: `VipsError`, also where the text has no ink or is longer than 32,767 pixels.
    package func drawn() throws(VipsError) -> (image: VipsImage, x: Int, y: Int) {
        let text = try VipsOperation("text")
        try text.set("text", .string(markup))
        try text.set("font", .string(font))
        if let width { try text.set("width", .int(max(1, width))) }
        try text.set("align", .name(alignment))
        try text.set("justify", .bool(justifies))
        try text.set("dpi", .int(resolution))
        try text.set("spacing", .int(spacing))
        try text.set("rgba", .bool(isColored))
        // Before libvips 8.14 a word that is wider than the text reaches beyond it.
        if text.hasArgument("wrap") { try text.set("wrap", .name("word-char")) }
        let image = try text.image()
        return (image, image.offset.x, image.offset.y)
    }
}
