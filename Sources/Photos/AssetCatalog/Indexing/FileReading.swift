internal import CatalogStorage
internal import Containers
internal import Digests
internal import Files
internal import ImageMetadata

/// The result of reading a file.
enum FileReading: Sendable {
    case asset(Asset, FileRecord)
    /// Neither a photo nor a video.
    case other
    case failure(reason: String)
}

extension FileReading {
    /// Reads the metadata and the digest of a file.
    init(_ file: ScannedFile, in places: SidecarPlaces, _ dateCompletion: DateCompletion) {
        let path = "\(places.root)/\(file.path.text)"
        do {
            let sidecar = file.sidecar.map { SidecarReading($0.path, in: places) }
            self = try InputFile.read(path) { open in
                var file = file
                // The file may have been replaced since it was found.
                if open.status != file.status { (file.status, file.sha256) = (open.status, nil) }
                return Self(FileBytes(open), file, sidecar, dateCompletion)
            }
        } catch {
            self = .failure(reason: error.description)
        }
    }

    private init(
        _ bytes: FileBytes, _ file: ScannedFile, _ sidecar: SidecarReading?,
        _ dateCompletion: DateCompletion
    ) {
        let name = file.path.name.text
        guard
            let metadata = FileMetadata(
                bytes, name: name, sidecar: sidecar?.bytes,
                sharesSidecar: file.sidecar?.path
                    == file.path.withoutExtension.adding(file.sidecar?.path.ending ?? ""),
                assumedZone: dateCompletion.zone),
            metadata.kind == .photo || metadata.kind == .video
        else {
            self = FileExtension.isMedia(file.path) ? .failure(reason: FileExtension.fault) : .other
            return
        }
        if let fault = metadata.fault {
            self = .failure(reason: fault)
            return
        }
        var asset = Asset(
            path: file.path.text, kinds: AssetKinds(metadata), format: metadata.format,
            bytes: file.status.size,
            modifiedNanoseconds: file.status.modified, sha256: file.sha256 ?? Self.digest(bytes))
        asset.size = metadata.uprightSize
        asset.seconds = metadata.duration
        asset.date = metadata.date ?? dateCompletion.date(fileTime: file.status.modified)
        asset.location = metadata.location
        asset.make = metadata.make
        asset.model = metadata.model
        asset.lens = metadata.lens
        asset.rating = metadata.rating
        asset.label = metadata.label
        asset.turn = metadata.sidecarTurn
        asset.title = metadata.title
        asset.caption = metadata.caption
        asset.keywords = metadata.keywords
        asset.burst = metadata.burstIdentifier
        asset.sidecarFile = metadata.isSidecarOfOther ? nil : file.sidecar?.path
        var record = file.record
        record.contentIdentifier = metadata.livePhotoIdentifier
        record.sidecarFault = sidecar?.fault(metadata)
        record.damage = FileGap.find(bytes, name: name)?.text
        record.positionFault = metadata.positionFault
        self = .asset(asset, record)
    }

    private static func digest(_ bytes: FileBytes) -> String {
        var hash = SHA256()
        bytes.withChunks { hash.update($0.span) }
        return hash.finalize().hexadecimal
    }
}

/// The bytes of a sidecar, or the reason why it cannot be read.
struct SidecarReading {
    private let path: FilePath
    private let result: Result<[UInt8], FileError>

    /// - Parameter path: the path below the root.
    init(_ path: FilePath, in places: SidecarPlaces) {
        self.path = path
        result = Result { () throws(FileError) in try Self.contents(places.path(of: path)) }
    }

    /// Nil if it cannot be read.
    var bytes: [UInt8]? { try? result.get() }

    /// Why it was not read, as the end of a sentence about its photo; nil if it was.
    func fault(_ metadata: FileMetadata) -> String? {
        if case .failure(let error) = result {
            return "its sidecar \(path) cannot be read: \(error.description)"
        }
        return metadata.sidecarFault?.reason(of: "\(path)")
    }

    /// Returns the bytes of a sidecar; of one that is too large, as many as show that.
    static func contents(_ path: String) throws(FileError) -> [UInt8] {
        do throws(FileError) {
            let file = try OpenFile(path)
            let bytes = try file.prefix(SidecarFault.mostBytes + 1)
            try file.check()
            return bytes
        } catch .empty {
            return []
        }
    }
}

extension FileMetadata {
    /// The reason why a photo cannot be an asset; nil if it can.
    package var fault: String? {
        storedSize != nil || kind == .video || format.isRaw
            ? nil : "its size cannot be told; the file is damaged or cut"
    }
}

extension AssetKinds {
    init(_ metadata: FileMetadata) {
        self = metadata.kind == .video ? .video : .photo
        if metadata.format == .jpeg { insert(.jpeg) }
        if metadata.format == .png { insert(.png) }
        if metadata.isScreenshot { insert(.screenshot) }
        if metadata.film != nil { insert(.motion) }
        if metadata.panorama != nil, metadata.kind == .photo { insert(.panorama) }
    }
}
