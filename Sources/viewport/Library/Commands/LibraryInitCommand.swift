import ArgumentParser
import PhotoLibrary

/// `viewport library init`: makes a library of a folder.
struct LibraryInitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a library of a folder; `index` then looks at what is in it.")

    @OptionGroup var library: LibraryArguments

    func run() async throws {
        let made = try await PhotoLibrary.create(library.root, catalogue: library.catalogue)
        say("made \(made.cataloguePath)")
    }
}
