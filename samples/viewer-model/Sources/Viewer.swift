import ScrollModel

/// Photos side by side: a drag turns the page, or scrolls the photo if it is zoomed in.
struct Viewer {
    private(set) var pages: ScrollView
    private(set) var photos: [ScrollView]
    private var dragged = \Viewer.pages

    init(bounds: Size<ViewSpace>, photos sizes: [Size<ImageSpace>]) {
        let width = bounds.width * Double(sizes.count)
        pages = ScrollView(bounds: bounds, viewSize: Size(width: width, height: bounds.height))
        pages.isPagingEnabled = true
        photos = sizes.map { size in
            var photo = ScrollView(bounds: bounds, viewSize: size)
            photo.setZoomLimits(minimum: photo.fittingZoomScale, maximum: 2)
            photo.show(.scaleAspectFit)
            return photo
        }
    }

    var page: Int { pages.currentPage.across }
    var photo: ScrollView { photos[page] }

    var isMoving: Bool {
        ([pages] + photos).contains(where: \.isMoving)
    }

    mutating func touch(_ location: Point<ViewSpace>, _ phase: TouchPhase) -> ScrollEvents {
        if phase == .began {
            let page = page
            dragged = photo.zoomScale > photo.minimumZoomScale ? \.photos[page] : \.pages
        }
        return self[keyPath: dragged].touches(Touch(id: 1, location: location), phase: phase)
    }

    mutating func doubleTap(_ location: Point<ViewSpace>) -> ScrollEvents {
        photos[page].doubleTap(at: location)
    }

    mutating func advance(to time: Double) -> [ScrollEvent] {
        var events = Array(pages.advance(to: time))
        for index in photos.indices { events += photos[index].advance(to: time) }
        return events
    }
}
