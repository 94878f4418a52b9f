#if CommandLine
import ArgumentParser
import Basics
import Files
import RemoteFiles
import RenderCaching
import Renders
import TilePyramid
import ViewportGeometry
import ViewportRendering
import WorkReporting

/// What `viewport render` makes: the job of a command line or of a line of a manifest.
extension RenderCommand {
    /// The pictures of a file.
    var job: PictureJob {
        get throws {
            var job = PictureJob(
                try requests,
                try resolvedFormats.map { format in
                    var encoder = PictureEncoder(format, quality: picture.quality)
                    encoder.compression = picture.compression ?? .standard
                    return encoder
                })
            job.rendering = try picture.rendering
            job.keepsDepth = picture.givenDepth == .keep
            job.rotation = picture.rotate.quarters == nil ? picture.rotate.degrees : 0
            job.keepsMetadata = (picture.keepMetadata ?? (picture.lossless ? .all : .none)) == .all
            job.gainMap =
                picture.keepGainMap ? .kept : picture.nameRule == .view ? .leftOut : .keptIfPossible
            job.keepsFrames = keepsFrames
            job.assumesPanorama = looking.options.display.panorama
            job.isLossless = picture.lossless
            return job
        }
    }

    /// Whether pictures of animations have all frames: those of edits, unless one is named.
    var keepsFrames: Bool { picture.nameRule != .view && opening.givenPage == nil }

    private var requests: [PictureRequest] {
        get throws {
            if let iiif { return [.iiif(try request(iiif))] }
            if looking.faces {
                return CubeFace.allCases.map {
                    .face($0, side: region.size?.width, scale: region.scale.value)
                }
            }
            return try regions.map { region in
                try looking.frame(region).map(PictureRequest.look) ?? .view(region.request)
            }
        }
    }

    /// The region once for each size.
    private var regions: [RegionArguments] {
        guard region.sizes.count > 1 else { return [region] }
        return region.sizes.map { size in
            var one = region
            one.size = size
            return one
        }
    }

    /// The formats of the pictures, at least one.
    var resolvedFormats: [PictureFormat] {
        get throws { try iiif.map { [try format(of: request($0))] } ?? picture.resolvedFormats }
    }

    private func request(_ text: String) throws -> IIIFRequest {
        do throws(IIIFError) {
            return try IIIFRequest(parsing: text)
        } catch {
            throw ValidationError("--iiif: \(error)")
        }
    }

    private func format(of request: IIIFRequest) throws -> PictureFormat {
        guard let format = PictureFormat(rawValue: request.format) else {
            throw ValidationError("--iiif: this libvips cannot write \(request.format)")
        }
        return format
    }

    // MARK: Opening

    /// The caches through which the image is read; nil for none.
    private var caches: ImageCaches? {
        get throws { cache == false ? nil : try CacheSettings.caches(of: image, stores: cache == true) }
    }

    /// Opens the image through its index.
    ///
    /// - Parameter isShared: whether other pictures will be made of the open image.
    private func file(isShared: Bool) throws -> ImageFile {
        // A look is made from all of its image.
        let first = isShared || looking.isGiven || iiif != nil ? nil : try region.request
        return try opening.open(image, through: caches?.withoutPyramids) {
            // A server does not turn.
            if iiif == nil { $0.turn = picture.turn }
            if let first { $0.firstRequest = first }
        }
    }

    /// Opens the image as its pictures are read: through its index, and through its pyramid, which `--cache` stores.
    func open() async throws -> PictureSource {
        let file = try file(isShared: false)
        guard !picture.lossless else { return PictureSource(file) }
        let line = pyramidLine
        defer { line?.clear() }
        return try await PictureSource(file, through: caches) { line?.show($0) }
    }

    /// Opens the image as `open()` on the calling thread, which is one of a batch.
    func openSynchronously() throws -> PictureSource {
        let file = try file(isShared: true)
        guard !picture.lossless else { return PictureSource(file) }
        let line = pyramidLine
        defer { line?.clear() }
        return try PictureSource(synchronously: file, through: caches) { line?.show($0) }
    }

    /// The progress of a pyramid, where one is made.
    private var pyramidLine: ProgressLine? {
        guard cache == true else { return nil }
        return ProgressLine("making a pyramid of \(RemoteAddress.shown(image))")
    }

    /// Makes the pictures of an open image.
    func pictures(
        of job: PictureJob, from source: PictureSource, decoded: () -> Void = {},
        progress: (WorkProgress) -> Void = { _ in }
    ) throws -> [MadePicture] {
        do {
            return try source.pictures(of: job, decoded: decoded, progress: progress)
        } catch let error as IIIFError {
            throw ValidationError("--iiif: \(error)")
        }
    }

    /// Stores the index of the rows that were scanned.
    func storeNewIndex(of source: PictureSource) throws { try caches?.indexes.storeNewIndex(of: source.file) }
}
#endif
