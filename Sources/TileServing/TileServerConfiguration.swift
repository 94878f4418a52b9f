#if Server
package import RenderCaching
internal import ViewportRendering

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TileServer {
    /// What a tile server shows, and to whom.
    public struct Configuration: Sendable {
        /// Paths of the folders and images to serve; nothing outside of them is ever opened.
        public var roots: [String]
        /// The address that `TileServer.run` listens on; other machines are let in with a token or `isPublic` only.
        public var host = "127.0.0.1"
        /// The port that `TileServer.run` listens on; 0 takes any that is free.
        public var port = 8080
        /// A secret that every request has to show: `?token=`, a bearer token, or the cookie that it becomes.
        public var token: String?
        /// Whether everybody who can reach the server may see the images, under any name in `Host`.
        ///
        /// Otherwise the server answers to `localhost`, to `host`, to the name in `baseURL` and, where it listens
        /// to other machines, to IP addresses and the machine's own name. That stops DNS rebinding.
        public var isPublic = false
        /// The URL that clients see of the server, the path where it is mounted included; nil to take it from requests.
        public var baseURL: String?
        /// Proxies whose `X-Forwarded-Host` and `X-Forwarded-Proto` are believed, beside those on this machine.
        public var trustedProxies: [AddressRange] = []
        /// Whether there are HTML pages: an index of the images and a viewer.
        public var servesPages = true
        /// Bounds on memory, time and sizes.
        public var limits = Limits()
        package var cache = CacheFolder()
        /// What the response to a request for another host name says about what to do.
        package var unknownHostRemedy: String?

        /// A configuration for this machine alone.
        public init(roots: [String]) {
            self.roots = roots
        }

        /// The folder of files that are slow to make, such as pyramids; `XDG_CACHE_HOME/viewport` unless set.
        public var cachePath: String {
            get { cache.path }
            set { cache = CacheFolder(path: newValue, capacity: cache.capacity) }
        }

        /// The bytes that the files in `cachePath` may have together; ten gibibytes unless set.
        public var cacheCapacity: Int {
            get { cache.capacity }
            set { cache = CacheFolder(path: cache.path, capacity: newValue) }
        }

        /// - Throws: `ServerError` where a value cannot be used.
        func validate() throws(ServerError) {
            guard AllowedHosts.isLocal(host) || isPublic || token != nil else { throw .notPublic(host: host) }
            guard (0...65535).contains(port) else { throw .invalidPort(port) }
            guard token?.isEmpty != true else { throw .emptyToken }
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

    /// Bounds on everything in a tile server that can grow; all have to be positive.
    public struct Limits: Sendable {
        /// Pixels of the largest image in a response.
        public var maximumOutputArea = 25_000_000
        /// Pixels of all responses that are being rendered at the same time.
        public var maximumConcurrentArea = 50_000_000
        /// Pixels of the largest file that is opened; nil for the renderer's own limits.
        public var maximumSourcePixels: Int?
        /// Images that are kept open.
        public var openImageCount = 1024
        /// Images whose index, pyramid or tiles are kept ready.
        public var preparedImageCount = 16
        /// Bytes of small versions of large JPEGs in memory.
        public var overviewCacheBytes = 128 << 20
        /// Bytes of decoded tiles in memory.
        public var tileCacheBytes = 48 << 20
        /// Bytes of encoded responses in memory.
        public var responseCacheBytes = 48 << 20
        /// Responses that took longer to render are kept on disk.
        public var diskCacheThreshold = Duration.milliseconds(100)
        /// How long rendering may take, the wait for its turn included.
        public var timeout = Duration.seconds(60)
        /// How long a connection may be silent.
        public var idleTimeout = Duration.seconds(30)
        /// How long a client may take nothing of a response.
        public var writeTimeout = Duration.seconds(30)
        /// Bytes of all responses that clients are receiving.
        public var outboundBytes = 64 << 20
        /// Pages that follow changes at the same time.
        public var eventStreams = 32
        /// Connections at the same time; others wait in the system's queue.
        public var connections = 4096

        /// The default limits.
        public init() {}

        /// - Throws: `ServerError` where a limit is not positive.
        func validate() throws(ServerError) {
            let numbers = [
                ("maximumOutputArea", maximumOutputArea), ("maximumConcurrentArea", maximumConcurrentArea),
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

        /// Leaves file descriptors for images: every client that can connect must be able to get one.
        ///
        /// - Parameters:
        ///   - descriptors: that the process may have.
        ///   - threads: that wait for connections or work; each has a few descriptors of its own.
        /// - Throws: `ServerError` where hardly any client could connect.
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

/// Why a tile server cannot start.
public enum ServerError: Error, Equatable, Sendable {
    /// There is no file or folder at a path.
    case missingRoot(String)
    /// Two roots end with the same name, which would begin the identifiers of both.
    case duplicateNames
    /// Other machines could reach the server, and neither a token nor public access is configured.
    case notPublic(host: String)
    /// The system refuses to listen there.
    case cannotListen(host: String, port: Int, reason: String)
    /// The base URL is not an absolute HTTP URL without query and user name.
    case invalidBaseURL(String)
    /// The port is not in 0...65535.
    case invalidPort(Int)
    /// The token is empty.
    case emptyToken
    /// The limit of that name is not positive, or longer than 285 years.
    case invalidLimit(String)
    /// The process may open too few files for images and connections.
    case tooFewDescriptors(Int)
}

extension ServerError: LocalizedError, CustomStringConvertible {
    /// What is wrong, in one sentence.
    public var description: String {
        switch self {
        case .missingRoot(let path): "\(path): there is no such image or folder"
        case .duplicateNames: "two of the paths end with the same name"
        case .notPublic(let host):
            "\(host) lets other machines in, and the server has neither a token nor public access"
        case .cannotListen(let host, let port, let reason): "cannot listen on \(host):\(port) (\(reason))"
        case .invalidBaseURL(let text): "\(text): is not an address such as https://example.org/images"
        case .invalidPort(let port): "\(port): is not a port from 0 to 65535"
        case .emptyToken: "the token is empty"
        case .invalidLimit(let name): "the limit \(name) has to be positive"
        case .tooFewDescriptors(let count): "the process may have only \(count) files open"
        }
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
#endif
