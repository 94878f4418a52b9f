/// Why pixels could not be written as a PNG.
public enum PNGEncodingError: Error, Hashable, Sendable {
    /// A side is zero, negative or above 2^31 - 1, or the pixels would not fit into memory.
    case unsupportedSize(width: Int, height: Int)
    /// The pixels given are not as many bytes as the format says.
    case sizeMismatch(expected: Int, actual: Int)
    /// The profile is empty, or its name is not 1 to 79 printable Latin-1 characters.
    case invalidProfile
    /// libdeflate had no memory for its state.
    case outOfMemory
}

extension PNGEncodingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unsupportedSize(let width, let height):
            "a PNG cannot be \(width)x\(height): each side must be 1 to 2147483647 pixels"
        case .sizeMismatch(let expected, let actual):
            "the pixels are \(actual) bytes where the format needs \(expected)"
        case .invalidProfile:
            "the ICC profile is empty or its name is not 1 to 79 printable Latin-1 characters"
        case .outOfMemory:
            "not enough memory to compress the PNG"
        }
    }
}
