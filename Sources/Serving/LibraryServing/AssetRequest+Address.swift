#if Server && Library
internal import HTTPTypes
internal import PhotoCatalog
internal import TileServing

extension AssetRequest {
    /// What pages show where their addresses say nothing else.
    static let ofPages: AssetRequest = {
        var request = AssetRequest()
        (request.unit, request.order) = (.day, .newest)
        return request
    }()

    /// Reads the parameters of an address.
    ///
    /// - Throws: `RouteError` if a value is unknown or the search is not understood.
    init(_ request: RouteRequest) throws(RouteError) {
        // A position in a collection has this name.
        let parameters = Parameter.allCases.filter { $0 != .from }.flatMap { parameter in
            Set([parameter.rawValue, parameter.option]).compactMap { name in
                request.value(name).map { (name: name, value: $0) }
            }
        }
        do {
            self = try AssetRequest(parameters, usual: .ofPages)
        } catch {
            throw error.kind == .notFound ? .noGroup : RouteError(.badRequest, error.description)
        }
    }
}

extension ServedLibrary {
    /// - Throws: `RouteError` if the request names an album that does not exist.
    func collection(for request: AssetRequest) async throws -> AssetCollection {
        do {
            return try await library.collection(for: request)
        } catch let error as LibraryError where error.kind == .invalidArgument {
            throw RouteError(.badRequest, error.description)
        }
    }
}
#endif
