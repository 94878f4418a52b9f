#if Server
public import ArgumentParser
import Basics
import Files
public import Logging
public import TileServing
import ViewportRendering

#if Library
import LibraryServing
import PhotoCatalog
#endif

/// `viewport serve`: folders and images as pages and as an image server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Show images in browsers, and serve parts of them to viewers.",
        discussion: """
            /                     the images
            /library/NAME/        the photos of a library, by date and kind
            /view/IMAGE           one of them, to look around in
            /iiif/3/IMAGE         IIIF Image API 3.0; /iiif/2/IMAGE is 2.1
            /dzi/IMAGE.dzi        Deep Zoom
            /health, /metrics     whether all is well, and counts for Prometheus

            IMAGE is the path below the folder, with or without its ending, its slashes as %2F. Only this machine \
            is let in unless --host names another address; that asks for --token or --public. Other websites may show \
            images of folders, but nothing of a library. Requests have to name the server as localhost, by an address \
            or name that it listens to, or as --base-url does; with --public every name is right.
            """)

    @Argument(help: "Folders, images and photo libraries to serve.", completion: .file())
    var paths: [String]

    @Option(help: "Port; 0 takes any that is free.")
    var port = 8080

    @Option(help: "Address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "Secret that every request has to show: ?token=… once in a browser, or as a bearer.")
    var token: String?

    @Flag(name: .customLong("public"), help: "Let everybody who can reach the server see the images.")
    var isPublic = false

    @Option(name: .customLong("base-url"), help: "Address that clients see, where a proxy does not tell it.")
    var baseURL: String?

    @Option(
        name: .customLong("trusted-proxy"), parsing: .unconditionalSingleValue,
        help:
            "Address, or range as 10.0.0.0/8, of a proxy whose X-Forwarded headers are believed; may be repeated."
    )
    var trustedProxies: [AddressRange] = []

    @Option(help: "Most pixels of a picture that is given.")
    var maxArea = TileServer.Limits().maximumOutputArea

    @Option(help: "Refuse files of more pixels before decoding them.")
    var maxPixels: Int?

    @Flag(help: OpenArguments.untrustedHelp)
    var allowUntrusted = false

    @Flag(name: .customLong("open"), help: "Open the address in a browser.")
    var opensBrowser = false

    @Flag(help: "Follow the files of libraries, so that what is new is shown at once.")
    var watch = false

    @Option(
        help: "What is logged to standard error: trace, debug (every request), info, notice, warning, error.")
    var logLevel = Logger.Level.notice

    @Flag(help: "Say on one line of JSON where the server listens.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        try require("--port", port, in: 0...65535, example: 8080)
        try require("--max-area", maxArea, in: (1 << 16)..., example: 1 << 24)
        try require("--max-pixels", maxPixels, in: 1..., example: 100_000_000)
        if let token, token.isEmpty || !token.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x3B }) {
            throw ValidationError(
                refusing: token, of: "--token", give: "letters, digits and signs, without spaces and ;",
                example: "6b1e0f9a2c")
        }
    }

    func run() async throws {
        if allowUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        var logger = Logger(label: "viewport") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel
        var configuration = TileServer.Configuration(roots: paths)
        configuration.host = host
        configuration.port = port
        configuration.token = token
        configuration.isPublic = isPublic
        configuration.baseURL = baseURL
        configuration.trustedProxies = trustedProxies
        configuration.limits.maximumOutputArea = maxArea
        configuration.limits.maximumConcurrentArea = max(
            2 * maxArea, configuration.limits.maximumConcurrentArea)
        configuration.limits.maximumSourcePixels = maxPixels
        configuration.cache = try CacheSettings.folder()
        configuration.unknownHostRemedy = "start it with --base-url and that name, or with --public"
        TileServer.tuneProcess()
        #if Library
        let libraries = try await ServedLibraries.open(among: paths)
        let server = try TileServer(
            configuration, extensions: [.photoLibraries(libraries)], logger: logger)
        #else
        let server = try TileServer(configuration, logger: logger)
        #endif
        try await withThrowingTaskGroup { group in
            #if Library
            for library in watch ? libraries : [] {
                group.addTask { [logger] in await Self.watch(library, logger) }
            }
            #endif
            try await server.run(handlesSignals: true) { port in reportAddress(port) }
            group.cancelAll()
        }
    }

    #if Library
    /// Keeps a library up to date; where that fails it is served as it is.
    private static func watch(_ library: PhotoLibrary, _ logger: Logger) async {
        do {
            try await library.watch()
        } catch {
            logger.error("a library is not watched any more", metadata: ["error": "\(error)"])
        }
    }
    #endif

    /// Prints the server's address when clients can connect.
    private func reportAddress(_ port: Int) {
        let host = host == "0.0.0.0" || host == "::" ? "localhost" : host
        let authority = host.contains(":") ? "[\(host)]" : host
        let base = baseURL ?? "http://\(authority):\(port)"
        let address = base + "/" + (token.map { "?token=\(PercentCoding.encode($0))" } ?? "")
        let line =
            json
            ? JSONValue.object([("address", .string(address)), ("port", .int(port))]).description : address
        try? OutputFile.writeToStandardOutput(Array((line + "\n").utf8))
        if opensBrowser { ProcessEnvironment.open(address) }
    }
}

extension AddressRange: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
#endif
