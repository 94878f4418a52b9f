#if Server
internal import HTTPTypes

extension TileServer {
    /// A request for an image or for the list of a folder, about which `Configuration.authorize` decides.
    public struct AccessRequest: Sendable {
        /// The absolute path of the file or folder, with symbolic links resolved, or the URL of a remote image.
        public let path: String
        /// Whether it asks for names, dates and the like of all images of a folder, not for an image.
        public let isFolder: Bool
        /// The path of the address below the server, percent-encoded: "iiif/3/lake/full/max/0/default.jpg".
        public let address: String
        /// The method: "GET", "HEAD" or "POST".
        public let method: String
        private let fields: HTTPFields

        init(_ path: String, isFolder: Bool, _ request: RouteRequest) {
            (self.path, self.isFolder) = (path, isFolder)
            (address, method) = (request.path.joined(separator: "/"), request.method.rawValue)
            fields = request.headers
        }

        /// Returns the value of a header, whose name may have any case, with several values joined by commas; nil if the
        /// request does not have it.
        public func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
    }

    /// What a client may do with an image or a folder.
    public enum AccessDecision: Hashable, Sendable {
        /// The request gets its response.
        case allow
        /// The request fails with status 403.
        case deny
        /// The request fails with status 404, as if there were no such image.
        case hide
    }
}

/// Asks the application about each request for an image or a folder.
package struct AccessControl: Sendable {
    private let decide: @Sendable (TileServer.AccessRequest) async throws -> TileServer.AccessDecision

    init?(
        _ decide: (@Sendable (TileServer.AccessRequest) async throws -> TileServer.AccessDecision)?
    ) {
        guard let decide else { return nil }
        self.decide = decide
    }

    /// Returns what a request may do with a file or folder.
    package func decision(
        _ path: String, isFolder: Bool = false, for request: RouteRequest
    ) async throws -> TileServer.AccessDecision {
        try await decide(TileServer.AccessRequest(path, isFolder: isFolder, request))
    }

    /// - Throws: `RouteError` if a request may not have a file or the list of a folder.
    package func check(_ path: String, isFolder: Bool = false, for request: RouteRequest) async throws {
        switch try await decision(path, isFolder: isFolder, for: request) {
        case .allow: break
        case .deny: throw RouteError(.forbidden, "you may not see this \(isFolder ? "folder" : "image")")
        case .hide: throw isFolder ? RouteError.folderNotFound : .imageNotFound
        }
    }

    /// - Throws: `RouteError` if a request may not have the list of a folder, as in identifiers.
    func check(folder identifier: String, in roots: ImageRoots, for request: RouteRequest) async throws {
        for path in try await roots.paths(ofFolder: identifier) {
            try await check(path, isFolder: true, for: request)
        }
    }
}
#endif
