#if CommandLine
#if Server
public import ArgumentParser
import Basics
import Files
public import Logging
import MemoryWatching
import RemoteFiles
import Synchronization
public import TileServing
import ViewportRendering

#if Library
import LibraryServing
import PhotoCatalog
#endif

/// `viewport serve`: an image server with pages.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve images and photo libraries to browsers and IIIF viewers.",
        discussion: """
            /                           all images and libraries
            /view/IMAGE                 viewer; ? lists its keys
            /compare/IMAGE/IMAGE        two images with one place
            /iiif/3/IMAGE/info.json     IIIF Image API 3.0; 2.1 at /iiif/2/
            /dzi/IMAGE.dzi              Deep Zoom
            /presentation/FOLDER/manifest.json   IIIF Presentation API 3.0; also collection.json
            /library/NAME/              library: everything, picks, albums, folders
            /library/NAME/group/GROUP   photos by year, month, week, day or hour, and searches
            /library/NAME/map           photos on a map
            /library/NAME/film/ASSET    a video
            /library/NAME/collection.json   IIIF manifests of the groups of a library
            /health, /metrics           state, and metrics for Prometheus

            IMAGE is the path below the folder, with or without its extension, with / as %2F. A folder that \
            contains a library (made by viewport library init) is served at /library/; NAME is the name of the folder. \
            If a library or an image is the only path, / redirects to it.

            The server accepts connections from this machine only. Another --host requires --token or --public. \
            Other websites may embed images of folders, but cannot read libraries. Requests must name the server as \
            localhost, by an address or name that it listens on, or as --base-url does; with --public any name is accepted.

            With --allow-edits, pages of libraries change picks, albums, ratings, titles and keywords, and undo that; \
            words go into XMP sidecars. Requests for edits have to come from pages of this server.

            When the server ends, it stores the address of the page that was seen last in $XDG_STATE_HOME/viewport \
            (default ~/.local/state). --open returns to it, except with --public, or opens the viewer of the image that is \
            the only path. The part of an image that was seen last \
            is stored in the browser only.
            """,
        examples: [
            "viewport serve photos --open": "Show the images of a folder in a browser",
            "viewport serve big.tif --open": "Show an image in a browser",
            "viewport serve ~/Photos --host 0.0.0.0 --token 6b1e0f9a2c --watch":
                "Show a library to other machines, and new photos as they arrive",
            "viewport serve ~/Photos --allow-edits":
                "Rate, pick and name photos in a browser on this machine",
            "viewport serve --remote https://example.org/photos":
                "Tiles of images on another server, which need not be converted",
        ])

    @Argument(help: "Folders, images and photo libraries to serve.", completion: .file())
    var paths: [String] = []

    #if Library
    @Option(
        help: ArgumentHelp(
            "The catalog of the library to serve, if it is not in the library's folder.", valueName: "file"),
        completion: .file())
    var catalog: String?

    @Option(
        help: ArgumentHelp(
            "A folder for the sidecars of photos that cannot be written; the catalog remembers it.",
            valueName: "folder"), completion: .directory)
    var sidecars: String?
    #endif

    @Option(
        help: ArgumentHelp(
            "Serve the images below a URL, too: IMAGE is what follows it.", valueName: "prefix"))
    var remote: String?

    @Flag(help: "Let --remote read from this machine and its network.")
    var allowPrivateAddresses = false

    @Option(help: "Port; 0 selects a free one.")
    var port = 8080

    @Option(help: "Address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "Secret that requests must have: ?token=… once in a browser, or a bearer token.")
    var token: String?

    @Flag(name: .customLong("public"), help: "Give every client that can connect access to the images.")
    var isPublic = false

    @Option(name: .customLong("base-url"), help: "URL for clients, if a proxy does not pass it on.")
    var baseURL: String?

    @Option(
        name: .customLong("trusted-proxy"), parsing: .unconditionalSingleValue,
        help:
            "Address or range such as 10.0.0.0/8 of a proxy whose X-Forwarded headers are trusted; may be repeated."
    )
    var trustedProxies: [AddressRange] = []

    @Option(help: "Maximum number of pixels in a response.")
    var maxArea = TileServer.Limits().maximumOutputArea

    @Option(help: "Maximum number of pixels in a file.")
    var maxPixels: Int?

    @Option(
        help: ArgumentHelp(
            "Memory of caches, levels and decoders together, such as 512M (default: an eighth of what the machine or its control group has, at least 256M).",
            valueName: "size"))
    var memory: ByteCount?

    @Flag(help: OpenArguments.untrustedHelp)
    var allowUntrusted = false

    @Flag(name: .customLong("open"), help: "Open the server in a browser, where it was left.")
    var opensBrowser = false

    @Option(
        help: ArgumentHelp(
            "End when nobody has been connected for this many minutes. Open pages connect each minute.",
            valueName: "minutes"))
    var exitWhenIdle: Double?

    @Flag(help: "Index new and changed files of libraries while serving.")
    var watch = false

    @Option(
        help: ArgumentHelp(
            "A tile server for the maps of libraries, with {z}, {x} and {y} (default: the built-in map).",
            valueName: "url"))
    var mapTiles: String?

    @Option(help: ArgumentHelp("Whom the map of --map-tiles credits.", valueName: "text"))
    var mapAttribution: String?

    @Flag(help: "Let pages of libraries edit picks, albums, ratings, titles and keywords.")
    var allowEdits = false

    @Option(
        help: "Log level on standard error: trace, debug (every request), info, notice, warning, error.")
    var logLevel = Logger.Level.notice

    @OptionGroup(title: "IIIF manifests") var manifest: ManifestContents

    @Flag(help: "Print address and port as one line of JSON.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        if paths.isEmpty, remote == nil {
            throw ValidationError("give a folder, an image or a library to serve, or --remote with a URL")
        }
        #if Library
        if catalog != nil || sidecars != nil, paths.count != 1 {
            throw ValidationError("--catalog and --sidecars are those of one library: give only its folder")
        }
        #endif
        if let remote, !RemoteAddress.isRemote(remote) || remote.contains("?") {
            throw ValidationError(
                refusing: RemoteAddress.shown(remote), of: "--remote", give: "a URL without a query",
                example: "https://example.org/photos")
        }
        if let mapTiles, MapTiles(mapTiles) == nil {
            throw ValidationError(
                refusing: mapTiles, of: "--map-tiles", give: "a URL with {z}, {x} and {y}",
                example: "https://example.org/{z}/{x}/{y}.png")
        }
        if mapAttribution != nil, mapTiles == nil {
            throw ValidationError("--map-attribution is that of a tile server: give --map-tiles, too")
        }
        if allowEdits, token == nil, isPublic || !TileServer.isLocal(host) {
            throw ValidationError(
                "--allow-edits needs --token where other machines can connect: who has it can edit the libraries"
            )
        }
        try require("--port", port, in: 0...65535, example: 8080)
        try require("--max-area", maxArea, in: (1 << 16)..., example: 1 << 24)
        try require("--max-pixels", maxPixels, in: 1..., example: 100_000_000)
        try require(
            "--memory", memory, in: ByteCount(argument: "128M")!..., example: ByteCount(argument: "512M")!)
        try require("--exit-when-idle", exitWhenIdle, in: 0.01...1e6, example: 10)
        if let token, token.isEmpty || !token.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x3B }) {
            throw ValidationError(
                refusing: token, of: "--token",
                give: "ASCII letters, digits and punctuation, without spaces and ;",
                example: "6b1e0f9a2c")
        }
    }

    func run() async throws {
        // Before libvips starts, after which C's stream of errors is no longer that of this process.
        var logger = Logger(label: "viewport") { StreamLogHandler.standardError(label: $0) }
        if allowUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        logger.logLevel = logLevel
        var configuration = TileServer.Configuration(roots: paths)
        configuration.remoteRoot = remote
        configuration.allowsPrivateAddresses = allowPrivateAddresses
        configuration.host = host
        configuration.port = port
        configuration.token = token
        configuration.isPublic = isPublic
        configuration.allowsEdits = allowEdits
        configuration.baseURL = baseURL
        configuration.trustedProxies = trustedProxies
        configuration.manifests = manifest.options
        configuration.mapTiles = mapTiles.flatMap(MapTiles.init)
        configuration.mapTiles?.attribution = mapAttribution ?? ""
        configuration.limits.maximumOutputArea = maxArea
        configuration.limits.maximumConcurrentArea = max(
            2 * maxArea, configuration.limits.maximumConcurrentArea)
        configuration.limits.maximumSourcePixels = maxPixels
        configuration.limits.memoryBytes = memory?.bytes
        configuration.idleLimit = exitWhenIdle.map { .seconds($0 * 60) }
        configuration.cache = try CacheSettings.folder()
        configuration.unknownHostRemedy = "start it with --base-url and that name, or with --public"
        let lastVisit = LastVisit(paths: paths)
        // On a public server, the last visit may be that of anybody.
        if !isPublic { configuration.onVisit = { lastVisit.note($0) } }
        defer { lastVisit.store() }
        TileServer.tuneProcess()
        TileServer.limitEventLoops()
        #if Library
        let libraries = try await ServedLibraries.open(
            among: paths, catalog: catalog, sidecars: sidecars)
        let server = try TileServer(
            configuration, extensions: [.photoLibraries(libraries)], logger: logger)
        #else
        let server = try TileServer(configuration, logger: logger)
        #endif
        let memory = MemoryWatch(limit: server.memoryByteCount)
        server.listen(to: memory)
        // Warnings are repeated while the pressure lasts; the log has the changes.
        let logged = Mutex(MemoryPressure.normal)
        let warnings = memory.onPressure { [logger] pressure in
            let isNew = logged.withLock { level in
                defer { level = pressure }
                return level != pressure
            }
            if isNew, pressure > .normal {
                logger.notice("released memory", metadata: ["pressure": "\(pressure)"])
            }
        }
        defer { warnings.cancel() }
        try await withThrowingTaskGroup { group in
            group.addTask { await memory.run() }
            #if Library
            for library in watch ? libraries : [] {
                group.addTask { [logger] in await Self.watch(library, logger) }
            }
            #endif
            try await server.run(handlesSignals: true) { port in
                // A single image is what was asked for, wherever the last visit ended.
                let page = server.startPage
                reportAddress(port, of: page, opening: page.isEmpty ? lastVisit.start : page)
            }
            group.cancelAll()
        }
    }

    #if Library
    /// Keeps a library up to date; if that fails, it is served unchanged.
    private static func watch(_ library: PhotoLibrary, _ logger: Logger) async {
        do {
            try await library.watch()
        } catch {
            logger.error("the library is no longer watched", metadata: ["error": "\(error)"])
        }
    }
    #endif

    /// Prints the server's address when clients can connect.
    ///
    /// - Parameters:
    ///   - page: the page of the address, relative to the server.
    ///   - opened: the page that a browser opens.
    private func reportAddress(_ port: Int, of page: String, opening opened: String) {
        let host = host == "0.0.0.0" || host == "::" ? "localhost" : host
        let authority = host.contains(":") ? "[\(host)]" : host
        let base = baseURL ?? "http://\(authority):\(port)"
        func address(of page: String) -> String {
            let secret = token.map { "\(page.contains("?") ? "&" : "?")token=\(PercentCoding.encode($0))" }
            return "\(base)/\(page)\(secret ?? "")"
        }
        let first = address(of: page)
        let line =
            json ? JSONValue.object(["address": .string(first), "port": .int(port)]).description : first
        print(line)
        StandardOutput.flush()
        if opensBrowser { ProcessEnvironment.open(address(of: opened)) }
    }
}

extension AddressRange: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
#endif
#endif
