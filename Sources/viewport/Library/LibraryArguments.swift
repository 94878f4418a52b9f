import ArgumentParser
import PhotoCatalog

/// Which library is meant.
struct LibraryArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The folder that holds the photos.", valueName: "library"))
    var root: String

    @Option(
        name: [.customLong("catalog"), .customLong("catalogue")],
        help: "The catalog, where it does not lie in the library's folder.")
    var catalog: String?

    @OptionGroup var quietness: QuietArguments

    func open() async throws(LibraryError) -> PhotoLibrary {
        try await PhotoLibrary.open(root, catalog: catalog)
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
