internal import Basics
public import ImageReading
public import Pictures
public import TileLoading
public import Viewports

/// A picture of a viewport from the tiles that are available.
public struct ViewportRefinement: Hashable, Sendable {
    /// The pixels, always of the viewport's size.
    public let picture: Picture
    /// What was read for it, and the time that took.
    public let report: RenderReport
    /// The share of the picture's tiles that are available at full quality, from 0 to 1.
    public let share: Double
    /// Whether it equals the result of `ViewportRenderer.render`.
    public let isFinal: Bool
}

extension ViewportRefinement: CustomStringConvertible {
    /// The picture, and how much of it is exact: "1024x768 RGB, 8 bits, 75 % of its tiles".
    public var description: String {
        "\(picture), " + (isFinal ? "final" : "\(Int((share * 100).rounded(.down))) % of its tiles")
    }
}

/// Better and better pictures of a viewport; the last one is exact.
///
/// The first picture is made from what is in memory: tiles of a coarser level, or the overview of a large JPEG. The
/// overview takes one pass over the file, once for all viewports; until then, the first picture is the embedded EXIF
/// thumbnail where it has the image's aspect and orientation. Pictures are made on demand: a slow consumer gets fewer
/// of them, and ending the iteration cancels the tiles that are still missing. Small images without random access and
/// drawings yield only the last picture.
public struct ViewportRefinements: AsyncSequence, Sendable {
    fileprivate let renderer: ViewportRenderer
    fileprivate let viewport: Viewport
    fileprivate let file: ImageFile
    fileprivate let loader: TileLoader
    fileprivate let viewer: TileViewer

    /// Returns an iterator that starts loading when its first picture is requested.
    public func makeAsyncIterator() -> Iterator {
        Iterator(request: self)
    }

    /// Renders one picture after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            /// Nothing is shown yet.
            case begun
            /// The embedded thumbnail is shown.
            case previewed
            case waiting(TileComposition, TileDelivery, AsyncStream<Void>.Iterator)
            case ended
        }

        private let request: ViewportRefinements
        private var state = State.begun

        fileprivate init(request: ViewportRefinements) {
            self.request = request
        }

        /// Returns the next picture; nil after the last.
        ///
        /// - Throws: `RenderingError`, or `CancellationError` where the task is cancelled or the viewer looks at
        ///   something else.
        public mutating func next() async throws -> ViewportRefinement? {
            switch state {
            case .ended:
                return nil
            case .waiting(let composition, let delivery, let signals):
                state = .ended
                return try await next(composition, delivery, signals)
            case .begun, .previewed:
                let isFirst = if case .begun = state { true } else { false }
                state = .ended
                let source = await request.loader.source(of: request.file)
                if isFirst, let preview = try await request.preview(source) {
                    state = .previewed
                    return preview
                }
                let begun = try await BlockingExecutor.shared.run { [request] in
                    try TileComposition(request.viewport, of: request.file, by: request.renderer, in: source)
                }
                guard let composition = begun else { return try await request.render(request.file, share: 1) }
                let delivery = await request.loader.request(
                    composition.requests, of: source, for: request.viewer)
                let signals = delivery.signals.makeAsyncIterator()
                // The tiles in memory are rendered while the first missing ones are read.
                if let picture = try await picture(of: composition, delivery, signals) { return picture }
                return try await next(composition, delivery, signals)
            }
        }

        /// Waits for tiles until a better picture can be rendered, and renders it.
        private mutating func next(
            _ composition: TileComposition, _ delivery: TileDelivery, _ signals: AsyncStream<Void>.Iterator
        ) async throws -> ViewportRefinement {
            var (composition, signals) = (composition, signals)
            while true {
                guard await signals.next(isolation: #isolation) != nil else { throw CancellationError() }
                let arrivals = delivery.takeAll()
                for arrival in arrivals { composition.add(try arrival.result.get(), for: arrival.key) }
                guard !arrivals.isEmpty else { continue }
                if let picture = try await picture(of: composition, delivery, signals) { return picture }
            }
        }

        /// Returns the picture of the loaded tiles; nil where parts of it would be empty.
        private mutating func picture(
            of composition: TileComposition, _ delivery: TileDelivery, _ signals: AsyncStream<Void>.Iterator
        ) async throws -> ViewportRefinement? {
            guard let file = composition.file(request.file) else { return nil }
            if !composition.isComplete { state = .waiting(composition, delivery, signals) }
            return try await request.render(file, share: composition.share)
        }
    }

    /// The picture of the embedded thumbnail of a large JPEG; nil where there is none, or the file was read already.
    fileprivate func preview(_ source: TiledSource) async throws -> ViewportRefinement? {
        guard let preview = source.previewBeforePreparing else { return nil }
        var renderer = renderer
        // Otherwise its pixels would be shown as squares.
        renderer.options.kernel = renderer.options.kernel ?? .linear
        let (picture, report) = try await renderer.render(viewport, of: file.reading(from: preview))
        return ViewportRefinement(picture: picture, report: report, share: 0, isFinal: false)
    }

    fileprivate func render(_ file: ImageFile, share: Double) async throws -> ViewportRefinement {
        let (picture, report) = try await renderer.render(viewport, of: file)
        return ViewportRefinement(picture: picture, report: report, share: share, isFinal: share == 1)
    }
}

extension ViewportRenderer {
    /// Returns better and better pictures of a viewport; the last one equals the result of `render`.
    ///
    /// - Parameters:
    ///   - viewport: the part of the image to show, and its size in pixels.
    ///   - file: the image; its tiles stay valid in the loader's cache until the file is written.
    ///   - loader: loads the tiles for all viewers of a process.
    ///   - viewer: identifies the viewer; another viewport for it cancels the tiles of this one.
    public func refinements(
        of viewport: Viewport, in file: ImageFile, through loader: TileLoader, for viewer: TileViewer
    ) -> ViewportRefinements {
        ViewportRefinements(
            renderer: self, viewport: viewport, file: file, loader: loader, viewer: viewer)
    }

    /// Fills the tile cache for the viewport where a motion will end, while no visible tile is missing.
    ///
    /// Returns when the tiles are queued. A large JPEG is read once before that; images that are read from the top,
    /// such as PNG, are read in one pass for all tiles. Images of less than 16 megapixels without random
    /// access, and drawings, are not prefetched.
    ///
    /// - Parameter viewer: identifies the viewer; its next prediction replaces this one.
    /// - Throws: `RenderingError`, or `CancellationError` where the task is cancelled.
    public func prefetch(
        _ viewport: Viewport, of file: ImageFile, through loader: TileLoader, for viewer: TileViewer
    ) async throws {
        let source = await loader.source(of: file)
        let requests = try await BlockingExecutor.shared.run {
            try TileComposition(viewport, of: file, by: self, in: source)?.prefetchRequests
        }
        await loader.requestPrefetch(requests ?? [], of: source, for: viewer)
    }
}
