/// Texts in XML, HTML and other markup.
package enum Markup {
    /// The quotation marks around an attribute, in which they are escaped.
    package enum Quotes: Sendable {
        case none, double, single
    }

    /// Escapes `&`, `<` and `>`, and the quotation marks around an attribute.
    ///
    /// - Parameter other: returns what stands for a scalar instead of itself; nil for itself.
    package static func escaped(
        _ text: String, in quotes: Quotes = .none, other: (Unicode.Scalar) -> String? = { _ in nil }
    ) -> String {
        var result = ""
        // Scalars, not characters: one of these may have a combining mark.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"" where quotes == .double: result += "&quot;"
            case "'" where quotes == .single: result += "&apos;"
            default:
                if let replacement = other(scalar) {
                    result += replacement
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }
}

extension StringProtocol {
    /// The text without characters at its ends that satisfy a condition, by default white space.
    package func trimmed(_ isOmitted: (Character) -> Bool = \.isWhitespace) -> SubSequence {
        let start = drop(while: isOmitted)
        return start.lastIndex { !isOmitted($0) }.map { start[...$0] } ?? start
    }
}
