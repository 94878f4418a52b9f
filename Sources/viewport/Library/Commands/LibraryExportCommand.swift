import ArgumentParser
import PhotoLibrary

/// `viewport library export`: copies of chosen assets.
struct LibraryExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Copy assets out of the library; nothing there is replaced.")

    @OptionGroup var library: LibraryArguments

    @Option(name: .shortAndLong, help: "The folder that the copies go to; made where it is missing.")
    var output: String

    @Option(help: "Where copies go in the folder, with the fields of `import`.")
    var layout: ImportLayout = .standard

    @OptionGroup(title: "Which assets") var selection: SelectionArguments

    @Flag(help: "One line of JSON for each file.")
    var json = false

    func run() async throws {
        let library = try await library.open()
        let collection = try await selection.collection(of: library)
        var assets: [Asset] = []
        for entry in try await collection.entries() { assets += try await collection.assets(in: entry) }
        let (output, layout, json) = (output, layout, json)
        let chosen = assets
        let failures = try await InterruptibleWork.run {
            var failures = 0
            try await library.export(chosen, to: output, layout: layout) { file in
                if case .failed(let reason) = file.outcome {
                    failures += 1
                    StandardError.write("viewport: \(file.path): \(reason)\n")
                }
                if json { print(file.json) }
            }
            return failures
        }
        if !json { say("\(chosen.count - failures) of \(chosen.count) files are in \(output)") }
        if failures > 0 { throw ExitCode(3) }
    }
}

extension ExportedFile {
    fileprivate var json: JSONText {
        let (word, reason): (String, String?) =
            switch outcome {
            case .copied: ("copied", nil)
            case .present: ("present", nil)
            case .failed(let reason): ("failed", reason)
            }
        return .object([
            ("id", .int(Int(asset))), ("path", .string(path)), ("status", .string(word)),
            ("reason", JSONText(reason, JSONText.string)),
        ])
    }
}
