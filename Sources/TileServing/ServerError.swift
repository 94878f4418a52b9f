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
