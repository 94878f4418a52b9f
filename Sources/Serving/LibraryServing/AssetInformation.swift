#if Server && Library
internal import Basics
internal import Containers
internal import Files
internal import ImageMetadata
internal import PhotoCatalog
internal import TileServing

/// What the panel beside a photo says: from the catalog, and the exposure from the file.
struct AssetInformation {
    private let served: ServedLibrary
    private let services: ServerServices
    private let asset: Asset

    init(of asset: Asset, in served: ServedLibrary, _ services: ServerServices) {
        self.asset = asset
        self.served = served
        self.services = services
    }

    func json() async throws -> JSONValue {
        let albums = try await served.library.albums(of: asset.id)
        var stack: [Asset]?
        if let cover = asset.stack { stack = try await served.library.stacks(of: [cover])[cover] }
        let file = try await contents()
        let picked = albums.contains { $0.kind == .picks }
        return .object([
            "asset": asset.json(in: served), "path": .string(asset.path),
            "file": .string(FileResponses.address(of: asset, in: served)),
            "missing": file == nil ? .bool(true) : nil,
            "date": asset.date.map { date($0, file?.dates.others ?? []) },
            "location": asset.location.map(location),
            "place": text(asset.place), "positionFault": text(file?.positionFault),
            "camera": text(FileMetadata.camera(make: asset.make, model: asset.model)),
            "lens": text(asset.lens),
            "exposure": file.map { exposure($0.exposure) }, "title": text(asset.title),
            "caption": text(asset.caption), "keywords": .array(asset.keywords.map(JSONValue.string)),
            "rating": asset.rating.map(JSONValue.int), "label": text(asset.label),
            "albums": .array(
                albums.filter { $0.kind == .album }.map {
                    .object(["group": .string($0.id.pathComponent), "title": .string($0.title)])
                }),
            "stack": stack.map { .array($0.map { $0.json(in: served) }) },
            "picked": .bool(picked), "film": try await film(in: file),
            "allowsEdits": .bool(services.allowsEdits),
        ])
    }

    /// The metadata of the file; nil if it is missing or unreadable.
    private func contents() async throws -> FileMetadata? {
        let (served, asset) = (served, asset)
        return try await served.threads.run {
            guard let path = served.file(of: asset) else { return nil }
            let sidecar = served.library.sidecarPath(of: asset).flatMap { try? InputFile.contents($0) }
            do throws(FileError) {
                // A file of an unknown format is there, and has no metadata.
                return try InputFile.read(path) {
                    FileMetadata(FileBytes($0), name: asset.name, sidecar: sidecar)
                }
            } catch {
                return nil
            }
        }
    }

    /// The address of the moving part of a live or motion photo.
    private func film(in file: FileMetadata?) async throws -> JSONValue? {
        if asset.isPhoto, let partner = asset.livePartner, let film = try await served.library.asset(partner)
        {
            return .string(FileResponses.address(of: film, in: served))
        }
        return file?.film.map { .string(FileResponses.address(of: $0, inside: asset, in: served)) }
    }

    private func date(_ date: CaptureDate, _ others: [(date: CaptureDate, reason: String)]) -> JSONValue {
        .object([
            "local": text(asset.localDate), "hasTime": .bool(date.hasTime),
            "offset": date.offset.map { .int($0.minutes) }, "source": .string(date.source.rawValue),
            "zoneSource": text(date.zoneSource.map(Self.words)),
            "others": .array(
                others.map { other, reason in
                    .object([
                        "local": .string(String(other.localText.prefix(19))),
                        "source": .string(other.source.rawValue), "reason": .string(reason),
                    ])
                }),
        ])
    }

    private static func words(_ source: ZoneSource) -> String {
        switch source {
        case .tag(let name): name
        case .inText: "the date itself"
        case .definition: "UTC by definition"
        case .assumed(let name): "assumed: \(name)"
        }
    }

    private func location(_ location: Location) -> JSONValue {
        .object([
            "latitude": .number(location.latitude), "longitude": .number(location.longitude),
            "altitude": location.altitude.map(JSONValue.number),
            "accuracy": location.accuracy.map(JSONValue.number),
            "source": .string(location.source.rawValue),
        ])
    }

    private func exposure(_ exposure: Exposure) -> JSONValue {
        .object([
            "seconds": exposure.seconds.map(JSONValue.number),
            "aperture": exposure.aperture.map(JSONValue.number),
            "sensitivity": exposure.sensitivity.map(JSONValue.int),
            "compensation": exposure.compensation.map(JSONValue.number),
            "focalLength": exposure.focalLength.map(JSONValue.number),
            "equivalent": exposure.equivalentFocalLength.map(JSONValue.int),
            "flash": exposure.usesFlash.map(JSONValue.bool),
        ])
    }

    private func text(_ text: String?) -> JSONValue? { text.map(JSONValue.string) }
}
#endif
