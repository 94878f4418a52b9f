internal import Basics
internal import CViewport
internal import Files
internal import ImageReading
internal import Platform
internal import RenderCaching
internal import Synchronization
internal import Thumbnails
internal import ViewportGeometry
internal import ViewportRendering

/// What a handle refers to: an open image, its caches, and the calls that use it.
final class HeldImage: Sendable {
    private struct State {
        var file: ImageFile
        var calls: [ObjectIdentifier: Call] = [:]
    }

    private let state: Mutex<State>
    private let keepsColors: Bool
    /// Nil where the caller wants none.
    private let caches: ImageCaches?
    private let process = getpid()
    /// The path in messages; known without the lock, which a thread of the other process may hold after a fork.
    private let path: String

    /// Opens an image.
    ///
    /// - Parameter open: opens it by a policy.
    init(_ options: viewport_options, _ open: (OpenPolicy) throws -> ImageFile) throws {
        func has(_ flag: some BinaryInteger) -> Bool { options.flags & UInt32(flag) != 0 }
        guard options.flags < 64 else { throw CallError.invalid("options.flags is \(options.flags)") }
        guard options.page >= 0, options.threads >= 0, options.maximum_pixels >= 0 else {
            throw CallError.invalid("options.page, threads or maximum_pixels is negative")
        }
        var opening = OpenOptions()
        opening.page = Int(options.page)
        opening.appliesOrientation = !has(VIEWPORT_AS_STORED)
        opening.allowsTruncated = has(VIEWPORT_TOLERANT)
        opening.optimizesForRandomAccess = has(VIEWPORT_MANY_PARTS)
        opening.indexesAtOpening = false
        opening.threads = Processors.threads(options.threads)
        if options.maximum_pixels > 0 { opening.maximumPixels = Int(options.maximum_pixels) }
        keepsColors = has(VIEWPORT_KEEP_COLORS)
        let caches =
            has(VIEWPORT_CACHED)
            ? ImageCaches(IndexCache(), PyramidCache(), missing: .isLeft) : nil
        self.caches = caches
        let file = try open(
            OpenPolicy(opening, allowsUntrusted: has(VIEWPORT_UNTRUSTED)) { caches })
        path = file.path
        state = Mutex(State(file: file))
    }

    /// Opens an image that the file of another one has beside its pages.
    init(_ name: String, beside image: HeldImage) throws {
        try image.checkProcess()
        guard let file = try image.file.openAssociated(name) else {
            let names = image.file.associatedNames.map { "\"\($0)\"" }.joined(separator: ", ")
            throw CallError(
                VIEWPORT_OUTSIDE,
                "\(FilePath(image.path)): has no associated image \"\(name)\""
                    + (names.isEmpty ? "" : ", only \(names)"))
        }
        (keepsColors, caches, path) = (image.keepsColors, nil, file.path)
        state = Mutex(State(file: file))
    }

    /// The image as it is read now.
    var file: ImageFile { state.withLock { $0.file } }

    /// Refuses the image of another process, whose threads and locks stayed there.
    func checkProcess() throws(CallError) {
        guard process == getpid() else {
            throw CallError(
                VIEWPORT_FORKED,
                "\(FilePath(path)): was opened before this process was forked; open it again")
        }
    }

    /// Does the work of a call, which `cancelAll()` can end.
    func during<R>(_ call: Call, _ work: () throws -> R) throws -> R {
        try checkProcess()
        state.withLock { $0.calls[ObjectIdentifier(call)] = call }
        defer { state.withLock { $0.calls[ObjectIdentifier(call)] = nil } }
        return try work()
    }

    func cancelAll() {
        let calls = state.withLock { Array($0.calls.values) }
        for call in calls { call.cancel() }
    }

    /// Renders a region.
    func read(_ viewport: Viewport, into target: PixelTarget, _ call: Call) throws {
        try during(call) {
            try call.run { try self.render(viewport, into: target, call) { call.report($0) } }
            try call.check()
        }
    }

    /// Renders regions on several threads.
    ///
    /// - Returns: the number and the error of the first that failed; nil where none did.
    func read(
        _ parts: [(viewport: Viewport, target: PixelTarget)], threads: Int, _ call: Call
    ) throws -> (number: Int, error: any Error)? {
        let done = Exclusive(0)
        let failed = Mutex<(number: Int, error: any Error)?>(nil)
        let flag = CancellationFlag()
        try during(call) {
            _ = try call.run { try self.indexed(call) }
            Processors.forEach(below: parts.count, threads: threads, until: flag) { number in
                do {
                    let part = parts[number]
                    try call.run { try self.render(part.viewport, into: part.target, call) { _ in } }
                    done.withValueEvenIfCancelled {
                        $0 += 1
                        call.report(Double($0) / Double(parts.count))
                    }
                } catch {
                    flag.raise()
                    failed.withLock { if $0.map({ number < $0.number }) ?? true { $0 = (number, error) } }
                }
            }
        }
        return failed.withLock { $0 }
    }

    private func render(
        _ viewport: Viewport, into target: PixelTarget, _ call: Call, _ report: (Double) -> Void
    ) throws {
        let file = try indexed(call)
        let renderer = renderer(of: file, for: target)
        try target.write(
            renderer.renderSynchronously(viewport, of: file) { report($0.fraction) }.picture)
    }

    /// Returns the image, read through the index that the first read makes where many are expected.
    private func indexed(_ call: Call) throws -> ImageFile {
        let file = file
        guard let source = file.indexable, !source.isIndexed else { return file }
        let indexed = try source.indexedWhereAsked { call.report(index: $0) }
        guard indexed.isIndexed else { return file }
        let made = file.reading(from: indexed)
        state.withLock { $0.file = made }
        return made
    }

    /// Renders the thumbnail in a box.
    func readThumbnail(_ size: ThumbnailSize, into target: PixelTarget) throws {
        let (call, file) = (Call(), file)
        try target.check(size.viewport(of: file).size)
        try during(call) {
            try call.run {
                try target.write(self.renderer(of: file, for: target).renderThumbnail(size, of: file))
            }
        }
    }

    private func renderer(of file: ImageFile, for target: PixelTarget) -> ViewportRenderer {
        let isDeep = !["srgb", "b-w", "cmyk"].contains(file.interpretation)
        return ViewportRenderer(options: target.renderOptions(keepsColors: keepsColors, isDeep: isDeep))
    }

    /// Makes the index, unless there is one, and stores it in the cache if one is used.
    func makeIndex(_ call: Call) throws {
        let made = try during(call) { try call.run { try self.makingIndex { call.report($0) } } }
        call.report(1)
        try call.check()
        state.withLock { $0.file = made }
    }

    private func makingIndex(_ progress: @escaping @Sendable (Double) -> Void) throws -> ImageFile {
        let file = file
        if let caches {
            return caches.existingPyramid(of: try caches.indexes.make(file, progress: progress).file)
        }
        guard let source = file.indexable else {
            throw RenderingError.notIndexable(file: file.path, reason: file.reasonAgainstIndex)
        }
        let kept = try source.indexedWhereAsked(progress)
        return file.reading(from: kept.isIndexed ? kept : try source.makingIndex(progress))
    }

    /// The index as bytes; nil where there is none.
    func savedIndex() throws -> [UInt8]? {
        try checkProcess()
        return try file.indexable?.encodedIndex()
    }

    /// Uses an index that was saved before.
    func load(index bytes: [UInt8]) throws {
        try checkProcess()
        let file = file
        guard let source = file.indexable else {
            throw RenderingError.notIndexable(file: file.path, reason: file.reasonAgainstIndex)
        }
        guard let source = source.reading(encodedIndex: bytes) else {
            throw CallError(
                VIEWPORT_STALE_INDEX, "\(FilePath(file.path)): the saved index does not belong to this file")
        }
        state.withLock { $0.file = file.reading(from: source) }
    }
}

extension Processors {
    /// Returns the threads for a number that a caller wants; 0 is one per processor.
    static func threads(_ wanted: Int32) -> Int {
        wanted == 0 || count == 1 ? count : Int(wanted)
    }
}
