import Foundation
import Testing
import ViewportGeometry

@testable import ScrollModel

@Suite("A panorama")
struct PanoramaTests {
    private static let whole = Panorama(size: Size(width: 4000, height: 2000))!
    private static let screen = Size<ViewSpace>(width: 800, height: 600)

    private static func close(_ a: Double, _ b: Double, _ tolerance: Double = 1e-9) -> Bool {
        (a - b).magnitude <= tolerance
    }

    @Test("has its middle ahead, the right half to the right, and the top up")
    func directions() {
        let (ahead, right) = (
            Self.whole.direction(Point(x: 2000, y: 1000)), Self.whole.direction(Point(x: 3000, y: 1000))
        )
        #expect(Self.close(ahead.z, 1) && Self.close(right.x, 1))
        #expect(Self.close(Self.whole.direction(Point(x: 123, y: 0)).y, 1))
        for x in stride(from: 5.0, to: 4000, by: 97) {
            for y in stride(from: 3.0, to: 2000, by: 89) {
                let back = Self.whole.imagePoint(Self.whole.direction(Point(x: x, y: y)))
                #expect(Self.close(back.x, x, 1e-6) && Self.close(back.y, y, 1e-6))
            }
        }
    }

    @Test("has angles of which the tangents are those numbers")
    func arcTangents() {
        for index in -2000...2000 {
            let angle = Double(index) / 2000 * 3.14159
            let (cosine, sine) = PortableMath.cosineAndSine(radians: angle)
            #expect(Self.close(PortableMath.arcTangent(sine * 3, cosine * 3), angle, 1e-14))
        }
        #expect(PortableMath.arcTangent(0, 0) == 0)
    }

    @Test("is leveled by its pose")
    func pose() {
        let tilted = Panorama(size: Size(width: 4000, height: 2000), posePitch: 10, poseRoll: 0)!
        let middle = tilted.direction(Point(x: 2000, y: 1000))
        #expect(Self.close(middle.latitude / Direction.radian, 10))
        let rolled = Panorama(size: Size(width: 4000, height: 2000), poseRoll: 20)!
        // The horizon turns counterclockwise in the picture: it is higher at the right.
        let horizon = rolled.imagePoint(Direction(longitude: 1, latitude: 0))
        #expect(horizon.y < 1000)
        let back = rolled.imagePoint(rolled.direction(Point(x: 700, y: 300)))
        #expect(Self.close(back.x, 700, 1e-6) && Self.close(back.y, 300, 1e-6))
    }

    @Test("shows the same directions at the same points", arguments: LookProjection.allCases)
    func frames(_ projection: LookProjection) throws {
        let frame = LookFrame(
            Look(yaw: 170, pitch: -40, roll: 15, fieldOfView: 100), projection, size: Self.screen)
        for x in stride(from: 0.0, through: 800, by: 50) {
            for y in stride(from: 0.0, through: 600, by: 50) {
                guard let direction = frame.direction(at: Point(x: x, y: y)) else { continue }
                let point = try #require(frame.point(direction))
                #expect(Self.close(point.x, x, 1e-6) && Self.close(point.y, y, 1e-6))
            }
        }
        let middle = try #require(frame.direction(at: Point(x: 400, y: 300)))
        #expect(Self.close(middle.longitude / Direction.radian, 170, 1e-9))
        #expect(Self.close(middle.latitude / Direction.radian, -40, 1e-9))
        let level = LookFrame(Look(fieldOfView: 100), projection, size: Self.screen)
        let edge = try #require(level.direction(at: Point(x: 800, y: 300)))
        #expect(Self.close(edge.longitude / Direction.radian, 50, 1e-9))
    }

    @Test("has a part of the sphere by its cropped area")
    func parts() {
        // The right half of the upper half.
        let part = Panorama(
            size: Size(width: 2000, height: 1000),
            whole: Rect(x: -2000, y: 0, width: 4000, height: 2000))!
        #expect(!part.isFullCircle && part.reachesPoles == (true, false))
        #expect(Self.close(part.longitudes.lowerBound, 0) && Self.close(part.longitudes.upperBound, 180))
        #expect(Self.close(part.latitudes.lowerBound, 0) && Self.close(part.latitudes.upperBound, 90))
        #expect(Self.close(part.initialLook.yaw, 90) && Self.close(part.initialLook.pitch, 45))
    }

    @Test("refuses sizes that are empty or not finite")
    func invalid() {
        #expect(Panorama(size: Size(width: 0, height: 10)) == nil)
        #expect(Panorama(size: Size(width: .infinity, height: 10)) == nil)
        #expect(Panorama(size: Size(width: 10, height: 10), posePitch: .nan) == nil)
        let look = Look(yaw: .nan, pitch: 1000, roll: 540, fieldOfView: -1)
        #expect(look == Look(yaw: 0, pitch: 90, roll: -180, fieldOfView: 0.01))
    }
}

@Suite("A view into a panorama")
struct PanoramaViewTests {
    private static let screen = Size<ViewSpace>(width: 800, height: 600)
    private static let whole = Panorama(size: Size(width: 8000, height: 4000))!
    /// A strip of 180 by 60 degrees.
    private static let strip = Panorama(
        size: Size(width: 4000, height: 1333),
        whole: Rect(x: -2000, y: -1333.5, width: 8000, height: 4000))!

    private static func touch(_ x: Double, _ y: Double, _ id: Int = 1) -> Touch {
        Touch(id: id, location: Point(x: x, y: y))
    }

    private static func apart(_ a: Direction, _ b: Direction) -> Double {
        let (x, y, z) = (a.x - b.x, a.y - b.y, a.z - b.z)
        return (x * x + y * y + z * z).squareRoot()
    }

    private static func unit(_ view: PanoramaView, _ x: Double, _ y: Double) -> Direction {
        let d = view.frame.direction(at: Point(x: x, y: y))!
        return Direction(longitude: d.longitude, latitude: d.latitude)
    }

    @Test("keeps the direction under the finger", arguments: LookProjection.allCases)
    func drag(_ projection: LookProjection) {
        var view = PanoramaView(Self.whole, bounds: Self.screen, projection: projection)
        view.setLook(Look(yaw: 175, pitch: 20, fieldOfView: 80))
        let below = Self.unit(view, 300, 200)
        view.touches(Self.touch(300, 200), phase: .began)
        view.touches(Self.touch(500, 330), phase: .moved)
        #expect(Self.apart(Self.unit(view, 500, 330), below) < 1e-6)
        // Computed from the start of the gesture: the way there does not matter.
        view.touches(Self.touch(20, 590), phase: .moved)
        view.touches(Self.touch(500, 330), phase: .moved)
        #expect(Self.apart(Self.unit(view, 500, 330), below) < 1e-6)
    }

    @Test("keeps the direction between two fingers while they zoom")
    func pinch() {
        var view = PanoramaView(Self.whole, bounds: Self.screen)
        view.setLook(Look(yaw: 10, pitch: 5, fieldOfView: 80))
        let below = Self.unit(view, 400, 200)
        view.touches(Self.touch(300, 200, 1), phase: .began)
        view.touches(Self.touch(500, 200, 2), phase: .began)
        view.touches(Self.touch(250, 250, 1), Self.touch(650, 250, 2), phase: .moved)
        #expect(Self.apart(Self.unit(view, 450, 250), below) < 1e-6)
        let extent = LookProjection.rectilinear.extent(80) / 2
        #expect((view.look.fieldOfView - LookProjection.rectilinear.fieldOfView(extent)).magnitude < 1e-9)
    }

    @Test("flies on after a flick, over the seam, and comes to rest")
    func flick() {
        var view = PanoramaView(Self.whole, bounds: Self.screen)
        view.setLook(Look(yaw: 179, pitch: 0, fieldOfView: 90))
        view.touches(Self.touch(700, 300), phase: .began)
        for step in 1...8 {
            view.advance(to: Double(step) * 0.016)
            view.touches(Self.touch(700 - Double(step) * 40, 300), phase: .moved)
        }
        view.touches(Self.touch(380, 300), phase: .ended)
        #expect(view.isMoving && !view.isTracking)
        let (released, goal) = (view.look.yaw, view.restingLook)
        view.advance(to: 0.5)
        #expect(view.look.yaw != released)
        view.advance(to: 20)
        #expect(!view.isMoving && view.look.pitch.magnitude < 1e-9)
        #expect((view.look.yaw - goal.yaw).magnitude < 1e-6 && view.restingLook == view.look)
        // The curve counts on over the seam; a look does not.
        #expect((-180..<180).contains(view.look.yaw))
    }

    @Test("stretches a rubber band at the edges of a part, and returns")
    func rubberBand() {
        var view = PanoramaView(Self.strip, bounds: Self.screen)
        let span = view.pitchSpan
        view.touches(Self.touch(400, 100), phase: .began)
        view.touches(Self.touch(400, 590), phase: .moved)
        #expect(view.pitch > span.upper && view.pitch < 90)
        view.touches(Self.touch(400, 590), phase: .ended)
        #expect(view.isMoving)
        view.advance(to: 10)
        #expect(!view.isMoving && (view.pitch - view.pitchSpan.upper).magnitude < 1e-6)
        #expect(view.frame.verticalFieldOfView <= 60.1)
    }

    @Test("stops at the poles")
    func poles() {
        var view = PanoramaView(Self.whole, bounds: Self.screen)
        view.press(.home)
        #expect(view.look.pitch == 90)
        view.touches(Self.touch(400, 300), phase: .began)
        view.touches(Self.touch(400, 500), phase: .moved)
        #expect(view.look.pitch <= 90)
        view.press(.end)
        #expect(view.look.pitch == -90)
        view.press(.zero)
        #expect(view.look == Self.whole.initialLook)
    }

    @Test("zooms about a point, to a rectangle and by keys, within its limits")
    func zooms() {
        var view = PanoramaView(Self.whole, bounds: Self.screen)
        let below = Self.unit(view, 600, 150)
        view.doubleTap(at: Point(x: 600, y: 150), animated: nil)
        #expect(Self.apart(Self.unit(view, 600, 150), below) < 1e-6)
        let goal = Self.unit(view, 200, 450)
        view.zoom(to: Rect(x: 100, y: 375, width: 200, height: 150))
        #expect(Self.apart(Self.unit(view, 400, 300), goal) < 1e-6)
        for _ in 0..<40 { view.press(.plus) }
        #expect((view.look.fieldOfView - view.fieldOfViewLimits.lowerBound).magnitude < 1e-9)
        for _ in 0..<40 { view.press(.minus) }
        #expect((view.look.fieldOfView - 120).magnitude < 1e-9)
        view.wheel(dx: 0, dy: -100, at: Point(x: 400, y: 300), zooms: true)
        #expect(view.look.fieldOfView < 120)
    }

    @Test("moves by the shorter way around, and adds up keys")
    func animations() {
        var view = PanoramaView(Self.whole, bounds: Self.screen)
        view.setLook(Look(yaw: 170, fieldOfView: 90))
        view.setLook(Look(yaw: -170, fieldOfView: 40), animated: .linear(duration: 1))
        view.advance(to: 0.5)
        #expect(view.look.yaw.magnitude > 175)
        view.advance(to: 1)
        #expect((view.look.yaw + 170).magnitude < 1e-9 && (view.look.fieldOfView - 40).magnitude < 1e-9)
        let points = view.frame.pointsPerDegree
        view.press(.arrowRight, animated: .standard)
        view.press(.arrowRight, animated: .standard)
        view.advance(to: 2)
        #expect((view.look.yaw - (-170 + 80 / points)).magnitude < 1e-6)
    }

    @Test("continues where it was archived, in a gesture or motion, and refuses impossible states")
    func archives() throws {
        var view = PanoramaView(Self.strip, bounds: Self.screen)
        view.touches(Self.touch(400, 100), phase: .began)
        view.advance(to: 0.02)
        view.touches(Self.touch(420, 500), phase: .moved)
        var other = try JSONDecoder().decode(PanoramaView.self, from: JSONEncoder().encode(view))
        #expect(other == view)
        for step in 1...40 {
            let time = 0.02 + Double(step) / 20
            view.advance(to: time)
            other.advance(to: time)
            if step == 2 {
                view.touches(Self.touch(420, 500), phase: .ended)
                other.touches(Self.touch(420, 500), phase: .ended)
            }
            #expect(other == view)
            other = try JSONDecoder().decode(PanoramaView.self, from: JSONEncoder().encode(other))
        }
        #expect(!view.isMoving)
        let text = try #require(String(data: JSONEncoder().encode(view), encoding: .utf8))
        for (old, new) in [("\"extent\":", "\"extent\":-"), ("\"time\":", "\"time\":-1")] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(PanoramaView.self, from: Data(text.replacing(old, with: new).utf8))
            }
        }
    }
}
