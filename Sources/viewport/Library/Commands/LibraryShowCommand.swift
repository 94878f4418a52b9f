import ArgumentParser
import ImageMetadata
import PhotoCatalog

/// `viewport library show`: all that is known of assets.
struct LibraryShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Say all that is known of an asset.")

    @OptionGroup var library: LibraryArguments

    @Argument(help: "Identifiers, or paths below the library's folder.")
    var assets: [String]

    @OptionGroup var zone: ZoneArguments

    @Flag(help: "One line of JSON for each.")
    var json = false

    func run() async throws {
        let library = try await library.openWithPlaces()
        for (number, asset) in try await library.assets(called: assets).enumerated() {
            if json {
                print(AssetReport(asset: asset, zone: zone.zone).json)
            } else {
                if number > 0 { print() }
                show(asset)
            }
        }
    }

    private func show(_ asset: Asset) {
        let row = zip(AssetReport.columns, AssetReport(asset: asset, zone: zone.zone).row)
        var rows = row.filter { $0.0.title != "GROUP" }.map { ($0.0.title.lowercased(), $0.1) }
        func add(_ name: String, _ value: String?) { if let value { rows.append((name, value)) } }
        add("date from", asset.date.map { $0.source.rawValue + ($0.source.isGuess ? ", a guess" : "") })
        add("zone from", asset.date?.zoneSource?.description)
        add("camera", [asset.make, asset.model].compactMap(\.self).joined(separator: " ").nonEmpty)
        add("location", asset.location.map { "\($0.latitude), \($0.longitude), from \($0.source.rawValue)" })
        add("place", asset.place)
        add("duration", asset.duration.map { "\($0) s" })
        add("title", asset.title)
        add("caption", asset.caption)
        add("keywords", asset.keywords.joined(separator: ", ").nonEmpty)
        add("sidecar", asset.sidecar)
        add("live with", asset.livePartner.map { "\($0)" })
        add("burst", asset.burst)
        add("sha256", asset.sha256)
        for (name, value) in rows {
            print(name + String(repeating: " ", count: max(1, 11 - name.count)) + value)
        }
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

extension PhotoLibrary {
    /// Assets by identifiers or paths below the root.
    ///
    /// - Throws: `ValidationError` that names what there is no asset for.
    func assets(called names: [String]) async throws -> [Asset] {
        var assets: [Asset] = []
        for name in names {
            let byPath = try await asset(path: name)
            let byNumber: Asset? = if let id = Int64(name), byPath == nil { try await asset(id) } else { nil }
            guard let asset = byPath ?? byNumber else {
                throw ValidationError("there is no asset \(name); `viewport library list` names them all")
            }
            assets.append(asset)
        }
        return assets
    }
}
