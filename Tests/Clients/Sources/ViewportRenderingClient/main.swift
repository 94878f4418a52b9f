import ViewportRendering

// As in README.md: at top level, asynchronous, with progress.
if CommandLine.arguments.count > 1 {
    let file = try ImageFile(path: CommandLine.arguments[1])
    print(file.exif?.orientation ?? 1, file.exif?.make ?? "", file.storedSize.width)
    var view = ScrollView(bounds: Size(width: 1024, height: 768), viewSize: file.uprightSize.imageSize)
    view.setZoomLimits(minimum: view.fittingZoomScale, maximum: 8)
    view.zoom(to: Rect(x: 9000, y: 7000, width: 3000, height: 1000))

    var options = RenderOptions()
    options.kernel = .lanczos3
    let renderer = ViewportRenderer(options: options)
    let (picture, report) = try await renderer.render(Viewport(view, displayScale: 2), of: file) { share in
        print("\(Int(100 * share)) %")
    }
    let png = try PictureEncoder(.png).encode(picture)
    print(report.level?.index ?? 0, report.level?.size.width ?? 0, png.count)
}
