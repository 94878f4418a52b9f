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
    /// The version of what is read; files that an earlier version has read are read again.
    static let version = 2

    /// Reads the metadata and the digest of a file.
    init(_ file: ScannedFile, root: String, _ dateCompletion: DateCompletion) {
        let path = "\(root)/\(file.path)"
        do {
            let sidecar = file.sidecar.flatMap { try? InputFile.contents("\(root)/\($0.path)") }
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
        _ bytes: FileBytes, _ file: ScannedFile, _ sidecar: [UInt8]?, _ dateCompletion: DateCompletion
    ) {
        let name = OutputFile.name(of: file.path)
        guard
            let metadata = FileMetadata(
                bytes, name: name, sidecar: sidecar, assumedZone: dateCompletion.zone),
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
            path: file.path, kinds: AssetKinds(metadata), format: metadata.format, bytes: file.status.size,
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
        asset.sidecar = file.sidecar?.path
        var record = file.record
        record.contentIdentifier = metadata.livePhotoIdentifier
        self = .asset(asset, record)
    }

    private static func digest(_ bytes: FileBytes) -> String {
        var hash = SHA256()
        bytes.withChunks { hash.update($0.span) }
        return hash.finalize().hexadecimal
    }
}

extension FileMetadata {
    /// The reason why a photo cannot be an asset; nil if it can.
    var fault: String? {
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
    }
}
