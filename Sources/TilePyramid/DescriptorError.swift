/// Why a text describes no pyramid of tiles.
public enum DescriptorError: Error, Hashable, Sendable {
    /// The text breaks the rules of its language, at this byte.
    case syntax(offset: Int)
    /// A member, an attribute or an element is not there.
    case missing(String)
    /// A member or an attribute has a value that it cannot have.
    case badValue(name: String, value: String)
}

extension DescriptorError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .syntax(let offset): "the text breaks off or goes wrong at byte \(offset)"
        case .missing(let name): "\(name) is missing"
        case .badValue(let name, let value): "\(name) cannot be \"\(value)\""
        }
    }
}
