import ArgumentParser
import PhotoCatalog

/// Indexes a folder, as programs do with a library of their own.
struct IndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Bring the library of a folder up to date.")

    @Argument(help: "The folder.")
    var folder: String

    @Option(help: "Album that the assets are put into, one after the other.")
    var album: String?

    func run() async throws {
        let library = try await open()
        let clock = ContinuousClock()
        let start = clock.now
        do {
            let report = try await library.index()
            print("\(report.inserted) new, \(report.unchanged) unchanged, \(report.failures.count) broken")
        } catch .indexing {
            print("another is indexing")
        }
        print("\(clock.now - start)")
        guard let album else { return }
        let group = try await library.createAlbum(album)
        for id in try await library.collection().arrangement().ids {
            try await library.add([id], to: group.id)
        }
    }

    private func open() async throws -> PhotoLibrary {
        do {
            return try await PhotoLibrary.create(folder)
        } catch .exists {
            return try await PhotoLibrary.open(folder)
        }
    }
}
