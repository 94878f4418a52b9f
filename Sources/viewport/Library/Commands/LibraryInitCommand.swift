import ArgumentParser
import Basics
import PhotoCatalog

/// `viewport library init`: makes a library of a folder.
struct LibraryInitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a library of a folder; `index` then looks at what is in it.")

    @OptionGroup var library: LibraryArguments

    @Flag(help: "One line of JSON.")
    var json = false

    func run() async throws {
        let made = try await PhotoLibrary.create(library.root, catalog: library.catalog)
        if json {
            print(
                JSONValue.object([("path", .string(made.root)), ("catalog", .string(made.catalogPath))]))
        } else {
            say("made \(made.catalogPath)")
        }
    }
}
