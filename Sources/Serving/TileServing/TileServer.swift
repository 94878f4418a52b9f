#if Server
internal import Basics
internal import Files
public import Hummingbird
public import HummingbirdCore
public import Logging
public import MemoryWatching
public import NIOCore
package import Presentation
internal import ServiceLifecycle
internal import Synchronization
internal import TilePyramid
internal import UnixSignals
package import ViewportGeometry
internal import ViewportRendering
internal import Vips
package import ViewerPages

/// An image server for the IIIF Image API 3.0 and 2.1, Deep Zoom, and browsers.
///
/// Run it alone with ``run(handlesSignals:onReady:)``, or embed it in a Hummingbird application:
///
/// ```swift
/// let tiles = try TileServer(roots: ["/srv/images"])
/// let router = Router()
/// router.addTileServer(tiles, at: "/images")
/// let application = Application(router: router)
/// try await application.runService()
/// ```
///
/// The application then serves IIIF at `/images/iiif/3/NAME`, Deep Zoom at `/images/dzi/NAME.dzi`, a viewer at
/// `/images/view/NAME`, and `/images/health` and `/images/metrics` for operators.
///
/// All state can be rebuilt from the files. Copies of a value share it.
public struct TileServer: Sendable {
    private let configuration: Configuration
    private let dispatcher: Dispatcher
    private let outbound: OutboundByteBudget
    private let logger: Logger
    /// The caches in memory.
    private let caches: [any MemoryReleasing]
    private let admission: AdmissionController
    private let roots: ImageRoots
    private let idleWatch: IdleWatch?

    /// Creates a server for this machine, with pages.
    ///
    /// - Parameters:
    ///   - roots: The paths of folders and images.
    ///   - limits: The limits on memory, time and sizes.
    /// - Throws: `ServerError`.
    public init(roots: [String], limits: Limits = Limits()) throws(ServerError) {
        var configuration = Configuration(roots: roots)
        configuration.limits = limits
        try self.init(configuration)
    }

    /// Creates a server with a configuration.
    ///
    /// - Parameters:
    ///   - configuration: The roots, access and limits.
    ///   - extensions: Content other than images, such as photo libraries.
    ///   - logger: The logger for errors, and for each request at level `debug`.
    /// - Throws: `ServerError`.
    public init(
        _ configuration: Configuration, extensions: [TileServerExtension] = [],
        logger: Logger = Logger(label: "TileServing")
    ) throws(ServerError) {
        try configuration.validate()
        var configuration = configuration
        try configuration.limits.fit(descriptors: Descriptors.limit, threads: Processors.count)
        configuration.limits.fit(memory: MemoryLimit.current)
        self.configuration = configuration
        self.logger = logger
        outbound = OutboundByteBudget(budget: configuration.limits.outboundBytes)
        let contents = extensions.map(\.content)
        roots = try ImageRoots(
            configuration.roots, remote: configuration.remoteRoot, timeout: configuration.limits.timeout
        ) { path in contents.contains { $0.servesHidden(path) } }
        idleWatch = configuration.idleLimit.map(IdleWatch.init)
        (dispatcher, caches, admission) = Self.dispatcher(
            configuration, roots, contents, outbound, logger)
    }

    private static func dispatcher(
        _ configuration: Configuration, _ roots: ImageRoots, _ extensions: [any ServerExtension],
        _ outbound: OutboundByteBudget, _ logger: Logger
    ) -> (Dispatcher, caches: [any MemoryReleasing], AdmissionController) {
        let (limits, cache) = (configuration.limits, configuration.cache)
        let registry = PrometheusRegistry()
        let metrics = ServerMetrics(registry)
        let (area, overflows) = limits.maximumConcurrentArea.multipliedReportingOverflow(
            by: Limits.bytesPerPixel)
        let admission = AdmissionController(
            budget: limits.workBytes, renderBudget: overflows ? .max : area, timeLimit: limits.timeout,
            outbound: outbound)
        let access = AccessControl(configuration.authorize)
        let images = OpenImages(
            roots, limits, access: access,
            remote: RemoteOptions(serverAllowsPrivateAddresses: configuration.allowsPrivateAddresses),
            isPrivate: { path in extensions.contains { $0.isPrivate(path) } },
            turn: { path in
                for part in extensions {
                    if let turn = await part.turn(of: path) { return turn }
                }
                return nil
            })
        let prepared = PreparedImages(roots, limits, cache: cache, admission, metrics)
        let renders = RenderService(prepared, limits, cache: cache, admission, metrics)
        let assets = PageAssets(extensions, reportingOpenPages: configuration.idleLimit != nil)
        let hot = HotResponses(capacity: limits.responseCacheBytes / 2, metrics, access)
        let iiif = IIIFRoute(
            images: images, renders: renders, hot: hot,
            limits: IIIFLimits(area: limits.maximumOutputArea),
            formats: PictureFormat.installed.map(\.rawValue) + [PDFResponse.format])
        let kept = KeptManifests()
        let services = ServerServices(
            roots: roots, limits: limits, assets: assets, renders: ExtensionRenders(admission, limits),
            access: access, allowsEdits: configuration.allowsEdits, mapTiles: configuration.mapTiles,
            manifests: configuration.manifests, keptManifests: kept, image: iiif.respond(to:knownAs:))
        var routes: [any Route] = [
            iiif, DeepZoomRoute(images: images, renders: renders, hot: hot), HealthRoute(),
            MetricsRoute(
                registry: registry, images: prepared, renders: renders, hot: hot, library: services.renders,
                admission: admission, outbound: outbound, memoryBytes: limits.memoryBytes ?? 0),
        ]
        if configuration.servesPages {
            routes += [
                IndexRoute(
                    roots: roots, access: access, entries: extensions.flatMap(\.indexEntries), assets: assets),
                CoverRoute(roots: roots, access: access),
                ViewRoute(
                    images: images, prepared: prepared, assets: assets, isAlone: !roots.startPage.isEmpty),
                CompareRoute(images: images, assets: assets),
                NeighborsRoute(roots: roots, access: access), AssetRoute(assets: assets),
                FaviconRoute(assets: assets),
                PresentationRoute(
                    roots: roots, access: access, options: configuration.manifests,
                    excluded: Set(extensions.flatMap(\.indexEntries).map { FilePath($0.root) }),
                    isPrivate: { path in extensions.contains { $0.isPrivate(path) } }, kept: kept),
            ]
            routes += extensions.flatMap { $0.routes(services) }
        }
        let dispatcher = Dispatcher(
            routes, base: BaseURL(configuration.baseURL, proxies: configuration.trustedProxies),
            hosts: AllowedHosts(configuration), unknownHostRemedy: configuration.unknownHostRemedy,
            token: configuration.token.map(AccessToken.init), isAuthorized: access != nil,
            assets: configuration.servesPages ? assets : nil,
            onVisit: configuration.onVisit,
            observer: RequestObserver(metrics: metrics, logger: logger))
        return (dispatcher, [images, prepared, renders, hot, services.renders], admission)
    }

    /// Makes the server's caches in memory release the least recently requested half with each warning, and everything
    /// when memory is critical.
    ///
    /// The program runs the source: `await memory.run()`.
    ///
    /// `MemoryWatch(limit:)` with ``memoryByteCount`` also watches the memory of the process: work that needs much waits for
    /// other work rather than exceed the limit.
    public func listen(to memory: MemoryWatch) {
        for cache in caches { memory.add(cache) }
        admission.listen(to: memory)
    }

    /// The address of the first page, relative to the server: the viewer of the only image, or empty for the index.
    package var startPage: String { roots.startPage }

    /// The memory of caches, levels and decoders together, in bytes.
    public var memoryByteCount: Int { configuration.limits.memoryBytes ?? 0 }

    /// The configuration of HTTP/1.1 connections that `run` uses, for applications that need the same protection.
    ///
    /// It limits headers, closes connections that are idle or read too slowly, limits the bytes on the way to all clients
    /// and, with a `ChannelRequestContext`, cancels renders when a client disconnects:
    /// `Application(router: router, server: .http1(configuration: tiles.http1Configuration))`.
    public var http1Configuration: HTTP1Channel.Configuration {
        let (outbound, limits, idleWatch) = (outbound, configuration.limits, idleWatch)
        return .init(
            additionalChannelHandlers: [
                DisconnectHandler(), WriteBackpressureHandler(outbound, timeout: limits.writeTimeout),
            ] + (idleWatch.map { [$0.handler()] } ?? []),
            idleTimeout: TimeAmount(limits.idleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
    }

    /// Serves on the configured host and port until the task is cancelled.
    ///
    /// - Parameters:
    ///   - handlesSignals: Whether SIGTERM and SIGINT stop the server after the requests that have begun.
    ///   - onReady: Called with the port when clients can connect.
    /// - Throws: `ServerError` if it cannot listen.
    public func run(
        handlesSignals: Bool = false,
        onReady: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) async throws {
        let (host, port) = (configuration.host, configuration.port)
        let stopping = Mutex<Task<Void, Never>?>(nil)
        defer { stopping.withLock { $0?.cancel() } }
        let application = Application(
            responder: StandaloneResponder(dispatcher: dispatcher),
            server: .http1(configuration: http1Configuration),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: "viewport", backlog: 4096,
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.limits.connections)),
            onServerRunning: { [logger, roots, idleWatch] channel in
                let added = channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(
                        ResilientListener(logger), position: .first)
                }
                try? await added.get()
                stopping.withLock { $0 = Task { await roots.stopWaitingAtShutdown() } }
                await onReady(channel.localAddress?.port ?? 0)
                idleWatch?.begin()
            },
            logger: logger)
        do {
            var services = [ServiceGroupConfiguration.ServiceConfiguration(service: application)]
            if let idleWatch {
                services.append(
                    .init(service: idleWatch, successTerminationBehavior: .gracefullyShutdownGroup))
            }
            let group = ServiceGroup(
                configuration: .init(
                    services: services, gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [],
                    logger: logger))
            try await group.run()
        } catch
            where error is IOError || error is SocketAddressError || error is SocketAddressError.UnknownHost
        {
            throw ServerError.cannotListen(host: host, port: port, reason: NetworkReason.of(error))
        }
    }

    /// Raises the limit of open files to the system's maximum, sets libvips to one thread per image, and makes the C
    /// library return freed memory to the system.
    ///
    /// No other function of this module changes the process. Call it once, before you create a `TileServer`.
    public static func tuneProcess() {
        Descriptors.raiseLimit()
        #if os(Linux)
        Heap.returnFreedMemory()
        #endif
        VipsLibrary.setConcurrency(1)
    }

    /// Gives the process as many event loops and blocking threads of SwiftNIO as it has processors, instead of one for
    /// each of the machine, unless SwiftNIO's environment variables set their numbers.
    ///
    /// Call it at most once, before anything uses SwiftNIO: SwiftNIO ends the process otherwise, which is why it is not
    /// part of ``tuneProcess()``.
    package static func limitEventLoops() {
        if ProcessEnvironment.variable("NIO_SINGLETON_GROUP_LOOP_COUNT") == nil {
            NIOSingletons.groupLoopCountSuggestion = Processors.count
        }
        if ProcessEnvironment.variable("NIO_SINGLETON_BLOCKING_POOL_THREAD_COUNT") == nil {
            NIOSingletons.blockingPoolThreadCountSuggestion = Processors.count
        }
    }

    /// Responds to a request below the path at which an application mounts the server.
    func respond(
        to request: Request, at mountPath: String, _ context: some RequestContext
    ) async -> Response {
        await dispatcher.respond(to: request, at: mountPath, context)
    }
}

/// A request context with the client's connection.
///
/// With it and `TileServer.http1Configuration`, a client that disconnects cancels its renders. `X-Forwarded-` headers of
/// proxies are accepted only with this context.
public protocol ChannelRequestContext: RequestContext {
    /// The client's connection.
    var channel: any Channel { get }
}

/// The context of a server that runs outside an application.
struct StandaloneContext: ChannelRequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

private struct StandaloneResponder: HTTPResponder {
    let dispatcher: Dispatcher

    func respond(to request: Request, context: StandaloneContext) async throws -> Response {
        await dispatcher.respond(to: request, at: "", context)
    }
}

extension Router {
    /// Mounts a tile server at a path, such as "/images".
    ///
    /// Requests below the path do not reach routes that are added later. Middleware that was added earlier runs for them.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - path: The path of its index; "/" for everything that no earlier route matches.
    @discardableResult
    public func addTileServer(_ server: TileServer, at path: String) -> Self {
        let parts = FilePath(path).names.map { PercentCoding.encode($0.text) }
        add(middleware: TileServerMiddleware(server: server, mountPath: parts.map { "/" + $0 }.joined()))
        return self
    }
}

/// Responds to all requests below a path, whatever the method, and passes on the rest.
private struct TileServerMiddleware<Context: RequestContext>: RouterMiddleware {
    let server: TileServer
    /// Empty, or a path such as "/images".
    let mountPath: String

    @concurrent
    func handle(
        _ request: Request, context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        // By bytes: a combining mark is no part of the slash before it.
        let path = (request.head.path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") }
        let rest = path.dropFirst(mountPath.utf8.count)
        guard path.starts(with: mountPath.utf8), rest.isEmpty || rest.first == UInt8(ascii: "/") else {
            return try await next(request, context)
        }
        context.coreContext.endpointPath.value = mountPath + "/**"
        return await server.respond(to: request, at: mountPath, context)
    }
}

/// Content of a tile server other than images, such as photo libraries.
public struct TileServerExtension: Sendable {
    package let content: any ServerExtension

    package init(_ content: any ServerExtension) {
        self.content = content
    }
}

/// The content and routes of an extension.
package protocol ServerExtension: Sendable {
    /// Entries of the index for roots with their own pages.
    var indexEntries: [IndexEntry] { get }

    /// Returns whether only pages of this server may read the file at a path, which need not exist.
    func isPrivate(_ path: String) -> Bool

    /// Returns whether the file at a path is served although a name in its path is hidden.
    func servesHidden(_ path: String) -> Bool

    /// Returns how the file at a path is turned when it is shown, as it was edited; nil where this extension has no say.
    func turn(of path: String) async -> Orientation?

    /// The files that its pages load from `/page/{name}`, and the templates of its pages, by name.
    var assets: [String: ViewerPage.Asset] { get }

    func routes(_ services: ServerServices) -> [any Route]
}

extension ServerExtension {
    package func servesHidden(_ path: String) -> Bool { false }

    package func turn(of path: String) async -> Orientation? { nil }
}

/// The parts of the server that routes of extensions use.
package struct ServerServices: Sendable {
    package let roots: ImageRoots
    package let limits: TileServer.Limits
    package let assets: PageAssets
    package let renders: ExtensionRenders
    /// Decides who may see what; nil where everybody may.
    package let access: AccessControl?
    /// Whether pages may change what they show.
    package let allowsEdits: Bool
    /// The tile server of maps; nil for the map of this program.
    package let mapTiles: MapTiles?
    /// What manifests say.
    package let manifests: ManifestOptions
    package let keptManifests: KeptManifests
    /// Responds to a request of the IIIF Image API; the response knows the image by another name than its identifier.
    package let image: @Sendable (_ request: RouteRequest, _ name: String) async throws -> RouteResponse
}
#endif
