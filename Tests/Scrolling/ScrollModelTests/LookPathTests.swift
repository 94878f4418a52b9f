import ScrollModel
import Testing

@Suite("A path of looks")
struct LookPathTests {
    private static func path(_ looks: [Look], _ duration: Double? = nil, hold: Double = 0) throws -> LookPath
    {
        try LookPath(looks.map { LookPath.Pose($0, hold: hold, easing: .linear) }, duration: duration)
    }

    @Test(
        "turns the shorter way around",
        arguments: [
            (170.0, -170.0, 20.0), (-170.0, 170.0, -20.0), (0.0, 120.0, 120.0), (100.0, -50.0, -150.0),
        ])
    func turn(_ from: Double, _ to: Double, _ way: Double) throws {
        let path = try Self.path([Look(yaw: from), Look(yaw: to)], 1)
        for step in 0...10 {
            let share = Double(step) / 10
            let expected = Look(yaw: from + share * way)
            let difference = (path.look(at: share).yaw - expected.yaw).magnitude
            #expect(min(difference, 360 - difference) < 1e-9, "\(share)")
        }
    }

    @Test("zooms by a constant factor, and keeps the horizon between level looks")
    func zoom() throws {
        let path = try Self.path(
            [Look(pitch: -80, fieldOfView: 120), Look(yaw: 90, pitch: 40, fieldOfView: 30)], 2)
        let fields = (0...8).map { path.look(at: Double($0) / 4).fieldOfView }
        for (wide, close) in zip(fields, fields.dropFirst()) {
            #expect((wide / close - 4.0.squareRoot().squareRoot().squareRoot()).magnitude < 1e-9)
        }
        #expect((0...8).allSatisfy { path.look(at: Double($0) / 4).roll == 0 })
        #expect(path.look(at: 1).pitch == -20)
    }

    @Test("takes a second for each field of view and each zoom by e, and rests at its poses")
    func duration() throws {
        let turn = try Self.path([Look(fieldOfView: 60), Look(yaw: 120, fieldOfView: 60)])
        #expect((turn.duration - 2).magnitude < 1e-9)
        let zoom = try Self.path([Look(fieldOfView: 100), Look(fieldOfView: 100 / 2.718281828459045)])
        #expect((zoom.duration - 1).magnitude < 1e-9)
        let path = try Self.path([Look(), Look(yaw: 90), Look(yaw: 90, pitch: 45)], 4, hold: 0.5)
        #expect(path.look(at: 0.5) == path.stops[0] && path.look(at: 9) == path.stops[2])
        // The first leg is twice as long as the second one.
        let first = 0.5 + 2.5 * 2 / 3
        #expect(path.look(at: first + 0.25) == path.stops[1])
        #expect(path.frameCount(framesPerSecond: 10) == 41)
        #expect(path.look(ofFrame: 40, framesPerSecond: 10) == path.stops[2])
    }

    @Test("moves at a pole, where turning is turning the picture")
    func pole() throws {
        let path = try Self.path([Look(pitch: 90), Look(yaw: 90, pitch: 90)])
        #expect((path.duration - 1).magnitude < 1e-6)
    }

    @Test("is refused without poses, without time, and with times that are no numbers")
    func refused() {
        #expect(throws: FlightPathError.empty) { try LookPath([]) }
        #expect(throws: FlightPathError.noDuration) { try Self.path([Look(), Look()]) }
        #expect(throws: FlightPathError.invalidTime(pose: 1)) {
            try LookPath([LookPath.Pose(Look()), LookPath.Pose(Look(yaw: 9), hold: .nan)])
        }
        #expect(throws: FlightPathError.invalidDuration) { try Self.path([Look(), Look(yaw: 9)], -1) }
        #expect(throws: FlightPathError.conflict(poses: 2, duration: 1)) {
            try Self.path([Look(), Look(yaw: 9)], 1, hold: 1)
        }
    }
}
