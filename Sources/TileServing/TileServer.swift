internal import Files
internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
package import RenderCaching
internal import ServiceLifecycle
internal import TilePyramid
internal import ViewportRendering
internal import Vips

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

/// The image server: IIIF, Deep Zoom and what else has a route.
///
/// It keeps no state of its own: everything that it holds can be made again from the files.
package struct TileServer: Sendable {
    private let settings: TileServerSettings
    private let dispatcher: Dispatcher
    private let deliveries: OutboundByteBudget
    private let logger: Logger

    /// - Parameters:
    ///   - assets: what the pages are made of; without them there are only images.
    ///   - addition: what is shown beside images.
    /// - Throws: `ServerError`.
    package init(
        _ settings: TileServerSettings, assets: (any PageAssets)? = nil,
        addition: (any ServerAddition)? = nil, logger: Logger
    ) throws(ServerError) {
        try Self.check(settings)
        var settings = settings
        try settings.limits.fit(descriptors: Descriptors.limit, threads: System.coreCount)
        self.settings = settings
        self.logger = logger
        let registry = PrometheusRegistry()
        let metrics = ServerMetrics(registry)
        let deliveries = OutboundByteBudget(budget: settings.limits.answerBytes)
        self.deliveries = deliveries
        let roots = try ImageRoots(settings.paths)
        let images = OpenImages(
            roots, settings.limits, cache: settings.cache, isPrivate: { addition?.isPrivate($0) ?? false })
        let admission = AdmissionController(budget: settings.limits.totalArea)
        let pictures = PictureMaker(images, settings.limits, cache: settings.cache, admission, metrics)
        let services = ServerServices(
            roots: roots, limits: settings.limits, assets: assets,
            pictures: RenderCache(admission, settings.limits))
        let routes: [any Route] = [
            IIIFRoute(
                images: images, pictures: pictures, limits: IIIFLimits(area: settings.limits.pictureArea),
                formats: PictureFormat.installed.map(\.rawValue)),
            DeepZoomRoute(images: images, pictures: pictures), HealthRoute(),
            MetricsRoute(registry: registry, pictures: pictures, deliveries: deliveries),
        ]
        let pages: [any Route] =
            assets.map { [ViewRoute(images: images, assets: $0), AssetRoute(assets: $0)] } ?? []
        dispatcher = Dispatcher(
            routes + [IndexRoute(roots: roots, places: addition?.places ?? [])] + pages
                + (addition?.routes(services) ?? []),
            base: BaseAddress(settings.baseURL, proxies: settings.trustedProxies),
            hosts: ServedHosts(settings), token: settings.token.map(AccessToken.init),
            observer: RequestObserver(metrics: metrics, logger: logger))
    }

    private static func check(_ settings: TileServerSettings) throws(ServerError) {
        guard ServedHosts.isLocal(settings.host) || settings.isPublic || settings.token != nil else {
            throw .notPublic(host: settings.host)
        }
        if let base = settings.baseURL {
            let rest = ["http://", "https://"].first(where: base.hasPrefix).map { base.dropFirst($0.count) }
            guard let rest, Authority(ofAddress: base) != nil,
                !rest.contains(where: { " \"<>?#\n\r".contains($0) })
            else {
                throw .badBaseURL(base)
            }
        }
    }

    /// Serves until it is asked to end by SIGTERM or SIGINT; what was begun is finished first.
    ///
    /// - Parameter isReady: told the port when clients can connect.
    package func run(isReady: @escaping @Sendable (_ port: Int) async -> Void) async throws {
        VipsLibrary.setConcurrency(1)
        let (limits, host) = (settings.limits, settings.host)
        let deliveries = deliveries
        let application = Application(
            responder: dispatcher,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [
                        DisconnectHandler(),
                        WriteBackpressureHandler(deliveries, timeout: .seconds(limits.receivingSeconds)),
                    ],
                    idleTimeout: .seconds(Int64(limits.idleSeconds)),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: settings.port), serverName: "viewport",
                backlog: 1024, availableConnectionsDelegate: MaximumAvailableConnections(limits.connections)),
            onServerRunning: { [logger] channel in
                let isPatient = channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(
                        ResilientListener(logger), position: .first)
                }
                try? await isPatient.get()
                await isReady(channel.localAddress?.port ?? 0)
            },
            logger: logger)
        do {
            try await application.runService()
        } catch let error as IOError {
            throw ServerError.cannotListen(host: host, port: settings.port, reason: "\(error)")
        }
    }
}
