import ArgumentParser
import ImageMetadata
import PhotoCatalog

/// Generates libraries of any size for benchmarks and tests, and measures their queries.
///
///     VIEWPORT_TESTS=all swift run -c release many-photos files photos --count 100000
///     VIEWPORT_TESTS=all swift run -c release many-photos index photos
///     VIEWPORT_TESTS=all swift run -c release many-photos rows million --count 1000000
///     VIEWPORT_TESTS=all swift run -c release many-photos ask million
@main
struct ManyPhotosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "many-photos", abstract: "Make libraries of any size, index and query them.",
        subcommands: [FilesCommand.self, IndexCommand.self, RowsCommand.self, AskCommand.self])
}

/// Indexes a folder with the API of PhotoCatalog.
struct IndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Update the library of a folder.")

    @Argument(help: "The folder.")
    var folder: String

    @Option(help: "Album to add the assets to, one by one.")
    var album: String?

    func run() async throws {
        let library = try await open()
        let clock = ContinuousClock()
        let start = clock.now
        print(try await index(library))
        print("\(clock.now - start)")
        guard let album else { return }
        let group = try await library.createAlbum(album)
        for id in try await library.collection().snapshot().ids {
            try await library.add([id], to: group.id)
        }
    }

    private func index(_ library: PhotoLibrary) async throws -> String {
        let index: () async throws -> IndexReport = { try await library.index() }
        do {
            let report = try await index()
            return "\(report.inserted) new, \(report.unchanged) unchanged, \(report.failures.count) broken"
        } catch let error as LibraryError {
            guard error.kind == .busy else { throw error }
            return "another is indexing"
        }
    }

    private func open() async throws -> PhotoLibrary {
        let create: () async throws -> PhotoLibrary = { try await PhotoLibrary.create(folder) }
        do {
            return try await create()
        } catch let error as LibraryError {
            guard error.kind == .alreadyExists else { throw error }
            return try await PhotoLibrary.open(folder)
        }
    }
}

/// Typical filters: kinds, dates, places, and combinations.
enum AskedFilter {
    static func all() throws -> [(name: String, filter: any AssetFilter)] {
        let years = try DateFilter(from: "2001", to: "2019")
        let places = PlaceFilter(containing: "place")
        let near = NearFilter(latitude: 47, longitude: 8, distance: 25_000)
        return [
            ("everything", AssetKinds.all), ("png", AssetKinds.png), ("screenshot", AssetKinds.screenshot),
            ("png or video", [AssetKinds.png, .video] as AssetKinds),
            ("years", years), ("a month", try DateFilter(from: "2014-05", to: "2014-05")),
            ("from a minute on", try DateFilter(from: "2000-01-01T10:30", to: nil)),
            ("places", places), ("a place", PlaceFilter(containing: "place 77")),
            ("near", near),
            ("near by half the Earth", NearFilter(latitude: 47, longitude: 8, distance: 10_000_000)),
            ("years and png", FilterIntersection([years, AssetKinds.png])),
            ("years and places", FilterIntersection([years, places])),
            ("places and png", FilterIntersection([places, AssetKinds.png])),
            ("near and years", FilterIntersection([near, years])),
        ]
    }
}

/// Dates like those of a real library: days with many photos, and days with none.
enum GeneratedDates {
    static func date(_ number: Int) -> WallClock? {
        // Outings of 40 pictures on random days within more than 24 years.
        let outing = UInt64(number / 40) &* 0x9E37_79B9_7F4A_7C15
        let day = Int((outing >> 20) % 9000)
        let seconds = 32_400 + Int((outing >> 40) % 20_000) + number % 40 * 97
        return WallClock(wholeSeconds: (day + 10_000) * 86_400 + seconds)
    }
}
