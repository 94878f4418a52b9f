#if Server
internal import Files
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// The cause of an error of the network in words: the errors of SwiftNIO have names of types and functions.
enum NetworkReason {
    static func of(_ error: any Error) -> String {
        switch error {
        case let error as IOError: systemReason(error.errnoCode)
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { of($0.error) } ?? noHost
        case is SocketAddressError, is SocketAddressError.UnknownHost: noHost
        case ChannelError.connectTimeout: "no answer in time"
        case is HTTPParserError, is NIOHTTPDecoderError: "the answer is not HTTP"
        default: "the connection ended"
        }
    }

    private static let noHost = "there is no such host"
}
#endif
