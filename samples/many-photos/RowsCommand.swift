import ArgumentParser
import Files
import ImageMetadata
import PhotoCatalog

/// A library of photos that nobody has, to ask it questions.
struct RowsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rows", abstract: "Make a library that knows of many photos, without their files.")

    @Argument(help: "Folder to make it in.")
    var folder: String

    @Option(help: "How many.")
    var count = 1_000_000

    func run() async throws {
        try Folder.make(folder)
        let library = try await PhotoLibrary.create(folder)
        for start in stride(from: 0, to: count, by: 10_000) {
            try await library.insert((start..<min(start + 10_000, count)).map(asset))
        }
        let album = try await library.createAlbum("A tenth")
        let ids = try await library.collection().arrangement().ids
        try await library.add(ids.filter { $0 % 10 == 3 }, to: album.id)
    }

    private func asset(_ number: Int) -> Asset {
        let kinds: AssetKinds =
            switch number % 50 {
            case 0...2: .video
            case 3...6: [.photo, .png]
            case 7: [.photo, .png, .screenshot]
            default: [.photo, .jpeg]
            }
        let digits = String(number, radix: 16)
        var asset = Asset(
            path: "\(number / 1000)/IMG_\(number).jpg", kinds: kinds, format: .jpeg,
            bytes: 2_000_000 + number % 999,
            modified: number, sha256: String(repeating: "0", count: 64 - digits.count) + digits)
        if number % 200 > 0, let local = GeneratedDates.date(number) {
            asset.date = CaptureDate(local: local, source: .dateTimeOriginal)
        }
        if number % 3 == 0 {
            let place = number / 40 % 500
            asset.place = "Place \(place)"
            // Every fiftieth place lies around one town.
            let (latitude, longitude) =
                place % 50 == 7 ? (47, 8) : (place * 37 % 120 - 60, place * 91 % 340 - 170)
            asset.location = Location(
                latitude: Double(latitude) + Double(number % 97) / 500,
                longitude: Double(longitude) + Double(number % 89) / 500, source: .exif)
        }
        asset.make = "Lens"
        asset.model = "Model \(number % 7)"
        return asset
    }
}
