import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("viewport library import that is killed", .ownThread)
struct ImportKillTests {
    private let scene: ImportScene

    init() throws { scene = try ImportScene() }

    /// Runs an import, kills it after a time, and returns whether it was killed.
    private func run(_ arguments: [String], killedAfter time: Duration?) async throws -> Bool {
        let process = scene.program.process(arguments, environment: scene.environment)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let ended = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in ended.continuation.finish() }
        try process.start()
        if let time {
            try await Task.sleep(for: time)
            kill(process.processIdentifier, SIGKILL)
        }
        for await _ in ended.stream {}
        return process.terminationReason == .uncaughtSignal
    }

    @Test(
        "loses no file contents in many kills",
        .enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")),
        arguments: [
            ("copied", TestLength.repetitions(50, short: 5)),
            ("moved", TestLength.repetitions(100, short: 8)),
            ("moved from another disk", TestLength.repetitions(50, short: 5)),
        ])
    func killed(_ way: String, _ kills: Int) async throws {
        let card =
            way == "moved from another disk"
            ? URL(fileURLWithPath: "/dev/shm/viewport-\(UUID().uuidString)")
            : URL(fileURLWithPath: scene.card)
        defer { try? FileManager.default.removeItem(at: card) }
        var random = SplitMix64(seed: UInt64(kills + way.utf8.count))
        var made: Set<Data> = []
        var (done, partial, round) = (0, 0, 0)
        func onCard() throws -> Set<Data> {
            let paths = try FileManager.default.subpathsOfDirectory(atPath: card.path).filter {
                $0.contains(".")
            }
            return Set(try paths.map { try Data(contentsOf: card.appendingPathComponent($0)) })
        }
        let arguments = ["library", "import", scene.library, card.path] + (way == "copied" ? [] : ["--move"])
        var longest = Duration.milliseconds(200)
        while done < kills, round < 3 * kills {
            round += 1
            for number in 0..<6 {
                // Names repeat, so that the plan has to number them; some photos are identical.
                let folder = card.appendingPathComponent("\(round)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                let salt = number == 5 ? 5 : UInt64(round * 6 + number)
                let photo = Data(ImportScene.photo(salt, day: 10 + number))
                let sidecar = Data("<x:xmpmeta>\(salt)</x:xmpmeta>".utf8)
                try photo.write(to: folder.appendingPathComponent("IMG_\(number).JPG"))
                try sidecar.write(to: folder.appendingPathComponent("IMG_\(number).xmp"))
                made.formUnion([photo, sidecar])
            }
            let before = try scene.contents("library").count
            let clock = ContinuousClock()
            let start = clock.now
            let share = Double(random.next() % 1000) / 1000
            let wasKilled = try await run(arguments, killedAfter: longest * share)
            let after = Set(try scene.contents("library").values)
            #expect(after.union(try onCard()) == made)
            if wasKilled {
                done += 1
                // A busy machine may need longer until the first file.
                let isPartial = try scene.contents("library").count > before
                partial += isPartial ? 1 : 0
                longest = isPartial ? longest : longest * 1.1
            } else {
                longest = clock.now - start
            }
            // Imports all files of the card at intervals, so that it stays small.
            if round % 10 == 0 { _ = try await run(arguments, killedAfter: nil) }
        }
        _ = try await run(arguments, killedAfter: nil)
        // With few kills, all may happen before the first file or after the last.
        #expect(
            done == kills && (partial > 0 || !TestLength.isLong),
            "\(partial) of \(done) were killed in their midst")
        #expect(Set(try scene.contents("library").values) == made)
        #expect(
            !scene.folder.files(below: "library").contains {
                $0.contains("viewport-import-") || $0.contains("moving")
            })
        let last = try await scene.program.run(arguments + ["--json"], environment: scene.environment)
        #expect(last.code == 0 && last.json["taken"] as? Int == 0, "\(last.errors)")
        #expect(try await scene.run("verify").code == 0)
    }
}
