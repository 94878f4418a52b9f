#if Server && Library
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

/// Thumbnails of assets, rendered in the server's queue and cached by clients until the files change.
struct ThumbnailResponses {
    let services: ServerServices

    /// The available forms: few, so that caches are effective.
    static let forms: [Substring: AssetImages.Form] = [
        "128": .thumbnail(side: 128), "256": .thumbnail(side: 256), "512": .thumbnail(side: 512),
        "whole": .aspectRatioThumbnail(side: 1024),
    ]

    /// The version of the renderer; increment it with every change that affects the bytes of thumbnails.
    private static let rendererVersion = "1"

    /// Returns a thumbnail of an asset.
    ///
    /// - Parameter version: the version of the asset in the URL.
    func thumbnail(
        of asset: Asset, in served: ServedLibrary, version: Substring, form name: Substring,
        _ request: RouteRequest
    ) async throws -> RouteResponse {
        guard let form = Self.forms[name] else {
            throw RouteError(
                .badRequest, "thumbnails are \(Self.forms.keys.sorted().joined(separator: ", "))")
        }
        return try await respond(asset, served, name, form, isVersioned: version == asset.version, request)
    }

    /// Returns the cover of a group: its newest asset, preferably a dated one.
    func cover(of served: ServedLibrary, _ name: String, _ request: RouteRequest) async throws
        -> RouteResponse
    {
        guard let group = AssetGroup.ID(pathComponent: name) else { throw RouteError.noGroup }
        let years = served.library.collection(
            of: group, grouping: .year, filter: .all, sorter: .dateDescending)
        let entries = try await years.entries(0..<2)
        guard let newest = entries.first(where: { $0.key != nil }) ?? entries.first,
            let asset = try await years.assets(in: newest, 0..<1).first
        else { throw RouteError(.notFound, "the group is empty") }
        return try await respond(asset, served, "256", .thumbnail(side: 256), isVersioned: false, request)
    }

    private func respond(
        _ asset: Asset, _ served: ServedLibrary, _ name: Substring, _ form: AssetImages.Form,
        isVersioned: Bool, _ request: RouteRequest
    ) async throws -> RouteResponse {
        if let size = asset.size, let limit = services.limits.maximumSourcePixels, size.area > limit {
            throw RouteError(
                .forbidden, "the image has more pixels than the \(limit) that this server decodes")
        }
        // The file may have been replaced by a link out of the library since it was indexed.
        guard let path = services.roots.path(of: served.identifier(of: asset)), let status = FileStatus(path)
        else { throw RouteError(.notFound, "the file of this photo is not there") }
        let isCurrent = status.size == asset.bytes && status.modified == asset.modifiedNanoseconds
        let state = isCurrent ? "" : "\(status.size) \(status.modified) \(status.inode) \(status.device)"
        let identity = RenderIdentity(
            served.library.root, asset.sha256 + asset.version, state, String(name), Self.rendererVersion)
        let tag = EntityTag(identity)
        let headers: HTTPFields = [
            .eTag: tag.text,
            .cacheControl: isVersioned && isCurrent ? "private, max-age=31536000, immutable" : "no-cache",
        ]
        if tag.matches(request) { return RouteResponse(.notModified, headers: headers) }
        let images = served.images
        let bytes = try await request.cancellingOnDisconnect {
            try await self.services.renders.file(identity, area: form.area, isSlow: asset.isVideo) {
                let file = try await Self.file(of: asset, form, images)
                // The tag names the file as it was; a thumbnail of another file must not be cached under it.
                guard FileStatus(path) == status else {
                    throw RouteError(
                        .serviceUnavailable, "the photo is being written; try again", retryAfter: 5)
                }
                return file
            }
        }
        var response = RouteResponse(.ok, headers: headers, body: bytes)
        response.headers[.contentType] =
            bytes.readableBytesView.first == 0x89 ? "image/png" : "image/jpeg"
        return response
    }

    /// Encodes a JPEG, or a PNG if the picture has transparency.
    private static func file(
        of asset: Asset, _ form: AssetImages.Form, _ images: AssetImages
    ) async throws -> [UInt8] {
        do {
            guard let picture = try await images.images(of: asset, form).final()?.picture else {
                throw RouteError.noPicture
            }
            return try await BlockingExecutor.shared.run {
                try PictureEncoder(picture.hasAlpha ? .png : .jpg, quality: 82).encode(picture)
            }
        } catch let error as RenderingError {
            throw RouteError(error)
        } catch let error as CancellationError {
            throw error
        } catch {
            // Videos need ffmpeg, which may be missing.
            throw asset.isVideo ? RouteError.noPicture : error
        }
    }
}

extension RouteError {
    fileprivate static let noPicture = RouteError(
        .notFound, "no picture can be made of this file; films need ffmpeg on the server")
}

extension AssetImages.Form {
    /// Pixels of the largest image of the form.
    fileprivate var area: Int {
        switch self {
        case .thumbnail(let side), .aspectRatioThumbnail(let side): side * side
        case .fullScreen(let width, let height): width * height
        case .fullResolution: .max
        }
    }
}
#endif
