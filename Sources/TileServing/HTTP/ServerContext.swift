internal import Hummingbird
internal import Logging
internal import NIOCore

/// What Hummingbird knows of a request beside the request itself.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
