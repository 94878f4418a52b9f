import Thumbnails

#if Server
import TileServing
#endif

/// An error of a library for which the command line knows a cure.
///
/// Libraries say what is wrong in their own words; options and commands are named here only.
protocol Remedied: Error {
    /// What to do about it, as the end of a sentence: "add --allow-untrusted if you trust the file".
    var remedy: String? { get }
}

/// What is wrong and what to do, in one sentence.
func sentence(for error: any Error) -> String {
    guard let remedy = (error as? any Remedied)?.remedy else { return "\(error)" }
    return "\(error); \(remedy)"
}

// MARK: Thumbnails

extension ThumbnailError: Remedied {
    var remedy: String? {
        guard case .rendering(let error) = self else { return nil }
        return (error as any Error as? any Remedied)?.remedy
    }
}

extension BatchFailure: Remedied {
    var remedy: String? {
        switch code {
        case "folder": "add --recursive to go into it"
        case "failed-before": "add --retry-failed to try again"
        default: cause?.remedy
        }
    }
}

// MARK: - Server

#if Server
extension ServerError: Remedied {
    var remedy: String? {
        switch self {
        case .missingRoot: "check the path"
        case .duplicateNames: "serve the folder above them"
        case .notPublic: "add --token SECRET to ask them for one, or --public to let everybody see the images"
        case .cannotListen, .invalidPort: "choose another --port"
        case .invalidBaseURL: "correct --base-url"
        case .tooFewDescriptors: "raise the limit: ulimit -n 1024"
        case .emptyToken: "give --token letters, digits and signs"
        case .invalidLimit: nil
        }
    }
}
#endif
