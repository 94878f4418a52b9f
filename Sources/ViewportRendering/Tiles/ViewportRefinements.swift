internal import Basics
internal import Vips

/// A picture of a viewport, as good as it can be made at a time.
public struct ViewportRefinement: Sendable {
    public let picture: Picture
    public let report: RenderReport
    /// The share of the picture's tiles that are there at full quality, from 0 to 1.
    public let share: Double
    /// Whether it is exactly what `ViewportRenderer.render` makes.
    public let isFinal: Bool
}

/// Better and better pictures of a viewport, until the last one is exact.
///
/// The first comes from what is in memory or from a few tiles of a coarse level. Each asks for the next one, so
/// that a slow consumer sees fewer, and ending the iteration gives up the tiles that are still to come. Where
/// tiles do not pay there is only the last picture.
public struct ViewportRefinements: AsyncSequence, Sendable {
    let renderer: ViewportRenderer
    let viewport: Viewport
    let file: ImageFile
    let loader: TileLoader
    let viewer: TileViewer

    public func makeAsyncIterator() -> Iterator {
        Iterator(request: self)
    }

    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case begun
            case waiting(TileComposition, TileDelivery, AsyncStream<Void>.Iterator)
            case ended
        }

        private let request: ViewportRefinements
        private var state = State.begun

        fileprivate init(request: ViewportRefinements) {
            self.request = request
        }

        /// The next picture; nil after the last.
        ///
        /// - Throws: `RenderingError`, or `CancellationError` where the task is cancelled or the viewer looks at
        ///   something else.
        public mutating func next() async throws -> ViewportRefinement? {
            switch state {
            case .ended:
                return nil
            case .waiting(let patchwork, let inbox, let signals):
                state = .ended
                return try await go(on: patchwork, inbox, signals)
            case .begun:
                state = .ended
                let source = await request.loader.source(of: request.file)
                let begun = try await BlockingExecutor.shared.run { [request] in
                    try TileComposition(request.viewport, of: request.file, by: request.renderer, in: source)
                }
                guard let begun else { return try await request.render(request.file, share: 1) }
                let inbox = await request.loader.want(begun.wishes, of: source, for: request.viewer)
                return try await go(on: begun, inbox, inbox.signals.makeAsyncIterator())
            }
        }

        /// Waits until more is known, and shows it.
        private mutating func go(
            on patchwork: TileComposition, _ inbox: TileDelivery, _ signals: AsyncStream<Void>.Iterator
        ) async throws -> ViewportRefinement {
            var (patchwork, signals) = (patchwork, signals)
            while true {
                guard await signals.next(isolation: #isolation) != nil else { throw CancellationError() }
                for arrival in inbox.takeAll() { patchwork.take(try arrival.result.get(), for: arrival.key) }
                guard let file = patchwork.file(request.file) else { continue }
                let share = 1 - Double(patchwork.missing.count) / Double(patchwork.count)
                if !patchwork.missing.isEmpty { state = .waiting(patchwork, inbox, signals) }
                return try await request.render(file, share: share)
            }
        }
    }

    fileprivate func render(_ file: ImageFile, share: Double) async throws -> ViewportRefinement {
        let (picture, report) = try await renderer.render(viewport, of: file)
        return ViewportRefinement(picture: picture, report: report, share: share, isFinal: share == 1)
    }
}

extension ViewportRenderer {
    /// Better and better pictures of a viewport; the last one is exactly what `render` makes.
    ///
    /// - Parameter viewer: who looks; another viewport for the same viewer gives up the tiles of this one.
    public func refinements(
        of viewport: Viewport, in file: ImageFile, through loader: TileLoader, for viewer: TileViewer
    ) -> ViewportRefinements {
        ViewportRefinements(
            renderer: self, viewport: viewport, file: file, loader: loader, viewer: viewer)
    }

    /// Reads the tiles of the viewport where a motion will end, whenever nothing that is seen now is to be read.
    ///
    /// - Parameter viewer: who looks; its next prediction takes the place of this one.
    public func prefetch(
        _ viewport: Viewport, of file: ImageFile, through loader: TileLoader, for viewer: TileViewer
    ) async throws {
        let source = await loader.source(of: file)
        let wishes = try await BlockingExecutor.shared.run {
            let patchwork = try TileComposition(viewport, of: file, by: self, in: source)
            return patchwork.map { TileRequest.wishes($0.rect, of: $0.fine, for: .resting) }
        }
        await loader.wantSoon(wishes ?? [], of: source, for: viewer)
    }
}
