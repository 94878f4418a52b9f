#if Library
import ArgumentParser
import Basics
import PhotoCatalog

/// `viewport library export`: copies assets out of the library.
struct LibraryExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Copy assets and their sidecars out of the library.",
        discussion: """
            XMP, AAE and THM files are copied with their photo. Existing files are never
            replaced. A file that was damaged since it was indexed is not copied. Exit
            code 3: some files could not be copied.
            """,
        examples: [
            ("viewport library export photos -o out", "Copy all assets"),
            ("viewport library export photos -o out --album Picks", "Copy the assets of an album"),
        ])

    @OptionGroup var library: LibraryArguments

    @Option(name: .shortAndLong, help: "The destination folder; created if it is missing.")
    var output: String

    @Option(help: "Paths of the copies, with the fields of `import`.")
    var layout: ImportLayout = .standard

    @OptionGroup(title: "Which assets") var selection: SelectionArguments

    @Flag(help: "Print one line of JSON per file.")
    var json = false

    func run() async throws {
        let library = try await library.openWithPlaces()
        let collection = try await selection.collection(of: library)
        var assets: [Asset] = []
        for entry in try await collection.entries() { assets += try await collection.assets(in: entry) }
        let (output, layout, json) = (output, layout, json)
        let chosen = assets
        let (failed, failedSidecars, sidecars) = try await InterruptibleWork.run {
            var (failed, failedSidecars, sidecars) = (0, 0, 0)
            try await library.export(chosen, to: output, layout: layout) { file in
                if case .failed(let reason) = file.outcome {
                    if file.isSidecar { failedSidecars += 1 } else { failed += 1 }
                    StandardError.write("viewport: \(file.path): \(reason)\n")
                } else if file.isSidecar {
                    sidecars += 1
                }
                if json { print(file.json) }
            }
            return (failed, failedSidecars, sidecars)
        }
        if !json {
            let more = sidecars > 0 ? ", and \(sidecars) sidecars" : ""
            say("\(chosen.count - failed) of \(chosen.count) files are in \(output)\(more)")
        }
        if failed + failedSidecars > 0 { throw ExitCode(3) }
    }
}

extension ExportedFile {
    fileprivate var json: JSONValue {
        let (word, reason): (String, String?) =
            switch outcome {
            case .copied: ("copied", nil)
            case .present: ("present", nil)
            case .failed(let reason): ("failed", reason)
            }
        return .object([
            ("id", .int(Int(asset))), ("path", .string(path)), ("status", .string(word)),
            ("sidecar", .bool(isSidecar)), ("reason", JSONValue(reason, JSONValue.string)),
        ])
    }
}
#endif
