package import Pictures
internal import ViewportRendering

/// An error that prevents a page, with the line of the layout file that caused it.
package struct PageError: Error, Equatable, Sendable {
    /// The kind of an error, by which programs choose what to do.
    package enum Kind: Equatable, Sendable {
        /// The layout file cannot be read.
        case unreadable
        /// The layout file is not a layout.
        case invalid
        /// A picture cannot be opened or rendered.
        case picture(RenderingError)
        /// Text cannot be drawn: libvips has no Pango, or the machine has no fonts.
        case noText
        /// The page cannot be encoded, or has too many pixels.
        case page(RenderingError)
    }

    package var kind: Kind
    /// The layout file.
    package var file: String
    /// The line in the file, from 1; nil for errors of the whole page.
    package var line: Int?
    /// The view, or the block such as "portrait".
    package var part: String?
    /// The key in the view or block, such as "contentMode" or "constraints[2]".
    package var key: String?
    /// The cause, as a sentence without a period.
    package var reason: String
}

extension PageError {
    /// Creates the error for a page that cannot be painted or encoded.
    package init(painting error: RenderingError, of file: String) {
        self.init(kind: .page(error), file: file, reason: "\(error)")
    }
}

extension PageError: CustomStringConvertible {
    /// One sentence: "card.json, line 7: view photo: contentMode: "fill" is not a content mode".
    package var description: String {
        var parts = [line.map { "\(file), line \($0)" } ?? file]
        if let part { parts.append(part) }
        if let key { parts.append(key) }
        return (parts + [reason]).joined(separator: ": ")
    }

    /// The error as one word for programs, as in the results of a batch.
    package var code: String {
        switch kind {
        case .unreadable: "unreadable"
        case .invalid: "bad-layout"
        case .noText: "no-fonts"
        case .picture(.missing): "missing"
        case .picture: "bad-picture"
        case .page: "cannot-encode"
        }
    }
}
