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

    /// Opens the library, and names its places where towns were installed since that was done last.
    func openWithPlaces() async throws -> PhotoLibrary {
        let library = try await open()
        do {
            try await library.namePlacesWhereNeeded()
        } catch let error as PlacesError {
            StandardError.write("viewport: \(error)\n")
        } catch LibraryError.busy, LibraryError.inaccessible {
            // What cannot be written now can be shown all the same.
        }
        return library
    }
}
