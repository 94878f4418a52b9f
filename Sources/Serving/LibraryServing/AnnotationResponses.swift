#if Server && Library
internal import Basics
internal import Files
internal import Foundation
internal import HTTPTypes
internal import PhotoCatalog
internal import TileServing
internal import ViewportGeometry

/// Named parts of photos as W3C Web Annotations, which pages draw, and change where the server allows edits.
///
/// Source: Web Annotation Data Model, W3C Recommendation of 2017; Media Fragments URI 1.0 for `xywh`.
struct AnnotationResponses {
    private let served: ServedLibrary
    private let request: RouteRequest
    private let services: ServerServices

    private static let maximumName = 500
    private static let context = JSONValue.string("http://www.w3.org/ns/anno.jsonld")
    private static let fragments = "http://www.w3.org/TR/media-frags/"

    init(_ served: ServedLibrary, _ request: RouteRequest, _ services: ServerServices) {
        (self.served, self.request, self.services) = (served, request, services)
    }

    /// Returns the annotations of all photos that the client may see.
    func page() async throws -> JSONValue {
        var items: [JSONValue] = []
        for (asset, annotations) in try await served.library.annotations() {
            if let access = services.access,
                try await access.decision(served.path(of: asset), for: request) != .allow
            {
                continue
            }
            items += annotations.map { json($0, asset) }
        }
        return Self.page(items, id: "\(request.base)/\(served.address)/annotations")
    }

    /// Returns the annotations of a photo.
    func page(of asset: Asset) async throws -> JSONValue {
        Self.page(
            try await served.library.annotations(of: asset).map { json($0, asset) }, id: address(of: asset))
    }

    private static func page(_ items: [JSONValue], id: String) -> JSONValue {
        .object([
            "@context": context, "id": .string(id), "type": .string("AnnotationPage"),
            "items": .array(items),
        ])
    }

    private func address(of asset: Asset) -> String {
        "\(request.base)/\(served.address)/annotations/\(asset.id)"
    }

    /// The annotation, with the part in the picture as it is shown: turned by the photo's sidecar.
    private func json(_ annotation: Annotation, _ asset: Asset) -> JSONValue {
        let rect = asset.untwisted.map { asset.turn.upright(annotation.rect, in: $0) }
        let (x, y) = (rect?.x ?? annotation.rect.x, rect?.y ?? annotation.rect.y)
        let (width, height) = (rect?.width ?? annotation.rect.width, rect?.height ?? annotation.rect.height)
        let image = PercentCoding.encode(served.identifier(of: asset))
        return .object([
            "@context": Self.context,
            "id": .string("\(address(of: asset))#\(annotation.id)"), "type": .string("Annotation"),
            "motivation": .string("tagging"),
            "created": .string(annotation.created.ISO8601Format()),
            "modified": .string(annotation.modified.ISO8601Format()),
            "body": .object([
                "type": .string("TextualBody"), "value": .string(annotation.name),
                "format": .string("text/plain"), "purpose": .string("tagging"),
            ]),
            "target": .object([
                "type": .string("SpecificResource"), "source": .string("\(request.base)/iiif/3/\(image)"),
                "selector": .object([
                    "type": .string("FragmentSelector"), "conformsTo": .string(Self.fragments),
                    "value": .string("xywh=pixel:\(x),\(y),\(width),\(height)"),
                ]),
            ]),
            "viewport:number": .int(Int(annotation.id)), "viewport:version": .int(annotation.version),
        ])
    }

    /// Adds, changes or removes an annotation of the photo in "assets", as "do" says.
    ///
    /// "name" and "rect" ([x, y, width, height] in pixels of the picture as it is shown) are what is new; "number" and
    /// "version" say which annotation is changed, and in which version the page knows it.
    ///
    /// - Throws: `RouteError` if the server allows no edits, or the body is not understood.
    func change() async throws -> JSONValue {
        guard services.allowsEdits else { throw RouteError.noEdits }
        let body = try EditResponses.object(request)
        let ids = try EditResponses.assets(body)
        guard ids.count == 1 else { throw RouteError(.badRequest, "an annotation is of one photo") }
        let asset = try await served.asset("\(ids[0])")
        let library = served.library
        switch body["do"]?.string ?? "" {
        case "add":
            let annotation = try await library.annotate(
                asset, try rect(body, of: asset), name: try Self.name(body))
            return json(annotation, asset)
        case "change":
            let name = body["name"] == nil ? nil : try Self.name(body)
            let rect = body["rect"] == nil ? nil : try rect(body, of: asset)
            let (number, version) = try Self.subject(of: body)
            let changed = try await library.changeAnnotation(number, of: asset, version: version) {
                if let name { $0.name = name }
                if let rect { $0.rect = rect }
                return true
            }
            return changed.map { json($0, asset) } ?? .null
        case "remove":
            let (number, version) = try Self.subject(of: body)
            _ = try await library.changeAnnotation(number, of: asset, version: version) { _ in false }
            return .object(["removed": .int(Int(number))])
        default: throw RouteError(.badRequest, "\"do\" is one of add, change, remove")
        }
    }

    private static func subject(of body: JSONValue) throws(RouteError) -> (number: Int64, version: Int) {
        guard let number = body["number"]?.int, let version = body["version"]?.int else {
            throw RouteError(.badRequest, "\"number\" and \"version\" are those of the annotation")
        }
        return (Int64(number), version)
    }

    private static func name(_ body: JSONValue) throws(RouteError) -> String {
        guard let name = body["name"]?.string.map({ String($0.trimmed()) }), !name.isEmpty,
            name.count <= maximumName
        else { throw RouteError(.badRequest, "\"name\" is a text of 1 to \(maximumName) characters") }
        return name
    }

    /// The part, as the file shows it without the turn of a sidecar.
    private func rect(_ body: JSONValue, of asset: Asset) throws(RouteError) -> PixelRect<StoredGrid> {
        let numbers = (body["rect"]?.array ?? []).compactMap(\.int)
        guard numbers.count == 4, body["rect"]?.array?.count == 4,
            numbers.allSatisfy({ $0 >= 0 && $0 < 1 << 31 }),
            numbers[2] > 0, numbers[3] > 0
        else {
            throw RouteError(.badRequest, "\"rect\" is [x, y, width, height] in whole pixels of the picture")
        }
        let rect = PixelRect<UprightGrid>(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
        guard let size = asset.untwisted else {
            return PixelRect(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
        }
        let shown = asset.turn.uprightSize(size)
        guard rect.maxX <= shown.width, rect.maxY <= shown.height else {
            throw RouteError(.badRequest, "\"rect\" lies outside of the picture of \(shown) pixels")
        }
        return asset.turn.stored(rect, in: size)
    }
}

extension Asset {
    /// The size of the picture before the turn of its sidecar; nil if it is unknown.
    fileprivate var untwisted: PixelSize<StoredGrid>? {
        size.map {
            turn.transposes
                ? PixelSize(width: $0.height, height: $0.width)
                : PixelSize(width: $0.width, height: $0.height)
        }
    }
}
#endif
