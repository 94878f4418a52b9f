/// When a path through poses is where: rests at the poses, and legs between them.
struct PathSchedule: Equatable, Sendable {
    /// The times of a pose.
    struct Step {
        /// The rest at the pose, in seconds.
        var hold: Double
        /// The duration of the leg that leads to the pose, in seconds; nil for a share of the free time.
        var duration: Double?
        var easing: FlightPath.Easing
    }

    /// The way from a pose to the next one.
    private struct Leg: Equatable {
        let timing: Timing
        /// When it starts, in seconds from the start of the path.
        let start: Double
    }

    /// The duration of the whole path, in seconds.
    let duration: Double
    private let legs: [Leg]

    /// - Parameters:
    ///   - steps: at least one.
    ///   - lengths: those of the legs, in seconds at the usual speed.
    ///   - duration: the duration of the whole path, in seconds.
    init(_ steps: [Step], lengths: [Double], duration: Double?) throws(FlightPathError) {
        for (index, step) in steps.enumerated() {
            guard Self.seconds.contains(step.hold), Self.seconds.contains(step.duration ?? 0) else {
                throw .invalidTime(pose: index)
            }
        }
        let times = try Self.times(steps, lengths, duration)
        var legs: [Leg] = []
        var time = steps[0].hold
        for (index, step) in steps.enumerated().dropFirst() {
            legs.append(Leg(timing: step.easing.timing(times[index - 1]), start: time))
            time += times[index - 1] + step.hold
        }
        (self.legs, self.duration) = (legs, time)
    }

    /// The range of times: up to a day.
    private static let seconds = 0...86_400.0

    /// Returns the duration of each leg.
    private static func times(
        _ steps: [Step], _ lengths: [Double], _ duration: Double?
    ) throws(FlightPathError) -> [Double] {
        let given = steps.dropFirst().map { $0.duration }
        let fixed = steps.reduce(0) { $0 + $1.hold } + given.reduce(0) { $0 + ($1 ?? 0) }
        let free = given.indices.filter { given[$0] == nil }
        var times = given.map { $0 ?? 0 }
        guard let duration else {
            for index in free { times[index] = lengths[index] }
            guard fixed + free.reduce(0, { $0 + lengths[$1] }) > 0 else { throw .noDuration }
            return times
        }
        guard duration > 0, seconds.contains(duration) else { throw .invalidDuration }
        // A millionth of a second is rounding.
        guard !free.isEmpty ? duration > fixed : (duration - fixed).magnitude < 1e-6 else {
            throw .conflict(poses: fixed, duration: duration)
        }
        let length = free.reduce(0) { $0 + lengths[$1] }
        for index in free {
            let share = length > 0 ? lengths[index] / length : 1 / Double(free.count)
            times[index] = (duration - fixed) * share
        }
        return times
    }

    /// Returns the leg at a time, in seconds from the start, and the share of the leg that is behind: 0 at its pose, 1 at the
    /// next one.
    ///
    /// Times that are not numbers count as the start.
    func place(at time: Double) -> (leg: Int, share: Double) {
        guard let index = legs.lastIndex(where: { $0.start <= time }) else { return (0, 0) }
        return (index, legs[index].timing.progress(at: time - legs[index].start))
    }

    /// The number of frames of a film: one each 1 / `framesPerSecond` seconds from the start, and the last at the end.
    ///
    /// A rate that is not positive and finite gives 1.
    func frameCount(framesPerSecond: Double) -> Int {
        let frames = duration * framesPerSecond
        guard framesPerSecond > 0, frames.isFinite else { return 1 }
        // 0.1 s of 30 frames a second are 3 frames, although the product is a little more.
        return Int(min((frames - 1e-6).rounded(.up), 1e15)) + 1
    }
}
