internal import AssetRendering
internal import Basics
internal import Files
internal import HTTPTypes
internal import NIOCore
internal import PhotoCatalog
internal import TileServing
internal import ViewportGeometry
internal import ViewportRendering
internal import Vips

/// Small pictures of assets, made in the server's queue and kept by clients for as long as the files stay the same.
struct ThumbnailAnswers {
    let services: ServerServices

    /// The forms that there are: few, so that they are found again in caches.
    static let forms: [Substring: AssetImages.Form] = [
        "128": .thumbnail(side: 128), "256": .thumbnail(side: 256), "512": .thumbnail(side: 512),
        "whole": .aspectRatioThumbnail(side: 1024),
    ]

    /// Changes with everything that changes the bytes of pictures.
    private static let makersVersion = "1"

    /// A picture of an asset.
    ///
    /// - Parameter version: the asset's when the address was written.
    func thumbnail(
        of asset: Asset, in served: ServedLibrary, version: Substring, form name: Substring, _ call: Call
    ) async throws -> Reply {
        guard let form = Self.forms[name] else {
            throw Failure(
                .badRequest, "thumbnails are \(Self.forms.keys.sorted().joined(separator: ", "))")
        }
        return try await reply(asset, served, name, form, isVersioned: version == asset.version, call)
    }

    /// A picture of a group: its newest asset that has a date, or one that has none.
    func cover(of served: ServedLibrary, _ name: String, _ call: Call) async throws -> Reply {
        guard let group = AssetGroup.ID(addressed: name) else { throw Failure.noGroup }
        let years = served.library.collection(
            of: group, grouping: .year, filter: .all, sorter: .dateDescending)
        let entries = try await years.entries(0..<2)
        guard let newest = entries.first(where: { $0.key != nil }) ?? entries.first,
            let asset = try await years.assets(in: newest, 0..<1).first
        else { throw Failure(.notFound, "the group is empty") }
        return try await reply(asset, served, "256", .thumbnail(side: 256), isVersioned: false, call)
    }

    private func reply(
        _ asset: Asset, _ served: ServedLibrary, _ name: Substring, _ form: AssetImages.Form,
        isVersioned: Bool, _ call: Call
    ) async throws -> Reply {
        if let size = asset.size, let limit = services.limits.imagePixels, size.area > limit {
            throw Failure(.forbidden, "the image has more pixels than the \(limit) that this server decodes")
        }
        // The file may have been replaced by a link out of the library since it was indexed.
        guard let path = services.roots.path(of: served.identifier(of: asset)), let status = FileStatus(path)
        else { throw Failure(.notFound, "the file of this photo is not there") }
        let isCurrent = status.size == asset.bytes && status.modified == asset.modified
        let state = isCurrent ? "" : "\(status.size) \(status.modified) \(status.inode) \(status.device)"
        let identity = PictureIdentity(
            served.library.root, asset.sha256, state, String(name), Self.makersVersion)
        let tag = EntityTag(identity)
        let headers: HTTPFields = [
            .eTag: tag.text,
            .cacheControl: isVersioned && isCurrent ? "private, max-age=31536000, immutable" : "no-cache",
        ]
        if tag.isKnown(to: call) { return Reply(.notModified, headers: headers) }
        let images = served.images
        let bytes = try await call.whileClientIsThere {
            try await self.services.pictures.file(identity, area: form.area, isSlow: asset.isVideo) {
                let file = try await Self.file(of: asset, form, images)
                // The tag names the file as it was: no other's picture may be kept under it.
                guard FileStatus(path) == status else {
                    throw Failure(.serviceUnavailable, "the photo is being written; try again", retryAfter: 5)
                }
                return file
            }
        }
        var reply = Reply(.ok, headers: headers, body: bytes)
        reply.headers[.contentType] =
            bytes.readableBytesView.first == 0x89 ? "image/png" : "image/jpeg"
        return reply
    }

    /// A JPEG, or a PNG of what is transparent.
    private static func file(
        of asset: Asset, _ form: AssetImages.Form, _ images: AssetImages
    ) async throws -> [UInt8] {
        do {
            guard let picture = try await images.images(of: asset, form).final()?.picture else {
                throw Failure.noPicture
            }
            return try await BlockingExecutor.shared.run {
                try PictureEncoder(picture.hasAlpha ? .png : .jpg, quality: 82).encode(picture)
            }
        } catch let error as RenderingError {
            throw Failure(error)
        } catch let error as CancellationError {
            throw error
        } catch {
            // Whatever a film needs is not here.
            throw asset.isVideo ? Failure.noPicture : error
        }
    }
}

extension Failure {
    fileprivate static let noPicture = Failure(
        .notFound, "no picture can be made of this file; films need ffmpeg on the server")
}

extension AssetImages.Form {
    /// Pixels of the largest picture of the form.
    fileprivate var area: Int {
        switch self {
        case .thumbnail(let side), .aspectRatioThumbnail(let side): side * side
        case .fullScreen(let width, let height): width * height
        case .fullResolution: .max
        }
    }
}
