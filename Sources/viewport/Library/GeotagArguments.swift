import ArgumentParser
import Basics
import PhotoCatalog

/// Tracks that tell where photos without a location were taken.
struct GeotagArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "GPX track that tells where photos without a location were taken; several may be given.",
            valueName: "file"))
    var gpx: [String] = []

    @Option(
        help: ArgumentHelp(
            "Seconds from a photo to the nearest point of the track, at most.", valueName: "seconds"))
    var maxGap = 60.0

    @Option(help: ArgumentHelp("Seconds to add to what the camera's clock showed.", valueName: "seconds"))
    var clockOffset = 0.0

    @OptionGroup var zone: ZoneArguments

    func validate() throws {
        try require("--max-gap", maxGap, in: 0...1e9, example: 60)
        try require("--clock-offset", clockOffset, in: -1e10...1e10, example: -3600)
    }

    /// The tracks as one; nil where none is given.
    func track() throws(GPXError) -> Track? {
        guard !gpx.isEmpty else { return nil }
        return Track.joined(try gpx.map { path throws(GPXError) in try Track(gpx: path) })
    }

    /// Gives assets their locations by the tracks, and places their names where those are installed.
    ///
    /// - Returns: what the tracks did; nil where none is given.
    func apply(to library: PhotoLibrary, track: Track?) async throws -> GeotagReport? {
        var report: GeotagReport?
        if let track {
            report = try await library.geotag(
                by: track, maximumGap: maxGap, clockOffset: clockOffset, assuming: zone.zone)
        }
        try await library.namePlacesWhereNeeded()
        return report
    }
}

extension GeotagReport {
    var json: JSONValue {
        .object([
            ("located", .int(located)), ("undated", .int(undated)), ("withoutZone", .int(withoutZone)),
            ("beyondTrack", .int(beyondTrack)),
        ])
    }

    var sentence: String {
        "\(located) located by the track, \(beyondTrack) taken too far from it in time, \(undated) undated, "
            + "\(withoutZone) without a zone\(withoutZone > 0 ? " (name one with --assume-zone)" : "")"
    }
}
