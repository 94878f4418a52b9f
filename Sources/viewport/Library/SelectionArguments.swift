import ArgumentParser
import PhotoCatalog

/// Which assets are meant, and in what order.
struct SelectionArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only these: jpeg, png, photo, video or screenshot, with commas between.", valueName: "kinds"))
    var filter: AssetKinds = .all

    @Option(help: "By date: asc or desc; undated ones come last.")
    var sort: SortArgument = .ascending

    @Option(help: "Only the assets of this album; Picks is always there.")
    var album: String?

    @Option(
        help: ArgumentHelp("Only from this date on: 2014, 2014-05 or 2014-05-25T10:00.", valueName: "date"))
    var from: DateArgument?

    @Option(help: ArgumentHelp("Only up to this date, all of it included.", valueName: "date"))
    var to: DateArgument?

    @Option(
        help: ArgumentHelp("Only within so many kilometers of a place, in degrees.", valueName: "lat,lon,km"))
    var near: NearArgument?

    @Option(help: ArgumentHelp("Only at places whose names, or countries, hold this.", valueName: "text"))
    var place: String?

    /// The assets in entries.
    func collection(
        of library: PhotoLibrary, by unit: StandardGrouping.Unit = .all
    ) async throws -> AssetCollection {
        var filters: [any Filter] = [filter]
        if from != nil || to != nil { filters.append(DateFilter(from: from?.date, to: to?.date)) }
        if let near { filters.append(near.filter) }
        if let place { filters.append(PlaceFilter(containing: place)) }
        if unit == .place || place != nil { try await PlaceNames.tellOfMissing(in: library) }
        let source = try await source(in: library)
        let grouping = StandardGrouping(unit)
        if filters.count == 1 {
            return library.collection(of: source, grouping: grouping, filter: filter, sorter: sort.sorter)
        }
        return library.collection(
            of: source, grouping: grouping, filter: FilterIntersection(filters), sorter: sort.sorter)
    }

    private func source(in library: PhotoLibrary) async throws -> AssetGroup.ID {
        guard let album else { return .all }
        return try await library.album(called: album).id
    }
}

extension PhotoLibrary {
    /// An album by its name, or the picks.
    func album(called name: String) async throws -> AssetGroup {
        let albums = try await groups().filter { $0.kind == .album || $0.kind == .picks }
        guard let album = albums.first(where: { $0.name == name }) else {
            let names = albums.map(\.name).joined(separator: ", ")
            throw ValidationError(
                "there is no album \(name), only \(names); make it with `viewport library albums`")
        }
        return album
    }
}
