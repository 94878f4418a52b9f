#if Server
internal import Basics
internal import Files
internal import HTTPTypes
internal import MemoryWatching
internal import Presentation
internal import RemoteFiles
internal import Synchronization
internal import ViewportGeometry
internal import ViewportRendering

/// A cache of recently requested images, each opened once, with who may see them.
final class OpenImages: Sendable {
    private struct State {
        var paths: LRUCache<FilePath, String>
        var open: LRUCache<OpenImage.Key, OpenImage>
        /// The last known status of remote images, and when it was found.
        var remote: LRUCache<FilePath, (status: FileStatus, time: Int)>
    }

    private let roots: ImageRoots
    private let maximumPixels: Int?
    private let remote: RemoteOptions
    private let access: AccessControl?
    private let isPrivate: @Sendable (_ path: String) -> Bool
    private let turn: @Sendable (_ path: String) async -> Orientation?
    private let state: Mutex<State>
    private let opening = RequestCoalescer<FilePath, OpenImage>()

    /// - Parameters:
    ///   - isPrivate: Returns whether only pages of this server may read the file at a path.
    ///   - turn: Returns how the file at a path is turned; nil if it never is.
    init(
        _ roots: ImageRoots, _ limits: TileServer.Limits, access: AccessControl?, remote: RemoteOptions,
        isPrivate: @escaping @Sendable (_ path: String) -> Bool,
        turn: @escaping @Sendable (_ path: String) async -> Orientation?
    ) {
        self.roots = roots
        self.isPrivate = isPrivate
        self.turn = turn
        maximumPixels = limits.maximumSourcePixels
        self.remote = remote
        self.access = access
        state = Mutex(
            State(
                paths: LRUCache(capacity: 4096), open: LRUCache(capacity: limits.openImageCount),
                remote: LRUCache(capacity: limits.openImageCount)))
    }

    /// Returns the image of an identifier in a request.
    ///
    /// - Throws: `RouteError`. Pages of other origins get the same error whether or not a private image exists.
    func image(_ identifier: String, for request: RouteRequest) async throws -> OpenImage {
        do {
            let checked = try await checkedPath(of: identifier, for: request)
            let image = try await image(identifier)
            // The file that the identifier names may have changed.
            if let checked, image.path != checked { try await access?.check(image.path, for: request) }
            if image.isPrivate, request.isCrossOrigin { throw RouteError.crossOrigin }
            return image
        } catch var error as RouteError {
            if !error.isPrivate, try await isPrivateIdentifier(identifier) {
                if request.isCrossOrigin { throw RouteError.crossOrigin }
                error.isPrivate = true
            }
            throw error
        }
    }

    /// Asks the application, before anything of the image is read, and returns the path that it allows.
    private func checkedPath(of identifier: String, for request: RouteRequest) async throws -> String? {
        guard let access else { return nil }
        let (name, roots) = (PageIdentifier(identifier).name, roots)
        guard let path = try await roots.root(of: name)?.threads.run({ roots.path(of: name) }) ?? nil else {
            throw RouteError.imageNotFound
        }
        try await access.check(path, for: request)
        return path
    }

    /// Returns whether only pages of this server may read the file of an identifier, which need not exist.
    private func isPrivateIdentifier(_ identifier: String) async throws -> Bool {
        for (root, path) in roots.paths(of: PageIdentifier(identifier).name) {
            if try await root.threads.run({ self.isPrivate(path) }) { return true }
        }
        return false
    }

    /// Returns the image of an identifier, which ends with `;n` for page n.
    ///
    /// - Throws: `RouteError`.
    private func image(_ identifier: String) async throws -> OpenImage {
        let parts = PageIdentifier(identifier)
        let (name, page) = (parts.name, parts.page)
        guard let threads = roots.root(of: name)?.threads else { throw RouteError.imageNotFound }
        // The status shows whether the open file is still the one at the path.
        if let path = state.withLock({ $0.paths.value(FilePath(name)) }),
            let status = try await status(of: path, threads)
        {
            let key = OpenImage.Key(path: FilePath(path), page: page, status: status, turn: await turn(path))
            if let open = state.withLock({ $0.open.value(key) }),
                !open.file.opened.isRemote || open.file.opened.isUnchanged
            {
                return open
            }
        }
        return try await opening.value(for: FilePath("\(page);\(name)")) {
            let path = try await threads.run { self.roots.path(of: name) }
            guard let path else { throw RouteError.imageNotFound }
            let turn = await self.turn(path)
            return try await threads.run { try self.open(name, path, page, threads, turn) }
        }
    }

    /// Returns the status of a file; that of a remote one for some seconds after it was found.
    private func status(of path: String, _ threads: RootThreads) async throws -> FileStatus? {
        guard RemoteAddress.isRemote(path) else { return try await threads.status(of: path) }
        return state.withLock { $0.remote.value(FilePath(path)) }.flatMap {
            ProcessEnvironment.now - $0.time < Self.remoteLifetime ? $0.status : nil
        }
    }

    /// The time for which a remote image counts as unchanged, in nanoseconds.
    private static let remoteLifetime = 10_000_000_000

    private func open(
        _ name: String, _ path: String, _ page: Int, _ threads: RootThreads, _ turn: Orientation?
    ) throws -> OpenImage {
        if RemoteAddress.isRemote(path), let kept = stillCurrent(name, path, page) { return kept }
        let image: OpenImage
        do throws(RenderingError) {
            image = try OpenImage(
                path, page: page, on: threads, maximumPixels: maximumPixels, remote: remote,
                isPrivate: isPrivate(path), turn: turn)
        } catch .unreadable(_, let reason) where RemoteAddress.isRemote(path) {
            throw RouteError(.badGateway, "the image cannot be read from its server: \(reason)")
        } catch {
            throw RouteError(error)
        }
        if RemoteAddress.isRemote(path) { keep(image.status, of: path) }
        state.withLock { state in
            state.paths.insert(path, for: FilePath(name), cost: 1)
            state.open.insert(image, for: image.key, cost: 1)
        }
        return image
    }

    /// Asks for the status of a remote image, and returns the open one if it is the same.
    private func stillCurrent(_ name: String, _ path: String, _ page: Int) -> OpenImage? {
        guard let status = FileStatus(image: path, remote) else { return nil }
        let key = OpenImage.Key(path: FilePath(path), page: page, status: status)
        let open = state.withLock { $0.open.value(key) }
        guard let open, open.file.opened.isUnchanged else { return nil }
        keep(status, of: path)
        return open
    }

    private func keep(_ status: FileStatus, of path: String) {
        state.withLock { $0.remote.insert((status, ProcessEnvironment.now), for: FilePath(path), cost: 1) }
    }
}

extension OpenImages: MemoryReleasing {
    var releasableByteCount: Int { roots.listings.nameCount }

    /// Releases the least recently requested half of all images; when memory is critical, all of them.
    ///
    /// Requests in progress keep the images that they read.
    func releaseMemory(under pressure: MemoryPressure) {
        guard pressure > .normal else { return }
        roots.listings.trim(toNameCount: pressure.rest(of: roots.listings.nameCount))
        state.withLock { $0.open.trim(toCost: pressure.rest(of: $0.open.cost)) }
    }
}

extension MemoryPressure {
    /// The size that a cache keeps: half of it under a warning, nothing when memory is critical.
    func rest(of cost: Int) -> Int {
        switch self {
        case .normal: cost
        case .warning: cost / 2
        case .critical: 0
        }
    }
}
#endif
