/// The last component of the address of a manifest or a collection.
package enum PresentationDocument: Equatable, Sendable {
    case manifest, collection
    /// A part of a large folder, from 1.
    case part(Int)

    /// The number of canvases of a manifest.
    private static let length = 1000

    package init?(_ name: some StringProtocol) {
        switch name {
        case "manifest.json": self = .manifest
        case "collection.json": self = .collection
        default:
            guard name.hasPrefix("manifest-"), name.hasSuffix(".json"),
                let number = Int(name.dropFirst(9).dropLast(5)), (1...1_000_000).contains(number),
                name == "manifest-\(number).json"
            else { return nil }
            self = .part(number)
        }
    }

    /// The manifest that has an image.
    ///
    /// - Parameters:
    ///   - position: The position of the image, from 0.
    ///   - count: The number of images.
    package init(ofImage position: Int, of count: Int) {
        self = Self.isLarge(count) ? .part(position / Self.length + 1) : .manifest
    }

    /// Whether so many images have several manifests.
    package static func isLarge(_ count: Int) -> Bool { count > length }

    /// The manifests of some images: none, one, or parts.
    package static func manifests(of count: Int) -> [PresentationDocument] {
        guard isLarge(count) else { return count > 0 ? [.manifest] : [] }
        return (1...(count + length - 1) / length).map { .part($0) }
    }

    /// Whether some images have this document: parts, where they are too many for one manifest.
    package func exists(for count: Int) -> Bool {
        switch self {
        case .collection: true
        case .manifest: !Self.isLarge(count)
        case .part(let number): Self.isLarge(count) && (number - 1) * Self.length < count
        }
    }

    /// The positions of the images of a manifest.
    package func positions(of count: Int) -> Range<Int> {
        guard case .part(let number) = self else { return 0..<count }
        let start = min((number - 1) * Self.length, count)
        return start..<min(start + Self.length, count)
    }

    /// The label of a manifest in a collection: "Name", or "Name, 1001 to 2000".
    package func label(of count: Int, name: String) -> String {
        guard case .part = self else { return name }
        let positions = positions(of: count)
        return "\(name), \(positions.lowerBound + 1) to \(positions.upperBound)"
    }

    /// The component of an address.
    package var name: String {
        switch self {
        case .manifest: "manifest.json"
        case .collection: "collection.json"
        case .part(let number): "manifest-\(number).json"
        }
    }
}
