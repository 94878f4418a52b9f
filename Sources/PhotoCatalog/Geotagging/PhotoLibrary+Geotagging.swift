internal import GRDB
public import ImageMetadata

/// What became of the assets that had no location of their own.
public struct GeotagReport: Equatable, Sendable {
    /// Assets that were given a location.
    public var located = 0
    /// Without a date and a time, or with no other than that of the file's last change.
    public var undated = 0
    /// Whose date has no zone, and none was assumed.
    public var withoutZone = 0
    /// Taken when no point of the track was near in time.
    public var beyondTrack = 0
}

extension PhotoLibrary {
    /// Gives assets without a location that of a track at the time when they were taken.
    ///
    /// Locations that a track gave before are found anew.
    ///
    /// - Parameters:
    ///   - maximumGap: seconds to the nearest point, at most.
    ///   - clockOffset: seconds to add to what the camera's clock showed.
    ///   - zone: the zone of dates that name none.
    public func geotag(
        by track: Track, maximumGap: Double = 60, clockOffset: Double = 0, assuming zone: AssumedZone? = nil
    ) async throws(LibraryError) -> GeotagReport {
        let (report, locations) = try await catalog.read { database in
            var report = GeotagReport()
            var locations: [Asset.ID: Location] = [:]
            let rows = try Row.fetchCursor(
                database, sql: "SELECT * FROM asset WHERE latitude IS NULL OR locationSource = ?",
                arguments: [LocationSource.track.rawValue])
            while let row = try rows.next() {
                guard let date = CaptureDate(row), date.hasTime, date.source != .fileTime else {
                    report.undated += 1
                    continue
                }
                guard let instant = date.exactInstant(assuming: zone) else {
                    report.withoutZone += 1
                    continue
                }
                guard let location = track.location(at: instant + clockOffset, maximumGap: maximumGap) else {
                    report.beyondTrack += 1
                    continue
                }
                report.located += 1
                locations[row["id"]] = location
            }
            return (report, locations)
        }
        if !locations.isEmpty { try await setLocations(locations) }
        return report
    }
}

extension CaptureDate {
    /// Seconds since 1970 UTC with their fraction; nil where the zone is unknown.
    fileprivate func exactInstant(assuming zone: AssumedZone?) -> Double? {
        guard let offset = offset ?? zone?.offset(local) else { return nil }
        let fraction = local.fraction.isEmpty ? 0 : Double("0." + local.fraction) ?? 0
        return Double(local.wholeSeconds - offset.minutes * 60) + fraction
    }
}
