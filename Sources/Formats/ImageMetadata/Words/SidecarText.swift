internal import Basics

/// Why an XMP sidecar is not read or not edited.
package enum SidecarFault: Error, Equatable, Sendable {
    case empty
    /// It has more than `mostBytes`.
    case tooLarge
    /// Its XML declaration names an encoding that is not read.
    case encoding(String)
    /// Its bytes are not what this encoding allows.
    case notText(encoding: String)
    /// It is not XML from this byte on.
    case notXML(offset: Int)
    /// Its XML ends before all elements are closed.
    case cut
    /// It has no `rdf:RDF`.
    case notXMP
    /// It states a property in a form that cannot be edited without changing something else.
    case form(property: String)

    /// The greatest size of a sidecar that is read.
    package static let mostBytes = 1 << 26
}

extension SidecarFault: CustomStringConvertible {
    /// The end of a sentence whose subject is the sidecar.
    package var description: String {
        switch self {
        case .empty: "is empty"
        case .tooLarge: "has more than \(Self.mostBytes >> 20) MiB"
        case .encoding(let name): "is in \(name), and only UTF-8 and UTF-16 are read"
        case .notText(let encoding): "is not valid \(encoding)"
        case .notXML(let offset): "is not valid XML at byte \(offset)"
        case .cut: "is cut off"
        case .notXMP: "is not XMP"
        case .form(let property): "states \(property) in a form that cannot be edited"
        }
    }

    /// The end of a sentence whose subject is the photo of the sidecar at a path, with the remedy.
    package func reason(of path: String) -> String {
        let remedy =
            if case .form = self { "edit it with the program that wrote it" } else { "repair or remove it" }
        return "its sidecar \(path) \(self); \(remedy)"
    }
}

/// The text of a sidecar in UTF-8, which is written back in the sidecar's encoding.
///
/// A byte-order mark stays in the text. Source: XML 1.0, appendix F.
struct SidecarText {
    private enum Encoding {
        case utf8
        case utf16(isLittle: Bool)
    }

    let utf8: [UInt8]
    private let encoding: Encoding

    init(_ bytes: [UInt8]) throws(SidecarFault) {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= SidecarFault.mostBytes else { throw .tooLarge }
        encoding = Self.encoding(of: bytes)
        switch encoding {
        case .utf8:
            guard String(validating: bytes, as: UTF8.self) != nil else { throw .notText(encoding: "UTF-8") }
            utf8 = bytes
            let name = declaredEncoding?.uppercased() ?? "UTF-8"
            // Programs that convert their text at the end declare UTF-16, but write UTF-8.
            guard ["UTF-8", "UTF8", "US-ASCII", "ASCII"].contains(name) || name.hasPrefix("UTF-16") else {
                throw .encoding(name)
            }
        case .utf16(let isLittle):
            let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
                let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
                return isLittle ? second << 8 | first : first << 8 | second
            }
            guard bytes.count % 2 == 0, let text = String(validating: units, as: UTF16.self) else {
                throw .notText(encoding: "UTF-16")
            }
            utf8 = Array(text.utf8)
        }
    }

    private static func encoding(of bytes: [UInt8]) -> Encoding {
        switch bytes.prefix(4) {
        case let start where start.starts(with: [0xFF, 0xFE]): return .utf16(isLittle: true)
        case let start where start.starts(with: [0xFE, 0xFF]): return .utf16(isLittle: false)
        // "<" of two bytes, without a mark.
        case let start where start.starts(with: [0x3C, 0]) && start.count == 4 && start[2] != 0:
            return .utf16(isLittle: true)
        case let start where start.starts(with: [0, 0x3C]): return .utf16(isLittle: false)
        default: return .utf8
        }
    }

    /// The encoding that the XML declaration names; nil without one.
    private var declaredEncoding: String? {
        let start = String(decoding: utf8.prefix(256), as: UTF8.self).drop { $0 == "\u{FEFF}" }
        guard start.hasPrefix("<?xml"), let end = start.firstRange(of: "?>"),
            let name = start[..<end.lowerBound].firstRange(of: "encoding")
        else { return nil }
        let value = start[name.upperBound..<end.lowerBound].drop { $0 != "\"" && $0 != "'" }
        guard let quote = value.first else { return nil }
        return String(value.dropFirst().prefix { $0 != quote })
    }

    /// Returns a text in UTF-8 in the sidecar's encoding.
    func encoded(_ text: [UInt8]) -> [UInt8] {
        guard case .utf16(let isLittle) = encoding else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * text.count)
        for unit in String(decoding: text, as: UTF8.self).utf16 {
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            bytes += isLittle ? [low, high] : [high, low]
        }
        return bytes
    }

    /// Returns the fault of the text where its XML could not be read.
    func fault(_ error: XMLSyntaxError) -> SidecarFault {
        guard error.offset < utf8.count else { return .cut }
        guard case .utf16 = encoding else { return .notXML(offset: error.offset) }
        return .notXML(offset: 2 * String(decoding: utf8[..<error.offset], as: UTF8.self).utf16.count)
    }
}
