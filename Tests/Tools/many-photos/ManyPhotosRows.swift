import ArgumentParser
import Files
import ImageMetadata
import PhotoCatalog

/// Generates a catalog of photos without files, to measure queries.
struct RowsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rows", abstract: "Make a library with many assets, without files.")

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
        let ids = try await library.collection().snapshot().ids
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
            modifiedNanoseconds: number, sha256: String(repeating: "0", count: 64 - digits.count) + digits)
        if number % 200 > 0, let local = GeneratedDates.date(number) {
            asset.date = CaptureDate(local: local, source: .dateTimeOriginal)
        }
        if number % 3 == 0 {
            let place = number / 40 % 500
            asset.place = "Place \(place)"
            // Every fiftieth place is near one town.
            let (latitude, longitude): (Int, Int) =
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

/// Writes minimal photos: JPEGs with a date and a camera.
struct FilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "files", abstract: "Write many small photos, a thousand in a folder.")

    @Argument(help: "Folder to make them in.")
    var folder: String

    @Option(help: "How many.")
    var count = 1000

    @Option(help: "Bytes of each, about.")
    var bytes = 20_000

    func run() throws {
        try Folder.make(folder)
        let filling = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
        for number in 0..<count {
            if number % 1000 == 0 { try Folder.make("\(folder)/\(number / 1000)") }
            try OutputFile.write(photo(number, filling), to: "\(folder)/\(number / 1000)/IMG_\(number).jpg")
        }
    }

    private func photo(_ number: Int, _ filling: [UInt8]) -> [UInt8] {
        let date = GeneratedDates.date(number)?.description ?? ""
        let text =
            "\(date.prefix(10).map { $0 == "-" ? ":" : String($0) }.joined()) \(date.dropFirst(11).prefix(8))"
        // A TIFF block with Make and, in the Exif directory, DateTimeOriginal.
        var exif = Array("Exif\0\0MM\0*".utf8)
        exif += [0, 0, 0, 8, 0, 2] as [UInt8]
        exif +=
            [
                0x01, 0x0F, 0, 2, 0, 0, 0, 6, 0, 0, 0, 38, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 44, 0, 0, 0,
                0,
            ] as [UInt8]
        exif += Array("Lens1\0".utf8)
        exif += [0, 1, 0x90, 0x03, 0, 2, 0, 0, 0, 20, 0, 0, 0, 62, 0, 0, 0, 0] as [UInt8]
        exif += Array(text.utf8)
        exif.append(0)
        let name = Array("\(number)".utf8)
        let frame: [UInt8] = [8, 0x0B, 0xB8, 0x0F, 0xA0, 1, 1, 0x11, 0]
        let scan: [UInt8] = [1, 1, 0, 0, 63, 0]
        let segments = [
            segment(0xE1, exif), segment(0xFE, name), segment(0xFE, filling), segment(0xC0, frame),
            segment(0xDA, scan),
        ]
        var bytes: [UInt8] = [0xFF, 0xD8]
        for segment in segments { bytes += segment }
        bytes += [0, 0xFF, 0xD9] as [UInt8]
        return bytes
    }

    private func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count + 2
        return [0xFF, marker, UInt8(count >> 8), UInt8(count & 255)] + content
    }
}
