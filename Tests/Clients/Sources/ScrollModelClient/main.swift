import ScrollModel

var view = ScrollView(
    bounds: Size(width: 1024, height: 768), viewSize: Size<ImageSpace>(width: 20000, height: 15000))
view.setZoomLimits(minimum: view.fittingZoomScale, maximum: 8)
view.zoom(to: Rect(x: 9000, y: 7000, width: 3000, height: 1000))
print(view.visibleRect, view.zoomScale)
