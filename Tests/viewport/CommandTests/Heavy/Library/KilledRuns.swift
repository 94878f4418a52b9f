import Foundation
import TestSupport
import Testing

/// Commands on a library that are killed at random moments, the same in every run of the tests.
struct KilledRuns {
    private let scene: ImportScene
    private var random: SplitMix64
    /// The time in which a kill is likely to hit the command in its work.
    private var longest = Duration.milliseconds(300)
    private(set) var kills = 0

    init(_ scene: ImportScene, seed: UInt64) {
        (self.scene, random) = (scene, SplitMix64(seed: seed))
    }

    /// Runs a command and kills it after a random time, unless it ends before.
    mutating func run(_ arguments: [String]) async throws {
        let process = scene.program.process(["library"] + arguments, environment: scene.environment)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let start = ContinuousClock.now
        try process.start()
        try await Task.sleep(for: longest * (Double(random.next() % 1000) / 1000))
        kill(process.processIdentifier, SIGKILL)
        await process.end()
        if process.terminationReason == .uncaughtSignal {
            kills += 1
            longest = longest * 1.05
        } else {
            // On a busy machine, this task wakes up late, and measures more than the command took.
            longest = min(longest, ContinuousClock.now - start) * 0.8
        }
    }
}
