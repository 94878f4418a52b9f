#if Server && Library
internal import Basics
internal import HTTPTypes
internal import NIOCore
internal import PhotoCatalog
internal import TileServing

/// The cells of the map, and places by their names.
struct AtlasResponses {
    let atlas = Atlas.world
    let request: RouteRequest

    private static let maximumPlaces = 8
    private static let maximumText = 100

    /// - Throws: `RouteError` if there is no such cell.
    func cell(_ text: Substring) throws(RouteError) -> RouteResponse {
        guard let number = Int(strict: text), let bytes = atlas.cell(number) else {
            throw RouteError(.notFound, "the map has no such part")
        }
        var response = RouteResponse(
            .ok,
            headers: [
                .contentType: "application/octet-stream",
                // They change with the program only.
                .cacheControl: "public, max-age=86400",
            ])
        response.headers[.eTag] = "\"\(FNV1a.hash(Array(bytes).span).hexadecimal)\""
        response.body = ByteBuffer(bytes: bytes)
        return response
    }

    /// The usual name of a country.
    private static func country(_ code: String) -> String {
        guard let names = Country(code: code)?.names else { return code }
        return names.firstRange(of: ", ").map { String(names[..<$0.lowerBound]) } ?? names
    }

    /// Returns the towns whose names begin with `find`, with the level of the map that shows them.
    ///
    /// - Throws: `RouteError` if the text is missing or too long.
    func places() async throws -> JSONValue {
        guard let text = request.value("find").map({ $0.trimmed() }), text.count <= Self.maximumText else {
            throw RouteError(
                .badRequest, "find= is the beginning of a name, of at most \(Self.maximumText) characters")
        }
        let (atlas, name) = (atlas, String(text))
        let towns = try await BlockingExecutor.shared.run {
            atlas.towns(named: name, limit: Self.maximumPlaces)
        }
        return .object([
            "places": .array(
                towns.map { town in
                    .object([
                        "name": .string(town.name),
                        "country": .string(Self.country(town.country)),
                        "latitude": .number(town.latitude), "longitude": .number(town.longitude),
                        "level": .int(town.thousands >= 1000 ? 10 : town.thousands >= 100 ? 11 : 12),
                    ])
                })
        ])
    }
}
#endif
