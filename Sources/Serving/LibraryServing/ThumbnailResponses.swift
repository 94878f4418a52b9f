#if Server && Library
internal import AssetRendering
internal import Basics
internal import Containers
internal import Files
internal import HTTPTypes
internal import NIOCore
internal import PhotoCatalog
internal import TileServing
internal import ViewportGeometry
internal import ViewportRendering

/// Thumbnails of assets, stored or rendered in the server's queue, and cached by clients until the files change.
struct ThumbnailResponses {
    let services: ServerServices

    /// The version of the renderer; increment it with every change that affects the bytes of thumbnails.
    private static let rendererVersion = "1"

    /// Returns a thumbnail of an asset.
    ///
    /// - Parameter version: the version of the asset in the URL.
    func thumbnail(
        of asset: Asset, in served: ServedLibrary, version: Substring, form name: Substring,
        _ request: RouteRequest
    ) async throws -> RouteResponse {
        try await respond(
            asset, served, Self.form(name), isVersioned: version == asset.version, request
        ) { served.file(of: asset) }
    }

    /// Returns a thumbnail of what is in the trash.
    func thumbnail(
        inTrash trashed: TrashedAsset, in served: ServedLibrary, form name: Substring, _ request: RouteRequest
    ) async throws -> RouteResponse {
        try await respond(trashed.asset, served, Self.form(name), isVersioned: false, request) {
            served.library.fileInTrash(of: trashed)
        }
    }

    private static func form(_ name: Substring) throws(RouteError) -> ThumbnailForm {
        if let form = ThumbnailForm.ofPages.first(where: { $0.name == name }) { return form }
        let names = ThumbnailForm.ofPages.map(\.name).joined(separator: ", ")
        throw RouteError(.badRequest, "thumbnails are \(names)")
    }

    /// The assets that are tried for a cover.
    private static let coverCandidates = 8

    /// Returns the cover of a group: its newest asset of which a picture can be made, preferably a dated one.
    func cover(of served: ServedLibrary, _ name: String, _ request: RouteRequest) async throws
        -> RouteResponse
    {
        guard let group = AssetGroup.ID(pathComponent: name) else { throw RouteError.noGroup }
        let years = served.library.collection(
            of: group, grouping: .year, filter: .all, sorter: .dateDescending)
        let entries = try await years.entries(0..<Self.coverCandidates)
        var left = Self.coverCandidates
        var fault = RouteError(.notFound, "the group is empty")
        for entry in entries.filter({ $0.key != nil }) + entries.filter({ $0.key == nil }) where left > 0 {
            let assets = try await years.assets(in: entry, 0..<left)
            for asset in assets {
                if let access = services.access,
                    try await access.decision(served.path(of: asset), for: request) != .allow
                {
                    left -= 1
                    continue
                }
                do {
                    return try await respond(asset, served, .medium, isVersioned: false, request) {
                        served.file(of: asset)
                    }
                } catch let error as RouteError where error.isOfFile {
                    if left == Self.coverCandidates { fault = error }
                    left -= 1
                }
            }
        }
        throw fault
    }

    /// - Parameter file: Returns the path of the file, with symbolic links resolved; nil if it is not there.
    private func respond(
        _ asset: Asset, _ served: ServedLibrary, _ form: ThumbnailForm, isVersioned: Bool,
        _ request: RouteRequest, file: @escaping @Sendable () -> String?
    ) async throws -> RouteResponse {
        if let size = asset.size, let limit = services.limits.maximumSourcePixels, size.area > limit {
            throw RouteError(
                .forbidden, "the image has more pixels than the \(limit) that this server decodes")
        }
        // The file may have been replaced by a link out of the library since it was indexed.
        let found = try await served.threads.run {
            () -> (path: String, status: FileStatus, stored: [UInt8]?)? in
            guard let path = file(), let status = FileStatus(path) else { return nil }
            return (path, status, served.library.storedThumbnail(of: asset, form.name))
        }
        guard let (path, status, stored) = found else {
            throw RouteError(.notFound, "the file of this photo is not there")
        }
        let isCurrent = asset.isCurrent(status)
        // Other bytes than those that are rendered for one size need another tag.
        let state =
            stored.map { "stored \($0.count)" }
            ?? (isCurrent ? "" : "\(status.size) \(status.modified) \(status.inode) \(status.device)")
        let identity = RenderIdentity(
            served.library.root, asset.sha256 + asset.version, state, form.name, Self.rendererVersion)
        let tag = EntityTag(identity)
        let headers: HTTPFields = [
            .eTag: tag.text,
            .cacheControl: isVersioned && isCurrent ? "private, max-age=31536000, immutable" : "no-cache",
        ]
        if tag.matches(request) { return RouteResponse(.notModified, headers: headers) }
        if let stored { return Self.response(ByteBuffer(bytes: stored), headers) }
        let images = served.images
        let bytes = try await request.cancellingOnDisconnect {
            try await self.services.renders.file(
                identity, area: form.form.area, isSlow: asset.isVideo, reading: served.threads
            ) {
                let file = try await Self.file(of: asset, form, images)
                // The tag names the file as it was; a thumbnail of another file must not be cached under it.
                guard try await served.threads.run({ FileStatus(path) }) == status else {
                    throw RouteError(
                        .serviceUnavailable, "the photo is being written; try again", retryAfter: 5)
                }
                return file
            }
        }
        return Self.response(bytes, headers)
    }

    private static func response(_ bytes: ByteBuffer, _ headers: HTTPFields) -> RouteResponse {
        var response = RouteResponse(.ok, headers: headers, body: bytes)
        let type = FileType(head: Array(bytes.readableBytesView.prefix(16))) ?? .jpeg
        response.headers[.contentType] = type.mediaType
        return response
    }

    private static func file(
        of asset: Asset, _ form: ThumbnailForm, _ images: AssetImages
    ) async throws -> [UInt8] {
        do {
            guard let picture = try await images.images(of: asset, form.form).final()?.picture else {
                throw RouteError.noPicture
            }
            return try await BlockingExecutor.shared.run { try form.file(of: picture) }
        } catch let error as RenderingError {
            // A damaged file is no failure of the server.
            var error = RouteError(error)
            if error.status == .internalServerError { error.status = .unprocessableContent }
            throw error
        } catch let error as CancellationError {
            throw error
        } catch let error as RouteError {
            throw error
        } catch {
            // Videos need ffmpeg, which may be missing.
            throw asset.isVideo
                ? RouteError.noPicture
                : RouteError(.unprocessableContent, "no picture can be made of this file; it may be damaged")
        }
    }
}

extension RouteError {
    /// Whether no picture can be made of a file, however often it is tried.
    fileprivate var isOfFile: Bool { [.notFound, .forbidden, .unprocessableContent].contains(status) }

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
