#if Server
internal import HTTPTypes
package import Presentation

/// The last component of the address of a manifest or a collection.
package enum PresentationDocument: Equatable, Sendable {
    case manifest, collection
    /// A part of a large folder, from 1.
    case part(Int)

    /// The number of canvases of a manifest.
    package static let length = 1000

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
        self = count > Self.length ? .part(position / Self.length + 1) : .manifest
    }

    /// The number of manifests for some images: 1 for those that fit into one.
    package static func parts(of count: Int) -> Int { (count + length - 1) / length }

    /// The positions of the images of a manifest, which is a part if it has a number.
    package static func positions(of part: Int?, count: Int) -> Range<Int> {
        let start = min(((part ?? 1) - 1) * length, count)
        return start..<min(start + length, count)
    }

    /// The label of a part in a collection: "Name, 1001 to 2000".
    package static func label(of part: Int, count: Int, name: String) -> ManifestText {
        let positions = positions(of: part, count: count)
        return ManifestText("\(name), \(positions.lowerBound + 1) to \(positions.upperBound)")
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

extension RouteResponse {
    /// Returns a manifest or a collection, or that the client has it.
    ///
    /// Source: Presentation API 3.0, section 6.
    package static func manifest(_ text: String, _ tag: EntityTag, _ request: RouteRequest) -> RouteResponse {
        let context = "http://iiif.io/api/presentation/3/context.json"
        let headers: HTTPFields = [.eTag: tag.text, .cacheControl: "no-cache"]
        if tag.matches(request) { return RouteResponse(.notModified, headers: headers) }
        var response = RouteResponse(text: text, "application/ld+json;profile=\"\(context)\"")
        for field in headers { response.headers.append(field) }
        return response
    }
}
#endif
