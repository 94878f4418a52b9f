import ArgumentParser
import Foundation
import ImageMetadata

/// The zone of dates that name none.
struct ZoneArguments: ParsableArguments {
    @Option(help: "Zone of dates that name none: Europe/Paris or +02:00.")
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
        // Abbreviations as CET are left out: several zones share them.
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

    static var understood: String { "the name of a zone or its hours from UTC" }
    static var example: String { "Europe/Paris" }

    static func fault(in text: String) -> String? {
        let near = Suggestion.nearest(to: text, of: TimeZone.knownTimeZoneIdentifiers)
        return near.map { "no zone (did you mean \($0)?)" } ?? "no zone"
    }
}
