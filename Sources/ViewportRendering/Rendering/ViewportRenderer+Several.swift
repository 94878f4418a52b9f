internal import TilePyramid
internal import ViewportGeometry

extension ViewportRenderer {
    /// Makes pictures of several viewports of a file from one read of it, in the order of the viewports.
    ///
    /// The rows of one level pass once, through all pictures that need them; a picture that is small enough beside
    /// another is made from that one.
    ///
    /// - Throws: `RenderingError`, or `CancellationError` where its task is cancelled.
    package func render(_ viewports: [Viewport], of file: ImageFile) throws -> [Picture] {
        let coverages = try viewports.map { viewport in try coverage(viewport, of: file) }
        guard let scale = coverages.map(\.scale).max() else { return [] }
        let reader = try open(file, forScale: scale)
        let several = RenderBatchPlan(coverages, of: file, reader, kernel: options.kernel)
        let stored = try several.pictures { push in try reader.read(several.storedRect, row: push) }
        return try finish(stored, several.plans, viewports, reader.pixels, file)
    }

    /// Makes pictures of several viewports of every frame of an animation.
    ///
    /// Frame by frame, each in the order of the viewports. All frames are decoded once, and only one is held.
    ///
    /// - Throws: `RenderingError`, or `CancellationError` where its task is cancelled.
    package func renderFrames(_ viewports: [Viewport], of animation: Animation) throws -> [[Picture]] {
        let file = animation.file
        let coverages = try viewports.map { viewport in try coverage(viewport, of: file) }
        guard !coverages.isEmpty else { return [] }
        let area = viewports.reduce(0) { $0 + $1.size.area }
        guard area <= options.maximumPictureArea / animation.delays.count else {
            throw RenderingError.pictureTooLarge(size: viewports[0].size, limit: options.maximumPictureArea)
        }
        let several = RenderBatchPlan(coverages, of: file, animation.reader, kernel: options.kernel)
        return try animation.frames(several.storedRect) { read in
            try finish(several.pictures(read), several.plans, viewports, animation.reader.pixels, file)
        }
    }

    private func finish(
        _ stored: [StoredPicture], _ plans: [ViewportPlan], _ viewports: [Viewport], _ kind: PixelKind,
        _ file: ImageFile
    ) throws -> [Picture] {
        try stored.indices.map { index in
            try finish(stored[index], plans[index].painted, viewports[index].size, kind, file)
        }
    }
}
