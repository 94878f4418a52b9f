#if Server
internal import Basics
internal import MemoryWatching
package import Presentation
package import RenderCaching
internal import ViewportRendering

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TileServer {
    /// The roots, listener, access rules and limits of a tile server.
    public struct Configuration: Sendable {
        /// The paths of folders and images to serve; files outside of them are never opened.
        public var roots: [String]
        /// The beginning of the URLs of images that are served, too, such as `https://example.org/photos`; nil for none.
        ///
        /// An identifier is what follows in the URL. Images are read by ranges from their server, of the scheme `https`,
        /// `http` or `s3`.
        public var remoteRoot: String?
        /// Whether `remoteRoot` may be on this machine or in its network, also behind redirects.
        public var allowsPrivateAddresses = false
        /// The address that `TileServer.run` listens on; one that other machines can reach needs a token or `isPublic`.
        public var host = "127.0.0.1"
        /// The port that `TileServer.run` listens on; 0 selects a free one.
        public var port = 8080
        /// A secret that every request must have: as `?token=`, as a bearer token, or as the cookie that replaces them.
        public var token: String?
        /// Whether every client that can reach the server may read the images, under any name in `Host`.
        ///
        /// Otherwise the server accepts `localhost`, `host`, the name in `baseURL` and, if other machines can connect, IP
        /// addresses and the machine's own name. That prevents DNS rebinding.
        public var isPublic = false
        /// The URL of the server for clients, including the path where it is mounted; nil to derive it from requests.
        public var baseURL: String?
        /// Proxies whose `X-Forwarded-Host` and `X-Forwarded-Proto` are trusted, in addition to those on this machine.
        public var trustedProxies: [AddressRange] = []
        /// Called with each page that a person opens in a browser, on any thread.
        ///
        /// The address is relative to the server, without its token: "view/lake".
        public var onVisit: (@Sendable (_ address: String) -> Void)?
        /// Decides about each request for an image: tiles, IIIF, Deep Zoom, pages, thumbnails and downloads; nil allows all.
        ///
        /// It is called on any thread, for several requests at the same time, and before each response, also where the
        /// response itself is cached; it should answer within milliseconds. If it throws, the request fails with status
        /// 500. Requests for a list, such as a page of the index or of a photo library, have the path of the folder
        /// (``AccessRequest/isFolder``); the index of several roots needs all of them. Responses of a server with this
        /// closure are not kept by caches that clients share.
        public var authorize: (@Sendable (AccessRequest) async throws -> AccessDecision)?
        /// Whether pages may edit photo libraries: picks, albums, ratings, titles and keywords.
        ///
        /// Needs a token if other machines can connect.
        public var allowsEdits = false
        /// Whether there are HTML pages: an index and a viewer.
        public var servesPages = true
        /// The limits on memory, time and sizes.
        public var limits = Limits()
        /// The time without a connected client after which `TileServer.run` returns; nil to run until it is stopped.
        ///
        /// Pages that are open connect each minute.
        package var idleLimit: Duration?
        package var cache = CacheFolder()
        /// What the manifests of folders say.
        package var manifests = ManifestOptions()
        /// The tile server of the maps of libraries; nil for the map of this program.
        package var mapTiles: MapTiles?
        /// The advice in the response to a request for another host name.
        package var unknownHostRemedy: String?

        /// Creates a configuration for this machine only.
        public init(roots: [String]) {
            self.roots = roots
        }

        /// The cache folder of indexes, pyramids and slow renders; `XDG_CACHE_HOME/viewport` by default.
        public var cachePath: String {
            get { cache.path }
            set { cache = CacheFolder(path: newValue, capacity: cache.capacity) }
        }

        /// The maximum size of `cachePath` in bytes; 10 GiB by default.
        public var cacheCapacity: Int {
            get { cache.capacity }
            set { cache = CacheFolder(path: cache.path, capacity: newValue) }
        }

        /// - Throws: `ServerError` for an invalid value.
        func validate() throws(ServerError) {
            guard AllowedHosts.isLocal(host) || isPublic || token != nil else { throw .notPublic(host: host) }
            guard (0...65535).contains(port) else { throw .invalidPort(port) }
            guard token?.isEmpty != true else { throw .emptyToken }
            guard !allowsEdits || token != nil || AllowedHosts.isLocal(host) && !isPublic else {
                throw .editsNeedToken
            }
            guard cacheCapacity > 0 else { throw .invalidLimit("cacheCapacity") }
            if let baseURL {
                let rest = ["http://", "https://"].first(where: baseURL.hasPrefix).map {
                    baseURL.dropFirst($0.count)
                }
                guard let rest, Authority(ofAddress: baseURL) != nil,
                    !rest.contains(where: { " \"<>?#\n\r".contains($0) })
                else {
                    throw .invalidBaseURL(baseURL)
                }
            }
            try limits.validate()
        }
    }

    /// Limits on everything in a tile server that can grow; all must be positive.
    public struct Limits: Hashable, Codable, Sendable {
        /// The memory of caches, levels and decoders together, in bytes; nil for an eighth of what the process can use,
        /// at least 256 MiB.
        ///
        /// The other limits are reduced to fit it. It contains 64 MiB for the program itself.
        public var memoryBytes: Int?
        /// The maximum number of pixels in a response.
        public var maximumOutputArea = 25_000_000
        /// The maximum number of pixels of all responses that are rendered at the same time.
        public var maximumConcurrentArea = 50_000_000
        /// The maximum number of pixels of a file; nil for the limits of the renderer.
        public var maximumSourcePixels: Int?
        /// The number of images that stay open.
        public var openImageCount = 1024
        /// The number of images that stay prepared for random access, with an index, a pyramid or tiles.
        public var preparedImageCount = 16
        /// The memory for previews of large JPEGs, in bytes.
        public var overviewCacheBytes = 128 << 20
        /// The memory for decoded tiles, in bytes.
        public var tileCacheBytes = 48 << 20
        /// The memory for encoded responses, in bytes.
        public var responseCacheBytes = 48 << 20
        /// The render time above which a response is cached on disk.
        public var diskCacheThreshold = Duration.milliseconds(100)
        /// The maximum time of a render, including its wait in the queue.
        public var timeout = Duration.seconds(60)
        /// The time after which an idle connection is closed.
        public var idleTimeout = Duration.seconds(30)
        /// The time after which a client that reads nothing of a response is disconnected.
        public var writeTimeout = Duration.seconds(30)
        /// The number of bytes on the way to all clients above which large images wait, and clients that read too slowly
        /// are disconnected.
        public var outboundBytes = 64 << 20
        /// The maximum number of pages that receive changes of libraries.
        public var eventStreams = 32
        /// The maximum number of connections; further clients wait in the system's queue.
        public var connections = 4096

        /// Creates the default limits.
        public init() {}

        /// Which images get levels in the cache folder.
        package var pyramids = PyramidPolicy()

        /// The memory for renders and builds, in bytes.
        private(set) var workBytes = 1 << 30

        /// The memory for a pixel of a response: while it is rendered, turned and encoded.
        static let bytesPerPixel = 8
        /// The memory for a pixel of the largest response in most formats.
        private static let encodingBytesPerPixel = 21

        /// - Throws: `ServerError` if a limit is not positive.
        func validate() throws(ServerError) {
            let numbers = [
                ("memoryBytes", memoryBytes ?? 1), ("maximumOutputArea", maximumOutputArea),
                ("maximumConcurrentArea", maximumConcurrentArea),
                ("maximumSourcePixels", maximumSourcePixels ?? 1), ("openImageCount", openImageCount),
                ("preparedImageCount", preparedImageCount), ("overviewCacheBytes", overviewCacheBytes),
                ("tileCacheBytes", tileCacheBytes), ("responseCacheBytes", responseCacheBytes),
                ("outboundBytes", outboundBytes), ("eventStreams", eventStreams),
                ("connections", connections),
            ]
            for (name, number) in numbers where number <= 0 { throw .invalidLimit(name) }
            let times = [
                ("diskCacheThreshold", diskCacheThreshold), ("timeout", timeout),
                ("idleTimeout", idleTimeout), ("writeTimeout", writeTimeout),
            ]
            // NIO counts nanoseconds in 64 bits: 292 years.
            for (name, time) in times where time <= .zero || time > .seconds(9_000_000_000) {
                throw .invalidLimit(name)
            }
        }

        /// Divides the memory: five eighths for renders and builds, and at most three for caches and responses.
        ///
        /// - Parameter limit: What the process can use; nil if it is not known.
        mutating func fit(memory limit: MemoryLimit?) {
            let available = limit?.byteCount ?? 2 << 30
            let memory = min(memoryBytes ?? max(Self.minimumMemory, available / 8), available)
            memoryBytes = memory
            let rest = max(memory - Self.programBytes, memory / 4)
            // Responses of images and of extensions have a cache each.
            let whole =
                Double(overviewCacheBytes) + Double(tileCacheBytes) + 2 * Double(responseCacheBytes)
                + Double(outboundBytes)
            let share = min(1, Double(rest) * 3 / 8 / whole)
            func reduced(_ bytes: Int) -> Int { share < 1 ? max(1, Int(Double(bytes) * share)) : bytes }
            overviewCacheBytes = reduced(overviewCacheBytes)
            tileCacheBytes = reduced(tileCacheBytes)
            responseCacheBytes = reduced(responseCacheBytes)
            outboundBytes = reduced(outboundBytes)
            workBytes = max(1, rest - Int(whole * share))
            maximumOutputArea = min(maximumOutputArea, max(1, workBytes / Self.encodingBytesPerPixel))
        }

        /// The default memory of small machines.
        private static let minimumMemory = 256 << 20
        /// The memory of the program and its libraries.
        private static let programBytes = 64 << 20

        /// Reduces connections and open images to what the descriptors of the process permit.
        ///
        /// - Parameters:
        ///   - descriptors: The maximum of the process.
        ///   - threads: The number of event loops and workers, which need a few descriptors each.
        /// - Throws: `ServerError` if fewer than 16 clients could connect.
        mutating func fit(descriptors: Int, threads: Int) throws(ServerError) {
            let forFiles = max(64, descriptors / 4)
            let forConnections = descriptors - forFiles - 4 * threads
            guard forConnections >= 16 else { throw .tooFewDescriptors(descriptors) }
            connections = min(connections, forConnections)
            // An open image may hold its file.
            openImageCount = min(openImageCount, forFiles / 2)
        }
    }
}

extension TileServer.Configuration: CustomStringConvertible {
    /// The address and the number of roots, without the token: "127.0.0.1:8080, 2 roots".
    public var description: String { "\(host):\(port), \(roots.count.counted("root"))" }
}

extension TileServer.Limits {
    private enum CodingKeys: String, CodingKey {
        case memoryBytes, maximumOutputArea, maximumConcurrentArea, maximumSourcePixels, openImageCount
        case preparedImageCount, overviewCacheBytes, tileCacheBytes, responseCacheBytes, diskCacheThreshold
        case timeout, idleTimeout, writeTimeout, outboundBytes, eventStreams, connections, pyramids
    }

    /// Decodes limits; those that are missing have their defaults, and all must be positive.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        try values.read(&memoryBytes, .memoryBytes)
        try values.read(&maximumOutputArea, .maximumOutputArea)
        try values.read(&maximumConcurrentArea, .maximumConcurrentArea)
        try values.read(&maximumSourcePixels, .maximumSourcePixels)
        try values.read(&openImageCount, .openImageCount)
        try values.read(&preparedImageCount, .preparedImageCount)
        try values.read(&overviewCacheBytes, .overviewCacheBytes)
        try values.read(&tileCacheBytes, .tileCacheBytes)
        try values.read(&responseCacheBytes, .responseCacheBytes)
        try values.read(&diskCacheThreshold, .diskCacheThreshold)
        try values.read(&timeout, .timeout)
        try values.read(&idleTimeout, .idleTimeout)
        try values.read(&writeTimeout, .writeTimeout)
        try values.read(&outboundBytes, .outboundBytes)
        try values.read(&eventStreams, .eventStreams)
        try values.read(&connections, .connections)
        try values.read(&pyramids, .pyramids)
        do throws(ServerError) { try validate() } catch { throw decoder.invalid("\(error)") }
    }
}

extension TileServer {
    /// Whether only this machine can connect to a server at an address.
    package static func isLocal(_ host: String) -> Bool { AllowedHosts.isLocal(host) }
}

/// An error that prevents a tile server from starting.
public enum ServerError: Error, Equatable, Sendable {
    /// A root does not exist.
    case missingRoot(String)
    /// A root cannot be read.
    case unreadableRoot(String, reason: String)
    /// Two roots have the same last path component, which is the first component of their identifiers.
    case duplicateNames
    /// Other machines could connect, and neither a token nor public access is configured.
    case notPublic(host: String)
    /// The system does not let the process listen at that address.
    case cannotListen(host: String, port: Int, reason: String)
    /// The base URL is not an absolute HTTP URL, or contains a query or a user name.
    case invalidBaseURL(String)
    /// The port is not in 0...65535.
    case invalidPort(Int)
    /// The token is empty.
    case emptyToken
    /// Other machines could edit, and no token is configured.
    case editsNeedToken
    /// The limit with that name is not positive, or is a duration above 285 years.
    case invalidLimit(String)
    /// The process may open too few files for connections and images.
    case tooFewDescriptors(Int)
}

extension ServerError: LocalizedError, CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        switch self {
        case .missingRoot(let path): "\(path): there is no such image or folder"
        case .unreadableRoot(let path, let reason): "\(path): cannot be read (\(reason))"
        case .duplicateNames: "two of the paths end with the same name"
        case .notPublic(let host):
            "other machines can connect to \(host), and neither a token nor public access is configured"
        case .cannotListen(let host, let port, let reason): "cannot listen on \(host):\(port) (\(reason))"
        case .invalidBaseURL(let text): "\(text): is not a URL such as https://example.org/images"
        case .invalidPort(let port): "\(port): is not a port from 0 to 65535"
        case .emptyToken: "the token is empty"
        case .editsNeedToken: "other machines could edit the libraries, and no token is configured"
        case .invalidLimit(let name): "the limit \(name) must be positive"
        case .tooFewDescriptors(let count): "the process may open only \(count) files"
        }
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
#endif
