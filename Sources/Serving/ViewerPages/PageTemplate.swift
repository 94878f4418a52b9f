internal import Basics
internal import Files

/// A text with placeholders: {{name}}.
package struct PageTemplate {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Replaces the placeholders with values; placeholders in values are not replaced.
    package func filled(_ values: [String: String]) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}")
        {
            result +=
                rest[..<open.lowerBound] + (values[String(rest[open.upperBound..<close.lowerBound])] ?? "")
            rest = rest[close.upperBound...]
        }
        return result + rest
    }

    /// Escapes a text for HTML and its attributes.
    package static func escaped(_ text: String) -> String {
        Markup.escaped(PathText.shown(text), in: .double) { $0 == "'" ? "&#39;" : nil }
    }
}
