internal import HTTPTypes

/// Takes the path of a IIIF request apart: whose image, and what of it.
///
/// Identifiers have their slashes as %2F; those of proxies that decode them are understood as well.
enum IIIFAddressing: Equatable {
    case information(identifier: String)
    case picture(identifier: String, region: String, size: String, rotation: String, file: String)
    /// The image itself, whose information is elsewhere.
    case image(identifier: String)

    /// - Parameter parts: what follows the version in the path, not decoded.
    /// - Throws: `Failure` where it is no address.
    init(_ parts: ArraySlice<Substring>) throws(Failure) {
        guard let last = parts.last, !last.isEmpty else { throw Failure.notFound }
        if parts.count >= 2, last == "info.json" {
            self = .information(identifier: try Self.identifier(parts.dropLast()))
        } else if parts.count >= 5 {
            var texts: [String] = []
            for part in parts.suffix(4) {
                guard let text = PercentCoding.decode(part) else { throw Self.broken }
                texts.append(text)
            }
            self = .picture(
                identifier: try Self.identifier(parts.dropLast(4)), region: texts[0], size: texts[1],
                rotation: texts[2], file: texts[3])
        } else {
            self = .image(identifier: try Self.identifier(parts))
        }
    }

    private static let broken = Failure(.badRequest, "the address has a % that begins no encoded byte")

    static func identifier(_ parts: ArraySlice<Substring>) throws(Failure) -> String {
        guard let identifier = PercentCoding.decode(parts.joined(separator: "/")) else { throw broken }
        return identifier
    }
}
