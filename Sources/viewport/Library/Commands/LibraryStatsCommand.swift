import ArgumentParser
import Basics
import PhotoCatalog

/// `viewport library stats`: the library in numbers.
struct LibraryStatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Say what the library holds, in numbers.")

    @OptionGroup var library: LibraryArguments

    @Flag(help: "One line of JSON.")
    var json = false

    func run() async throws {
        let statistics = try await library.openWithPlaces().statistics()
        let members: [(String, JSONValue?)] = [
            ("assets", .int(statistics.assets)), ("bytes", .int(statistics.bytes)),
            ("photos", .int(statistics.photos)), ("videos", .int(statistics.videos)),
            ("screenshots", .int(statistics.screenshots)),
            ("seconds", .number((statistics.duration * 1000).rounded() / 1000)),
            ("firstDate", JSONValue(statistics.first, JSONValue.string)),
            ("lastDate", JSONValue(statistics.last, JSONValue.string)), ("undated", .int(statistics.undated)),
            ("withoutZone", .int(statistics.withoutZone)), ("located", .int(statistics.located)),
            ("places", .int(statistics.places)), ("albums", .int(statistics.albums)),
        ]
        if json {
            let formats = JSONValue.object(statistics.formats.map { ($0.name, .int($0.count)) })
            print(JSONValue.object(members + [("formats", formats)]))
            return
        }
        let table = Table([.init("WHAT", least: 14), .init("NUMBER", .right, least: 24)])
        for (name, value) in members { table.add([name, "\(value)".replacing("\"", with: "")]) }
        for format in statistics.formats { table.add(["  \(format.name)", "\(format.count)"]) }
    }
}
