private import Files
internal import HTTPTypes

/// A text with places to fill in: {{name}}.
package struct PageTemplate {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Filled once, from the front: what is filled in is not looked at again.
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

    /// A text that stands for itself in HTML, in quotes as well.
    package static func escaped(_ text: String) -> String {
        PathText.shown(text).reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
    }
}

extension Reply {
    /// A page that loads nothing from elsewhere and is framed by nobody.
    package static func page(_ html: String) -> Reply {
        var reply = Reply(text: html, "text/html; charset=utf-8")
        reply.headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; "
            + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        reply.headers[HTTPField.Name("Referrer-Policy")!] = "no-referrer"
        reply.headers[HTTPField.Name("X-Frame-Options")!] = "DENY"
        reply.headers[.cacheControl] = "no-cache"
        return reply
    }
}
