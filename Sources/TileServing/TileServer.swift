#if Server
internal import Files
public import Hummingbird
public import HummingbirdCore
public import Logging
public import NIOCore
internal import ServiceLifecycle
internal import TilePyramid
internal import ViewerPages
internal import ViewportRendering
internal import Vips

/// An image server: IIIF Image API 3.0 and 2.1, Deep Zoom, and pages to look at the images.
///
/// It runs alone with `run`, or as part of a Hummingbird application:
///
/// ```swift
/// let tiles = try TileServer(roots: ["/srv/images"])
/// let router = Router()
/// router.addTileServer(tiles, at: "/images")
/// let application = Application(router: router)
/// try await application.runService()
/// ```
///
/// Then `/images/iiif/3/NAME` is an image, `/images/dzi/NAME.dzi` the same for Deep Zoom, `/images/view/NAME` a
/// viewer, and `/images/health` and `/images/metrics` are for operators.
///
/// The server has no state that cannot be made again from the files. Copies share it.
public struct TileServer: Sendable {
    private let configuration: Configuration
    private let dispatcher: Dispatcher
    private let outbound: OutboundByteBudget
    private let logger: Logger

    /// A server of folders and images for this machine, with pages.
    ///
    /// - Parameters:
    ///   - roots: paths of folders and images.
    ///   - limits: bounds on memory, time and sizes.
    /// - Throws: `ServerError`.
    public init(roots: [String], limits: Limits = Limits()) throws(ServerError) {
        var configuration = Configuration(roots: roots)
        configuration.limits = limits
        try self.init(configuration)
    }

    /// A server as configured.
    ///
    /// - Parameters:
    ///   - extensions: what it shows beside images.
    ///   - logger: gets each request at level `debug`.
    /// - Throws: `ServerError`.
    public init(
        _ configuration: Configuration, extensions: [TileServerExtension] = [],
        logger: Logger = Logger(label: "TileServing")
    ) throws(ServerError) {
        try configuration.validate()
        var configuration = configuration
        try configuration.limits.fit(descriptors: Descriptors.limit, threads: System.coreCount)
        self.configuration = configuration
        self.logger = logger
        outbound = OutboundByteBudget(budget: configuration.limits.outboundBytes)
        dispatcher = try Self.dispatcher(configuration, extensions.map(\.content), outbound, logger)
    }

    private static func dispatcher(
        _ configuration: Configuration, _ extensions: [any ServerExtension], _ outbound: OutboundByteBudget,
        _ logger: Logger
    ) throws(ServerError) -> Dispatcher {
        let (limits, cache) = (configuration.limits, configuration.cache)
        let registry = PrometheusRegistry()
        let metrics = ServerMetrics(registry)
        let roots = try ImageRoots(configuration.roots)
        let images = OpenImages(
            roots, limits, cache: cache,
            isPrivate: { path in extensions.contains { $0.isPrivate(path) } })
        let admission = AdmissionController(budget: limits.maximumConcurrentArea)
        let renders = RenderService(images, limits, cache: cache, admission, metrics)
        let assets = PageAssets(extensions)
        let services = ServerServices(
            roots: roots, limits: limits, assets: assets, renders: RenderCache(admission, limits))
        var routes: [any Route] = [
            IIIFRoute(
                images: images, renders: renders, limits: IIIFLimits(area: limits.maximumOutputArea),
                formats: PictureFormat.installed.map(\.rawValue)),
            DeepZoomRoute(images: images, renders: renders), HealthRoute(),
            MetricsRoute(registry: registry, renders: renders, outbound: outbound),
        ]
        if configuration.servesPages {
            routes += [
                IndexRoute(roots: roots, entries: extensions.flatMap(\.indexEntries)),
                ViewRoute(images: images, assets: assets), AssetRoute(assets: assets),
            ]
            routes += extensions.flatMap { $0.routes(services) }
        }
        return Dispatcher(
            routes, base: BaseURL(configuration.baseURL, proxies: configuration.trustedProxies),
            hosts: AllowedHosts(configuration), unknownHostRemedy: configuration.unknownHostRemedy,
            token: configuration.token.map(AccessToken.init),
            observer: RequestObserver(metrics: metrics, logger: logger))
    }

    /// The configuration of HTTP/1.1 connections that `run` uses, for applications that want the same protection.
    ///
    /// It limits headers, closes idle connections and those that read too slowly, bounds the bytes that all clients
    /// are receiving and, with a `ChannelRequestContext`, stops rendering when a client disconnects:
    /// `Application(router: router, server: .http1(configuration: tiles.http1Configuration))`.
    public var http1Configuration: HTTP1Channel.Configuration {
        let (outbound, limits) = (outbound, configuration.limits)
        return .init(
            additionalChannelHandlers: [
                DisconnectHandler(), WriteBackpressureHandler(outbound, timeout: limits.writeTimeout),
            ],
            idleTimeout: TimeAmount(limits.idleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
    }

    /// Serves on the configured host and port until the task is cancelled.
    ///
    /// - Parameters:
    ///   - handlesSignals: whether SIGTERM and SIGINT of the process end the server, after the requests that have
    ///     begun.
    ///   - onReady: gets the port when clients can connect.
    /// - Throws: `ServerError` where it cannot listen.
    public func run(
        handlesSignals: Bool = false,
        onReady: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) async throws {
        let (host, port) = (configuration.host, configuration.port)
        let application = Application(
            responder: StandaloneResponder(dispatcher: dispatcher),
            server: .http1(configuration: http1Configuration),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: "viewport", backlog: 1024,
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.limits.connections)),
            onServerRunning: { [logger] channel in
                let added = channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(
                        ResilientListener(logger), position: .first)
                }
                try? await added.get()
                await onReady(channel.localAddress?.port ?? 0)
            },
            logger: logger)
        do {
            if handlesSignals {
                try await application.runService()
            } else {
                try await application.runService(gracefulShutdownSignals: [])
            }
        } catch let error as IOError {
            throw ServerError.cannotListen(host: host, port: port, reason: "\(error)")
        }
    }

    /// Tunes the process for serving: as many open files as the system allows, one libvips thread per image.
    ///
    /// No other function of this module changes the process. Call it once, before the first `TileServer` is made.
    public static func tuneProcess() {
        Descriptors.raiseLimit()
        VipsLibrary.setConcurrency(1)
    }

    /// Answers requests below a path.
    func respond(
        to request: Request, at mountPath: String, _ context: some RequestContext
    ) async -> Response {
        await dispatcher.respond(to: request, at: mountPath, context)
    }
}

/// A request context that has the client's connection.
///
/// With it, and with `TileServer.http1Configuration`, rendering stops when the client disconnects, and
/// `X-Forwarded-` headers of proxies are believed.
public protocol ChannelRequestContext: RequestContext {
    /// The client's connection.
    var channel: any Channel { get }
}

/// The context of a server that runs alone.
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
    /// Adds a tile server below a path, as "/images"; requests below it reach no routes that are added later.
    ///
    /// Middleware that was added before runs for them, too.
    ///
    /// - Parameter path: at which its index is; "/" for everything that no earlier route answers.
    @discardableResult
    public func addTileServer(_ server: TileServer, at path: String) -> Self {
        let parts = path.split(separator: "/").map { PercentCoding.encode($0) }
        add(middleware: TileServerMiddleware(server: server, mountPath: parts.map { "/" + $0 }.joined()))
        return self
    }
}

/// Answers what lies below a path, also with methods that no route has, and passes on the rest.
private struct TileServerMiddleware<Context: RequestContext>: RouterMiddleware {
    let server: TileServer
    /// Empty, or as "/images".
    let mountPath: String

    @concurrent
    func handle(
        _ request: Request, context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let path = (request.head.path ?? "").prefix { $0 != "?" }
        let rest = path.dropFirst(mountPath.count)
        guard path.hasPrefix(mountPath), rest.isEmpty || rest.hasPrefix("/") else {
            return try await next(request, context)
        }
        context.coreContext.endpointPath.value = mountPath + "/**"
        return await server.respond(to: request, at: mountPath, context)
    }
}

/// Something that a tile server shows beside images.
public struct TileServerExtension: Sendable {
    package let content: any ServerExtension

    package init(_ content: any ServerExtension) {
        self.content = content
    }
}

/// What an extension adds to the server.
package protocol ServerExtension: Sendable {
    /// The roots that have pages of their own.
    var indexEntries: [IndexEntry] { get }

    /// Whether only pages of this server may read the file at a path, which need not exist.
    func isPrivate(_ path: String) -> Bool

    /// A file of its pages, served at `/page/{name}`.
    func asset(named name: String) -> PageAsset?

    func routes(_ services: ServerServices) -> [any Route]
}

/// The parts of the server that routes of extensions use.
package struct ServerServices: Sendable {
    package let roots: ImageRoots
    package let limits: TileServer.Limits
    package let assets: PageAssets
    package let renders: RenderCache
}
#endif
