import ArgumentParser
import PhotoLibrary

/// Which library is meant.
struct LibraryArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The folder that holds the photos.", valueName: "library"))
    var root: String

    @Option(help: "The catalogue, where it does not lie in the library's folder.")
    var catalogue: String?

    @OptionGroup var quietness: QuietArguments

    func open() async throws(LibraryError) -> PhotoLibrary {
        try await PhotoLibrary.open(root, catalogue: catalogue)
    }
}
