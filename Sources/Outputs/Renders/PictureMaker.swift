internal import ImageReading
internal import PictureEncoding
internal import Pictures
internal import ScrollModel
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering
internal import Viewports
internal import WorkReporting

/// Makes the pictures of a job from an open file.
///
/// Views that need the same options come from one decode.
struct PictureMaker {
    private let job: PictureJob
    private let file: ImageFile

    init(_ job: PictureJob, of file: ImageFile) {
        (self.job, self.file) = (job, file)
    }

    /// Returns the pictures, sorted by request and then by format.
    ///
    /// - Throws: `RenderingError`, `IIIFError` or `CancellationError`; `CacheError.broken` where the file is read from a
    ///   cache.
    func pictures(_ decoded: () -> Void, _ progress: (WorkProgress) -> Void) throws -> [MadePicture] {
        var made: [[MadePicture]] = job.requests.map { _ in [] }
        var scenes: [(number: Int, Scene)] = []
        for (number, request) in job.requests.enumerated() {
            switch try request.resolved(for: file, assumesPanorama: job.assumesPanorama) {
            case .iiif(let picture): made[number] = [try answer(picture)]
            case .view(let view) where job.isLossless: made[number] = [try cut(view)]
            case .view(let view): scenes.append((number, .view(view)))
            case .look(let frame, let panorama): scenes.append((number, .look(frame, panorama)))
            }
        }
        for (scene, pictures) in zip(scenes, try pictures(of: scenes.map(\.1), decoded, progress)) {
            made[scene.number] = pictures
        }
        var all = made.flatMap(\.self)
        if file.rawPreview != nil, let damage = file.damage, !all.isEmpty {
            all[0].notes.append(.damaged(damage))
        }
        return all
    }

    // MARK: Views and looks

    /// What is rendered before it is encoded.
    private enum Scene {
        case view(PictureRequest.View)
        case look(LookFrame, Panorama)

        var view: PictureRequest.View? { if case .view(let view) = self { view } else { nil } }
    }

    private typealias Rendered = (picture: Picture, report: RenderReport?)

    /// Returns the pictures of each scene in all formats.
    private func pictures(
        of scenes: [Scene], _ decoded: () -> Void, _ progress: (WorkProgress) -> Void
    ) throws -> [[MadePicture]] {
        guard !scenes.isEmpty else { return [] }
        let options = job.encoders.map { job.options(for: $0.format, of: file) }
        var rendered: [RenderOptions: [Rendered]] = [:]
        var made: [[MadePicture?]] = scenes.map { _ in job.encoders.map { _ in nil } }
        func isTransparent(_ index: Int) -> Bool { job.encoders[index].format.hasAlpha }
        // Those that can be transparent first: where none of their pixels is, the others are the same.
        for index in options.indices.sorted(by: { isTransparent($0) && !isTransparent($1) }) {
            let same = rendered.first { $0.key.isSame(as: options[index], but: $0.value.map(\.picture)) }
            let renderer = ViewportRenderer(options: same?.key ?? options[index])
            let pictures = try same?.value ?? render(scenes, by: renderer, progress)
            if rendered.isEmpty { decoded() }
            rendered[renderer.options] = pictures
            for (number, one) in pictures.enumerated() {
                made[number][index] = try finished(one, scenes[number], job.encoders[index], renderer)
            }
        }
        return made.map { $0.compactMap(\.self) }
    }

    private func render(
        _ scenes: [Scene], by renderer: ViewportRenderer, _ progress: (WorkProgress) -> Void
    ) throws -> [Rendered] {
        let viewports = scenes.compactMap(\.view?.viewport)
        guard scenes.count == 1 || viewports.count < scenes.count else {
            return try renderer.renderBatch(viewports, of: file).map { ($0, nil) }
        }
        var rendered: [Rendered] = []
        for scene in scenes {
            let made: (picture: Picture, report: RenderReport)
            switch scene {
            case .view(let view):
                made = try renderer.renderSynchronously(view.viewport, of: file, progress: progress)
            case .look(let frame, let panorama):
                made = try renderer.renderSynchronously(frame, into: panorama, of: file, progress: progress)
            }
            rendered.append((made.picture, made.report))
        }
        return rendered
    }

    /// Encodes a picture in a format.
    private func finished(
        _ rendered: Rendered, _ scene: Scene, _ encoder: PictureEncoder, _ renderer: ViewportRenderer
    ) throws -> MadePicture {
        let clock = ContinuousClock()
        let start = clock.now
        var finisher = PictureFinisher(encoder, after: renderer, of: file)
        (finisher.keepsMetadata, finisher.gainMap) = (job.keepsMetadata, job.gainMap)
        finisher.rotation = job.rotation
        let file = try finished(rendered.picture, scene, encoder, finisher)
        var made = MadePicture(bytes: file.bytes, size: file.size)
        made.request = scene.view?.request
        let source = self.file
        made.reading =
            "\(source.rawPreview?.format.rawValue ?? source.format.rawValue), \(source.reading)"
        (made.level, made.storedRect) = (rendered.report?.level?.index, rendered.report?.storedRect)
        made.times = MadePicture.Times(
            read: rendered.report?.read ?? .zero, scale: rendered.report?.scale ?? .zero,
            encode: clock.now - start)
        if !file.leftOut.isEmpty { made.notes.append(.leftOut(file.leftOut, encoder.format)) }
        made.hasGainMap = file.hasGainMap
        if let reason = file.lacksGainMap { made.notes.append(.gainMap(reason)) }
        if source.isAnimated, scene.view == nil || !job.hasFrames(encoder.format, source) {
            made.notes.append(.oneFrame(source.page, of: source.pages))
        }
        if job.keepsMetadata, source.hasContentCredentials { made.notes.append(.credentials) }
        if let view = scene.view, view.showsMore, let rect = view.request?.visibleRect {
            made.notes.append(.showsMore(rect))
        }
        return made
    }

    /// Encodes a picture, or all frames of an animation.
    private func finished(
        _ picture: Picture, _ scene: Scene, _ encoder: PictureEncoder, _ finisher: PictureFinisher
    ) throws -> PictureFinisher.Finished {
        guard job.hasFrames(encoder.format, file), let view = scene.view,
            let format = AnimationEncoder.Format(encoder.format), let animation = try Animation(file)
        else { return try finisher.finish(picture, showing: scene.view?.viewport) }
        return try finisher.finish(animation, as: format, showing: view.viewport)
    }

    // MARK: Copies and answers

    /// Copies the compressed data of whole blocks.
    private func cut(_ view: PictureRequest.View) throws -> MadePicture {
        let asked = view.request?.visibleRect ?? view.viewport.imageRect
        let clock = ContinuousClock()
        let start = clock.now
        let crop = try LosslessCrop(
            PixelRect(
                x: Int(asked.minX), y: Int(asked.minY), width: Int(asked.width), height: Int(asked.height)),
            of: file, metadata: job.keepsMetadata ? .all : .none)
        let rect = crop.rect
        let got = Rect<ImageSpace>(
            x: Double(rect.x), y: Double(rect.y), width: Double(rect.width), height: Double(rect.height))
        var made = MadePicture(
            bytes: crop.jpeg, size: PixelSize(width: rect.width, height: rect.height))
        made.request = view.request
        made.request?.visibleRect = got
        made.request?.contentOffset = Point(x: got.minX, y: got.minY)
        made.reading = "jpeg, lossless copy"
        (made.level, made.storedRect) = (0, crop.storedRect)
        made.times.read = clock.now - start
        if job.gainMap == .keptIfPossible { try addGainMap(to: &made, got) }
        if crop.losesCredentials { made.notes.append(.credentials) }
        if got != asked { made.notes.append(.widened(got)) }
        return made
    }

    /// Adds the gain map of the file to a copy of blocks, which the map fits as they are stored.
    private func addGainMap(to made: inout MadePicture, _ rect: Rect<ImageSpace>) throws {
        guard file.gainMap != nil else { return }
        guard file.orientation == .up else {
            return made.notes.append(
                .gainMap("it cannot be cut without decoding where the picture is turned"))
        }
        let size = PixelSize<OutputGrid>(width: made.size.width, height: made.size.height)
        do {
            let map = try ViewportRenderer().renderGainMapSynchronously(
                Viewport(imageRect: rect, size: size), of: file)
            guard let map else { return }
            made.bytes = try PictureEncoder(.jpg).addingSynchronously(map, to: made.bytes)
            made.hasGainMap = true
        } catch RenderingError.gainMap(_, let reason) {
            made.notes.append(.gainMap(reason))
        }
    }

    /// Returns the bytes that a server sends.
    private func answer(_ picture: IIIFPicture) throws -> MadePicture {
        let answer = try IIIFRenderer(file).answerSynchronously(picture)
        var made = MadePicture(bytes: answer.bytes, size: answer.size)
        made.canonicalPath = picture.canonicalPath
        return made
    }
}

extension RenderOptions {
    /// Whether pictures without transparent pixels that were made with these options are those of other ones.
    fileprivate func isSame(as other: RenderOptions, but pictures: [Picture]) -> Bool {
        var options = self
        options.background = other.background
        return options == other && !pictures.contains(where: \.hasAlpha)
    }
}
