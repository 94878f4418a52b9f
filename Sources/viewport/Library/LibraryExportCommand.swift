#if CommandLine
#if Library
public import ArgumentParser
public import AssetRendering
import Basics
import Files
import PhotoCatalog
import Renders
import ViewportRendering

/// `viewport library export`: copies assets out of the library.
struct LibraryExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Copy assets for others, also smaller or without location.",
        discussion: """
            Without --size, --format, --keep-metadata none and --strip-location, files are
            copied unchanged, with their XMP, AAE and THM files. Otherwise pictures are
            upright, also by the rotation of `edit`; those that need no other pixels are
            copied without decoding. --strip-location writes new EXIF and XMP without
            positions, maker notes and embedded pictures, except an HDR gain map; words stay,
            also names of places in them. Films and formats that cannot be copied without it
            are refused.

            --layout takeout writes what Google Takeout would: folders of years, one for each
            album with its files once more, and a JSON file beside each file with its date,
            description, position and whether it is a pick. Importers of other programs read
            that, and `import`, too.

            --layout lossless keeps all paths, and writes viewport-library.jsonl with albums,
            picks and all that is known of each photo. `import` makes the same library of it.

            Of a stack (raw and JPEG, edited copies, bursts) all files are copied, or only
            the cover where pictures are made smaller or changed; --stack decides otherwise.

            Existing files are never replaced: equal ones are skipped, so that the same
            command continues an interrupted export, and others get a number. A file that
            was damaged since it was indexed is not copied. Exit code 3: some files could
            not be copied.
            """,
        examples: [
            "viewport library export photos -o out": "Copy all assets",
            "viewport library export photos -o out --album Picks": "Copy the assets of an album",
            "viewport library export photos -o web --size 2048 --strip-location":
                "Smaller JPEGs without their positions",
            "viewport library export photos -o out --layout takeout": "For importers of Google Takeout",
            "viewport library export photos -o out --layout lossless": "For another library like this one",
        ])

    @OptionGroup var library: LibraryArguments

    @Option(
        name: .shortAndLong, help: "The destination folder; created if it is missing.", completion: .directory
    )
    var output: String

    @Option(help: "Paths of the copies, with the fields of `import`; or takeout or lossless.")
    var layout: ExportLayout = .paths(.standard)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Maximum long side in pixels; smaller pictures are not enlarged.", valueName: "pixels"))
    var size: Int?

    @Option(help: "Format of pictures: keep, jpeg, png or webp.")
    var format: AssetExport.Format = .keep

    @Option(name: [.customShort("Q"), .long], help: "Quality of JPEG and WebP, 1 to 100.")
    var quality = 90

    @Option(help: "EXIF, XMP and IPTC of the copies: all or none.")
    var keepMetadata: MetadataChoice = .all

    @Flag(help: "Leave out the position, in EXIF and XMP.")
    var stripLocation = false

    @OptionGroup(title: "Which assets") var selection: SelectionArguments

    @Flag(help: "Print one line of JSON per file.")
    var json = false

    func validate() throws {
        try require("--size", size, in: 1...65_535, example: 2048)
        try require("--quality", quality, in: 1...100, example: 90)
        if layout.keepsFiles, size != nil || format != .keep || keepMetadata != .all || stripLocation {
            throw ValidationError(
                "--layout \(layout.defaultValueDescription) copies files unchanged: leave out --size, --format, --keep-metadata and --strip-location"
            )
        }
    }

    private var export: AssetExport {
        var export = AssetExport()
        if case .paths(let layout) = layout { export.layout = layout }
        export.side = size
        export.format = format
        export.quality = quality
        export.metadata = keepMetadata
        export.stripsLocation = stripLocation
        return export
    }

    /// The assets to export: of stacks all files, or only the cover where pictures are made smaller or changed.
    private func ids(of library: PhotoLibrary) async throws -> [Asset.ID] {
        let isUnchanged = size == nil && format == .keep && keepMetadata == .all && !stripLocation
        let stacks = selection.stacks(usual: isUnchanged ? .all : .cover)
        let ids = try await selection.collection(of: library, stacks: stacks).snapshot().ids
        return stacks == .all ? try await library.withStacks(ids) : ids
    }

    /// The number of assets that are read from the catalog at a time.
    private static let page = 256

    func run() async throws {
        let library = try await library.openWithPlaces()
        let ids = try await ids(of: library)
        let (output, export, layout, json) = (output, export, layout, json)
        let takeout = TakeoutExport()
        let notes = PictureNotes(isOnly: false)
        let (there, failed, failedSidecars, sidecars) = try await InterruptibleWork.run("exporting") { line in
            var (there, failed, failedSidecars, sidecars) = (0, 0, 0, 0)
            func report(_ file: ExportedFile) {
                if case .failed(let reason) = file.outcome {
                    if file.isSidecar { failedSidecars += 1 } else { failed += 1 }
                    StandardError.write("viewport: \(file.path): \(reason)\n")
                } else if file.isSidecar {
                    sidecars += 1
                } else {
                    there += 1
                }
                if let reason = file.lacksGainMap { notes.show([.gainMap(reason)], of: file.path.text) }
                if json { print(file.json) }
            }
            if case .lossless = layout {
                try await library.exportLossless(
                    ids, to: output, progress: { line.show(count: $0.done, of: ids.count) }, each: report)
                return (there, failed, failedSidecars, sidecars)
            }
            for start in stride(from: 0, to: ids.count, by: Self.page) {
                let assets = try await library.assets(Array(ids[start...].prefix(Self.page)))
                let progress = { @Sendable (done: WorkProgress) in
                    line.show(count: start + done.done, of: ids.count)
                }
                if case .takeout = layout {
                    try await takeout.export(
                        assets, of: library, to: output, progress: progress, each: report)
                } else {
                    try await export.export(
                        assets, of: library, to: output, progress: progress, each: report)
                }
            }
            return (there, failed, failedSidecars, sidecars)
        }
        notes.finish()
        if !json {
            let more = sidecars > 0 ? ", and \(sidecars) sidecars" : ""
            say("\(there) of \(there + failed) files are in \(output)\(more)")
        }
        if failed + failedSidecars > 0 { throw ExitCode(3) }
    }
}

/// The paths of an export: those of a layout, of a Google Takeout, or those in the library.
enum ExportLayout: ExpressibleByArgument, Explained {
    case paths(ImportLayout)
    case takeout
    case lossless

    init?(argument: String) {
        switch argument {
        case "takeout": self = .takeout
        case "lossless": self = .lossless
        default:
            guard let layout = ImportLayout(argument: argument) else { return nil }
            self = .paths(layout)
        }
    }

    /// Whether files are copied as they are.
    var keepsFiles: Bool {
        switch self {
        case .paths: false
        case .takeout, .lossless: true
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .paths(let layout): layout.defaultValueDescription
        case .takeout: "takeout"
        case .lossless: "lossless"
        }
    }

    static var understood: String { "\(ImportLayout.understood), takeout, or lossless" }
    static var example: String { ImportLayout.example }
    static func fault(in text: String) -> String? { ImportLayout.fault(in: text) }
}

extension AssetExport.Format: ExpressibleByArgument {}

extension ExportedFile {
    fileprivate var json: JSONValue {
        let (word, reason): (String, String?) =
            switch outcome {
            case .copied: ("copied", nil)
            case .present: ("present", nil)
            case .failed(let reason): ("failed", reason)
            }
        return .object([
            "id": .int(Int(asset)), "path": .string(path.text), "status": .string(word),
            "sidecar": .bool(isSidecar), "reason": JSONValue(reason, JSONValue.string),
        ])
    }
}
#endif
#endif
