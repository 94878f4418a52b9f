package import ViewportRendering

/// What a server shows, and to whom.
package struct TileServerSettings: Sendable {
    /// Folders and images.
    package var paths: [String]
    package var host = "127.0.0.1"
    /// 0 for any that is free.
    package var port = 8080
    /// What every request has to show; nil where nothing is asked for.
    package var token: String?
    /// Whether everybody who can reach the server may see the images.
    package var isPublic = false
    /// The address that clients see, where a proxy does not tell it.
    package var baseURL: String?
    /// Whose `X-Forwarded-` headers are believed, beside those of this machine.
    package var trustedProxies: [AddressRange] = []
    package var limits = ServerLimits()
    package var cache = CacheFolder()

    package init(paths: [String]) {
        self.paths = paths
    }
}

/// What the server may take, of everything that can grow.
package struct ServerLimits: Sendable {
    /// The most pixels of a picture that is given.
    package var pictureArea = 25_000_000
    /// The pixels that all pictures that are being made may have together.
    package var totalArea = 50_000_000
    /// The most pixels of an image that is opened; nil for the renderer's own limits.
    package var imagePixels: Int?
    /// The images that are kept open, and those that are kept ready.
    package var openImages = 1024
    package var preparedImages = 16
    /// The bytes of small versions of large JPEGs.
    package var overviewBytes = 128 << 20
    /// The bytes of decoded tiles in memory, and of finished pictures.
    package var tileBytes = 48 << 20
    package var pictureBytes = 48 << 20
    /// Pictures that took longer to make are kept on disk.
    package var worthKeeping = Duration.milliseconds(100)
    /// How long a picture may take.
    package var timeout = Duration.seconds(60)
    /// How long a connection may be silent, in seconds.
    package var idleSeconds = 30
    /// How long a client may take nothing of an answer, in seconds.
    package var receivingSeconds = 30
    /// The bytes of all answers that clients are receiving.
    package var answerBytes = 64 << 20
    /// The most pages that follow what happens, at once.
    package var followers = 32
    /// The most connections at once; others wait until the system takes them in.
    package var connections = 4096

    package init() {}

    /// Leaves descriptors to files: who is connected must be able to get them.
    ///
    /// - Parameters:
    ///   - descriptors: that the process may have.
    ///   - threads: that wait for connections or work; each has a few of its own.
    /// - Throws: `ServerError` where hardly anybody could connect.
    mutating func fit(descriptors: Int, threads: Int) throws(ServerError) {
        let forFiles = max(64, descriptors / 4)
        let forConnections = descriptors - forFiles - 4 * threads
        guard forConnections >= 16 else { throw .tooFewDescriptors(descriptors) }
        connections = min(connections, forConnections)
        // An open image may hold its file.
        openImages = min(openImages, forFiles / 2)
    }
}

/// Why the server cannot start, in one sentence.
package enum ServerError: Error, Equatable, Sendable {
    case noRoot(String)
    case sameNames
    /// Others could reach it, and nobody said that they may.
    case notPublic(host: String)
    case cannotListen(host: String, port: Int, reason: String)
    case badBaseURL(String)
    case tooFewDescriptors(Int)
}

extension ServerError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noRoot(let path): "\(path): there is no such image or folder; check the path"
        case .sameNames: "two of the paths end with the same name; serve the folder above them"
        case .notPublic(let host):
            "\(host) lets others in: add --token SECRET to ask them for one, or --public to let everybody see the images"
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host):\(port) (\(reason)); choose another --port"
        case .tooFewDescriptors(let count):
            "the process may have only \(count) files open; raise the limit: ulimit -n 1024"
        case .badBaseURL(let text): "\(text): is no address as https://example.org/images; correct --base-url"
        }
    }
}
