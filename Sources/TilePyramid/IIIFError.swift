/// Why a request for a part of an image cannot be answered, in one sentence.
public enum IIIFError: Error, Hashable, Sendable {
    /// It breaks the grammar, or what it asks for is not there: status 400.
    case badRequest(String)
    /// It asks for more than the server does: status 501.
    case notImplemented(String)

    /// A part of a request for a sentence: short, and without what could break out of it.
    static func quoted(_ text: some StringProtocol) -> String {
        let plain = text.unicodeScalars.prefix(60).map { scalar in
            (0x20..<0x7F).contains(scalar.value) && scalar != "<" && scalar != "&" ? String(scalar) : "?"
        }
        return "\"" + plain.joined() + (text.unicodeScalars.count > 60 ? "…" : "") + "\""
    }
}

extension IIIFError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .badRequest(let sentence), .notImplemented(let sentence): sentence
        }
    }
}
