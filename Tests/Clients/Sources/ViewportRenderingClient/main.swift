import ViewportRendering

// The snippet of README.md: at top level, asynchronous, with progress.
if CommandLine.arguments.count > 1 {
    let file = try ImageFile(path: CommandLine.arguments[1])
    print(file.exif?.orientation ?? 1, file.exif?.make ?? "", file.storedSize.width)
    var view = ScrollView(bounds: Size(width: 1024, height: 768), viewSize: file.uprightSize.imageSize)
    view.setZoomLimits(minimum: view.fittingZoomScale, maximum: 8)
    view.zoom(to: Rect(x: 9000, y: 7000, width: 3000, height: 1000))

    var options = RenderOptions()
    options.kernel = .lanczos3
    let renderer = ViewportRenderer(options: options)
    let (picture, report) = try await renderer.render(Viewport(view, displayScale: 2), of: file) { progress in
        print("\(Int(100 * progress.fraction)) %: \(progress)")
    }
    let png = try await PictureEncoder(.png).encode(picture)
    print(report.level?.index ?? 0, report.level?.size.width ?? 0, png.count)
}

/// An image source of the client, which computes its pixels.
struct Gradient: ImageSource, LevelReader {
    var pyramid: Pyramid { Pyramid(size: PixelSize(width: 100_000, height: 100_000)) }
    var level: PyramidLevel { pyramid.full }
    var pixels: SourcePixelFormat { .gray() }

    func open(_ level: PyramidLevel) -> any LevelReader { self }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        let line = (rect.x..<rect.maxX).map { UInt8(truncatingIfNeeded: $0 >> 9) }
        for _ in rect.y..<rect.maxY { try row(line.span.bytes) }
    }
}

let computed = try ImageFile(source: Gradient())
let part = Viewport(
    imageRect: Rect(x: 50_000, y: 50_000, width: 640, height: 480), size: PixelSize(width: 640, height: 480))
let (seen, _) = try await ViewportRenderer().render(part, of: computed)
print(seen.size.width, seen.size.height)
