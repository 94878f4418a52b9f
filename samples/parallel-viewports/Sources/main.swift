import ViewportRendering

/// Renders all viewports at the same time; the renderer's pool has one thread per processor.
func render(
    _ viewports: [Viewport], of file: ImageFile, progress: @escaping @Sendable (WorkProgress) -> Void
) async throws -> [Picture] {
    let total = CombinedProgress(of: viewports.count, report: progress)
    return try await withThrowingTaskGroup(of: (index: Int, picture: Picture).self) { group in
        for (index, viewport) in viewports.enumerated() {
            group.addTask {
                let (picture, _) = try await ViewportRenderer().render(
                    viewport, of: file, progress: total.part(index))
                return (index, picture)
            }
        }
        var pictures: [Int: Picture] = [:]
        for try await rendered in group { pictures[rendered.index] = rendered.picture }
        return viewports.indices.compactMap { pictures[$0] }
    }
}

/// Renders and prints each quarter of the whole work; cancels the work after a share of it.
func run(_ viewports: [Viewport], of file: ImageFile, cancelsAfter limit: Double = .infinity) async throws {
    let (shares, reports) = AsyncStream.makeStream(of: WorkProgress.self)
    let work = Task {
        defer { reports.finish() }
        return try await render(viewports, of: file) { reports.yield($0) }
    }
    var quarter = 1.0
    for await share in shares {
        if share.fraction > limit { work.cancel() }
        while !work.isCancelled, share.fraction >= quarter / 4 {
            print("\(Int(25 * quarter)) %")
            quarter += 1
        }
    }
    do {
        let pictures = try await work.value
        print("\(pictures.count) pictures of \(pictures[0].size.width)x\(pictures[0].size.height) pixels")
    } catch is CancellationError {
        print("cancelled")
    }
}

guard CommandLine.arguments.count == 2 else { fatalError("usage: parallel-viewports IMAGE") }
let file = try ImageFile(path: CommandLine.arguments[1])
let size = file.uprightSize.imageSize
let viewports = (0..<20).map { index in
    let (row, column) = (Double(index / 4), Double(index % 4))
    let part = Rect<ImageSpace>(
        x: column * size.width / 4, y: row * size.height / 5, width: size.width / 4, height: size.height / 5)
    return Viewport(imageRect: part, scale: 0.5)
}
try await run(viewports, of: file)
try await run(viewports, of: file, cancelsAfter: 0.1)
