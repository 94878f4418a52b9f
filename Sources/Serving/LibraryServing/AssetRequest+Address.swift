#if Server && Library
internal import Files
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
            parameter.names.compactMap { name in request.value(name).map { (name: name, value: $0) } }
        }
        do {
            self = try AssetRequest(parameters, usual: .ofPages)
        } catch {
            throw error.kind == .notFound ? .noGroup : RouteError(.badRequest, error.description)
        }
    }
}

extension AssetRequest.Parameter {
    /// The parameters that pages have in their addresses, in this order.
    private static let ofPages: [Self] = [.group, .groupBy, .sort, .filter, .stack, .where]
    /// Those that pages have as conditions of the search.
    private static let searched: [Self] = [.album, .from, .to, .near, .place]

    /// Returns the query of a page's address in the words that the page itself writes.
    ///
    /// - Returns: nil if the address has these words already.
    static func queryOfPage(_ request: RouteRequest) -> String? {
        var values: [Self: String] = [:]
        var isOther = false
        for parameter in ofPages {
            guard let (name, value) = parameter.given(in: request) else { continue }
            let word = parameter.usualWord(value)
            isOther = isOther || name != parameter.rawValue || word != value
            values[parameter] = word
        }
        for parameter in searched {
            guard let value = parameter.given(in: request)?.value else { continue }
            isOther = true
            let condition = "\(parameter.rawValue):\(SearchResponses.quoted(value))"
            values[.where] = [values[.where], condition].compactMap(\.self).joined(separator: " ")
        }
        guard isOther else { return nil }
        return ofPages.compactMap { parameter in
            values[parameter].map { "\(parameter.rawValue)=\(PercentCoding.encode($0))" }
        }.joined(separator: "&")
    }

    /// The value in an address, with the name that it has there.
    private func given(in request: RouteRequest) -> (name: String, value: String)? {
        names.reversed().lazy.compactMap { name in request.value(name).map { (name, $0) } }.first
    }

    /// Returns a value as menus have it; one that is not understood stays as it is.
    private func usualWord(_ value: String) -> String {
        if self == .filter, let kinds = AssetKinds(words: value) { return kinds.words }
        let value = words.isEmpty ? value : value.lowercased()
        return words.first { $0.word == value || $0.others.contains(value) }?.word ?? value
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
