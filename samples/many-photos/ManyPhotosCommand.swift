import ArgumentParser
import ImageMetadata
import PhotoCatalog

/// Libraries of any size, for benchmarks and tests, and what they answer how fast.
///
///     swift run -c release many-photos files photos --count 100000
///     swift run -c release many-photos index photos
///     swift run -c release many-photos rows million --count 1000000
///     swift run -c release many-photos ask million
@main
struct ManyPhotosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "many-photos", abstract: "Make libraries of any size, index them and ask them.",
        subcommands: [FilesCommand.self, IndexCommand.self, RowsCommand.self, AskCommand.self])
}

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
        for id in try await library.collection().snapshot().ids {
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

/// What people ask a library for: kinds, dates, places, and several at once.
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

/// Dates as people take pictures: days with many, and days with none.
enum GeneratedDates {
    static func date(_ number: Int) -> WallClock? {
        // Outings of about forty pictures, four hundred days out of a thousand, over twenty years and more.
        let outing = UInt64(number / 40) &* 0x9E37_79B9_7F4A_7C15
        let day = Int((outing >> 20) % 9000)
        let seconds = 32_400 + Int((outing >> 40) % 20_000) + number % 40 * 97
        return WallClock(wholeSeconds: (day + 10_000) * 86_400 + seconds)
    }
}
