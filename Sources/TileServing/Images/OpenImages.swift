internal import Basics
internal import Files
internal import HTTPTypes
internal import RenderCaching
internal import Synchronization
internal import ViewportGeometry
package import ViewportRendering
internal import Vips

/// The images that were asked for last, each opened once and made ready once.
final class OpenImages: Sendable {
    private struct Place: Hashable {
        var path: String
        var page: Int
        var status: FileStatus
    }

    private struct State {
        var paths: LRUCache<String, String>
        var open: LRUCache<Place, OpenImage>
        var prepared: LRUCache<Place, PreparedImage>
        /// Images whose small versions are in memory.
        var seenFromAfar: LRUCache<Place, ImageFile>
    }

    private let roots: ImageRoots
    private let maximumPixels: Int?
    private let isPrivate: @Sendable (_ path: String) -> Bool
    private let pyramids: PyramidCache
    private let indexes: JPEGIndexCache
    private let tiles: TileCache
    private let state: Mutex<State>
    private let opening = RequestCoalescer<String, OpenImage>()
    private let preparing = RequestCoalescer<Place, PreparedImage>(outlivesWaiters: true)

    /// - Parameter isPrivate: whether only pages of this server may read what is at a path.
    init(
        _ roots: ImageRoots, _ limits: ServerLimits, cache: CacheFolder,
        isPrivate: @escaping @Sendable (_ path: String) -> Bool
    ) {
        self.roots = roots
        self.isPrivate = isPrivate
        maximumPixels = limits.imagePixels
        pyramids = PyramidCache(folder: cache)
        indexes = JPEGIndexCache(folder: cache)
        tiles = TileCache(capacity: limits.tileBytes)
        state = Mutex(
            State(
                paths: LRUCache(capacity: 4096), open: LRUCache(capacity: limits.openImages),
                prepared: LRUCache(capacity: limits.preparedImages),
                seenFromAfar: LRUCache(capacity: limits.overviewBytes)))
    }

    /// The image of an identifier, for whoever asks for it.
    ///
    /// - Throws: `Failure`; pages of other origins are not told either whether there is a private image.
    func image(_ identifier: String, for call: Call) async throws -> OpenImage {
        do {
            let image = try await image(identifier)
            if image.isPrivate, call.isForeign { throw Failure.foreign }
            return image
        } catch var failure as Failure {
            if !failure.isPrivate, try await leadsToPrivate(identifier) {
                if call.isForeign { throw Failure.foreign }
                failure.isPrivate = true
            }
            throw failure
        }
    }

    /// Whether an identifier leads to where only pages of this server may read, also where nothing is there.
    private func leadsToPrivate(_ identifier: String) async throws -> Bool {
        let paths = roots.paths(of: Self.page(of: identifier).name)
        return try await BlockingExecutor.shared.run { paths.contains { self.isPrivate($0) } }
    }

    /// The image of an identifier, `;n` at its end for its page n.
    ///
    /// - Throws: `Failure`.
    private func image(_ identifier: String) async throws -> OpenImage {
        let (name, page) = Self.page(of: identifier)
        // One look at the file system tells whether what is open is still what is there.
        if let path = state.withLock({ $0.paths.value(name) }), let status = FileStatus(path),
            let open = state.withLock({ $0.open.value(Place(path: path, page: page, status: status)) })
        {
            return open
        }
        return try await opening.value(for: "\(page);\(name)") {
            try await BlockingExecutor.shared.run { try self.open(name, page) }
        }
    }

    private func open(_ name: String, _ page: Int) throws -> OpenImage {
        guard let path = roots.path(of: name) else { throw Failure.notFound }
        let image: OpenImage
        do throws(RenderingError) {
            image = try OpenImage(
                path, page: page, maximumPixels: maximumPixels, isPrivate: isPrivate(path))
        } catch {
            throw Failure(error)
        }
        state.withLock { state in
            state.paths.insert(path, for: name, cost: 1)
            state.open.insert(image, for: Self.place(image), cost: 1)
        }
        return image
    }

    /// The image, made ready for many looks; who comes first makes it so, and the others wait.
    ///
    /// - Throws: `RenderingError`, `CacheError`, or `CancellationError`.
    func prepared(_ image: OpenImage) async throws -> PreparedImage {
        if let prepared = preparedAlready(image) { return prepared }
        let place = Self.place(image)
        return try await preparing.value(for: place) {
            let prepared = try await self.prepare(image)
            self.state.withLock { $0.prepared.insert(prepared, for: place, cost: 1) }
            return prepared
        }
    }

    /// The image where it is ready for many looks.
    func preparedAlready(_ image: OpenImage) -> PreparedImage? {
        state.withLock { $0.prepared.value(Self.place(image)) }
    }

    /// What renders the image at a scale without preparing all of it; nil where that has to be.
    ///
    /// So the first look at a large JPEG does not wait for its index.
    func fromAfar(_ image: OpenImage, scale: Double) -> IIIFRenderer? {
        guard let bytes = image.file.overviewByteCount(forScale: scale) else { return nil }
        return IIIFRenderer(shared(image, bytes), tiles: nil)
    }

    private func shared(_ image: OpenImage, _ bytes: Int) -> ImageFile {
        let place = Self.place(image)
        return state.withLock { state in
            if let file = state.seenFromAfar.value(place) { return file }
            let file = image.file.keepingOverview()
            state.seenFromAfar.insert(file, for: place, cost: bytes)
            return file
        }
    }

    private func prepare(_ image: OpenImage) async throws -> PreparedImage {
        let indexes = indexes
        let tiles = tiles
        let file = image.file.overviewByteCount(forScale: 0.001).map { shared(image, $0) } ?? image.file
        let pyramid = try await pyramids.file(file)
        return try await BlockingExecutor.shared.run {
            let file = try indexes.indexed(pyramid).optimizedForRandomAccess(tiles)
            let stored = StoredTiles(file)
            // Who looks closely will look from afar, too.
            Task { try? await BlockingExecutor.background.run { file.preloadOverview() } }
            return PreparedImage(renderer: IIIFRenderer(file, tiles: stored), tiles: stored)
        }
    }

    private static func place(_ image: OpenImage) -> Place {
        Place(path: image.file.path, page: image.file.page, status: image.status)
    }

    /// Splits "name;2": names that have a ";" themselves keep it unless digits follow.
    private static func page(of identifier: String) -> (name: String, page: Int) {
        guard let mark = identifier.lastIndex(of: ";") else { return (identifier, 0) }
        let digits = identifier[identifier.index(after: mark)...]
        guard (1...6).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let page = Int(digits)
        else { return (identifier, 0) }
        return (String(identifier[..<mark]), page)
    }
}

extension Failure {
    /// What is wrong with an image, without where it lies.
    package init(_ error: RenderingError) {
        switch error {
        case .missing, .folder, .unreadable:
            self = .notFound
        case .changed:
            self.init(.serviceUnavailable, "the image file is being written; try again", retryAfter: 5)
        case .noSuchPage(_, let page, let pages):
            self.init(.notFound, "the image has no page \(page); it has \(pages), counted from 0")
        case .empty, .unknownFormat:
            self.init(.notFound, "the file is no image that this server shows")
        case .tooManyPixels(_, let size, let limit):
            self.init(
                .forbidden,
                "the image has \(size.width) x \(size.height) pixels, more than the \(limit) that this server decodes"
            )
        case .blocksTooLarge:
            self.init(.forbidden, "decoding the image takes more memory than this server gives")
        case .truncated(_, let missing):
            self.init(.internalServerError, "the image file is damaged, \(missing)")
        case .damaged:
            self.init(.internalServerError, "the image file is damaged")
        case .cannotEncode(let format, _):
            self.init(.badRequest, "this picture cannot be written as \(format); ask for jpg or png")
        case .pictureTooLarge, .invalidViewport, .outside:
            self.init(.badRequest, "the picture that is asked for is too large or lies outside of the image")
        case .notLossless, .notIndexable, .library:
            self.init(.internalServerError, "something went wrong in the server; its log says what")
        }
    }
}
