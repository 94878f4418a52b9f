import Foundation
import ScrollModel
import Testing
import ViewportGeometry

@Suite("An archive")
struct RestoringTests {
    static let size = Size<ImageSpace>(width: 4000, height: 3000)

    @Test("restores the same position on another screen")
    func otherScreen() {
        var phone = Script((320, 460), over: (4000, 3000), zoom: 0.01...8)
        phone.view.zoom(to: Rect(x: 1000, y: 1000, width: 200, height: 100))
        var tablet = Script((1024, 768), over: (4000, 3000), zoom: 0.01...8)
        tablet.view.restore(phone.view.archive)
        let a = phone.view.visibleRect.center
        let b = tablet.view.visibleRect.center
        #expect(a.x.isClose(to: b.x) && a.y.isClose(to: b.y))
        let relative = tablet.view.zoomScale / tablet.view.fittingZoomScale
        #expect(relative.isClose(to: phone.view.zoomScale / phone.view.fittingZoomScale))
    }

    @Test(
        "survives a round trip through IIIF",
        arguments: [(2000.0, 1500.0, 3.0, 0.0), (1000, 1200, 8, 45), (2000, 1500, 1, 90)])
    func iiif(_ x: Double, _ y: Double, _ zoom: Double, _ rotation: Double) throws {
        let archive = try #require(
            ScrollView.Archive(center: Point(x: x, y: y), zoom: zoom, rotation: rotation))
        let again = try #require(ScrollView.Archive(iiif: archive.iiif(of: Self.size), of: Self.size))
        #expect(again.center.x.isClose(to: x) && again.center.y.isClose(to: y))
        #expect(again.zoom.isClose(to: zoom) && again.rotation.isClose(to: rotation))
    }

    @Test(
        "is written as a region of the IIIF Image API",
        arguments: [
            (2000.0, 1500.0, 2.0, "pct:25,25,50,50"), (2000, 1500, 1, "full"), (0, 0, 4, "pct:0,0,25,25"),
            (2000, 1500, 0.5, "full"),
            (2000, 1500, 3, "pct:33.3333333333,33.3333333333,33.3333333333,33.3333333333"),
        ])
    func region(_ x: Double, _ y: Double, _ zoom: Double, _ text: String) throws {
        let archive = try #require(ScrollView.Archive(center: Point(x: x, y: y), zoom: zoom))
        #expect(archive.iiif(of: Self.size) == text)
    }

    @Test("reads regions written by other programs")
    func reads() {
        let square = ScrollView.Archive(iiif: "square", of: Self.size)
        #expect(square?.center == Point(x: 2000, y: 1500) && square?.zoom == 1)
        let region = ScrollView.Archive(iiif: "400,300,400,300/max/90", of: Self.size)
        #expect(region?.center == Point(x: 600, y: 450) && region?.zoom == 10 && region?.rotation == 90)
    }

    @Test(
        "rejects invalid regions",
        arguments: [
            "", "pct:", "1,2,3", "1,2,3,4,5", "a,b,c,d", "-1,0,3,3", "1e5,0,1,1", "nan,0,1,1", "0,0,0,10",
            "full/max",
            "full/max/x", "full/max/400", "inf,inf,inf,inf", "0x10,0,1,1",
            String(repeating: "9", count: 5000),
            "pct:1,1,1,1,", "💥", "1..2,0,1,1",
        ])
    func refused(_ text: String) { #expect(ScrollView.Archive(iiif: text, of: Self.size) == nil) }

    @Test(
        "rejects invalid JSON",
        arguments: [
            "{}", "[]", #"{"version":2,"center":[1,2],"zoom":1}"#, #"{"version":1,"center":[1],"zoom":1}"#,
            #"{"version":1,"center":[1,2],"zoom":0}"#, #"{"version":1,"center":[1,2],"zoom":-1}"#,
            #"{"version":1,"center":[1,2,3],"zoom":1}"#, #"{"version":1e40,"center":[1,2],"zoom":1}"#,
            #"{"version":1,"center":[1e999,2],"zoom":1}"#,
        ])
    func json(_ text: String) {
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode(ScrollView.Archive.self, from: Data(text.utf8))
        }
    }

    @Test("far outside the image restores to an offset in range")
    func extremes() throws {
        for zoom in [1e-300, 1e300] {
            let archive = try #require(
                ScrollView.Archive(center: Point(x: 1e300, y: -1e300), zoom: zoom, rotation: 1e300))
            var script = Script(over: (4000, 3000), zoom: 0.1...8)
            script.view.restore(archive)
            #expect(script.view.clampedContentOffset(script.view.contentOffset) == script.view.contentOffset)
            #expect((0.1...8).contains(script.view.zoomScale))
        }
    }
}
