extension ThumbnailSize {
    /// Reads a size: `W`, `WxH`, `Wx` or `xH`, and after it nothing, `!`, `<` or `>`.
    ///
    /// - Throws: `ThumbnailError.badSize`.
    public init(_ text: String) throws(ThumbnailError) {
        var rest = text[...]
        let rule = text.last.flatMap { Rule(rawValue: String($0)) } ?? .fit
        if rule != .fit { rest.removeLast() }
        let parts = rest.split(separator: "x", omittingEmptySubsequences: false)
        let sides = try parts.map { part throws(ThumbnailError) in try Self.side(part, of: text) }
        switch sides.count {
        case 1: self.init(sides: (sides[0], sides[0]), rule)
        case 2: self.init(sides: (sides[0], sides[1]), rule)
        default: throw .badSize(text)
        }
        let isComplete = width != nil && height != nil
        guard isComplete || rule != .exact && (width ?? height) != nil else { throw .badSize(text) }
    }

    /// One side; nil where there are no digits.
    private static func side(_ text: Substring, of size: String) throws(ThumbnailError) -> Int? {
        guard !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let side = Int(text), range.contains(side)
        else { throw .badSize(size) }
        return side
    }
}

extension ThumbnailSize: CustomStringConvertible {
    /// The shortest text that is read as this size.
    public var description: String {
        let sides =
            width == height
            ? width.map(String.init) ?? ""
            : "\(width.map(String.init) ?? "")x\(height.map(String.init) ?? "")"
        return sides + rule.rawValue
    }
}
