import Foundation
import Synchronization
import TestHarness
import TestSupport
import Testing

@Suite("Two programs that make the same library at the same time", .ownThread)
struct LibraryMakingTests {
    private let scene: ImportScene

    init() throws { scene = try ImportScene() }

    private func run(_ arguments: [String]) async throws -> BuiltProgram.Result {
        try await scene.program.run(["library"] + arguments, environment: scene.environment)
    }

    private func makeCards() throws {
        for number in 0..<12 {
            try scene.put("one/\(number).jpg", ImportScene.photo(UInt64(number)))
            try scene.put("two/\(number).jpg", ImportScene.photo(UInt64(number + 4)))
        }
        try scene.put("none/notes.txt", Array("words".utf8))
    }

    /// The sources of two imports, the number of photos that they bring, and further options.
    static let pairs: [(sources: [String], photos: Int, options: [String])] = [
        (["one", "two"], 16, []), (["one", "one"], 12, []), (["one", "none"], 12, []),
        (["one", "none"], 12, ["--sidecars", "sidecars/all"]), (["none", "none"], 0, []),
    ]

    @Test("import both, and the one that brings nothing takes nothing from the other", arguments: pairs)
    func imports(_ sources: [String], _ photos: Int, _ options: [String]) async throws {
        try makeCards()
        let options = options.map { $0.hasPrefix("-") ? $0 : scene.folder.path($0) }
        var random = SplitMix64(seed: UInt64(photos))
        for round in 0..<TestLength.repetitions(200, short: 5) {
            for name in ["deep", "sidecars"] {
                try? FileManager.default.removeItem(atPath: scene.folder.path(name))
            }
            let root = scene.folder.path("deep/library")
            let delay = Duration.milliseconds(Int(random.next() % 60))
            async let first = run(["import", root, scene.folder.path(sources[round % 2])] + options)
            try await Task.sleep(for: delay)
            let second = try await run(
                ["import", root, scene.folder.path(sources[1 - round % 2])] + options)
            for result in [try await first, second] {
                #expect(result.code == 0, "round \(round): \(result.errors)")
            }
            let list = try await run(["list", root, "--json"])
            #expect(list.code == (photos == 0 ? 66 : 0), "round \(round)")
            if photos > 0 {
                #expect(list.lines.count == photos, "round \(round)")
                #expect(try await run(["doctor", root]).code == 0, "round \(round)")
            } else {
                #expect(!FileManager.default.fileExists(atPath: scene.folder.path("deep")), "round \(round)")
            }
        }
    }

    @Test("make one catalog by init, and an import uses it", arguments: [["init"], ["import", "none"]])
    func others(_ command: [String]) async throws {
        try makeCards()
        for round in 0..<TestLength.repetitions(60, short: 5) {
            try? FileManager.default.removeItem(atPath: scene.library)
            async let first = scene.run("init")
            let second = try await run(
                [command[0], scene.library] + command.dropFirst().map { scene.folder.path($0) })
            let codes = [try await first.code, second.code]
            // The other one is told that there is a library.
            #expect(codes.contains(0) && codes.allSatisfy { [0, 64].contains($0) }, "\(round) \(codes)")
            if command == ["init"] || codes == [0, 0] {
                #expect(try await scene.run("verify").code == 0, "round \(round)")
            }
        }
    }

    @Test("keep what another program has written to a library that its maker would take back")
    func written() async throws {
        try makeCards()
        for _ in 0..<TestLength.repetitions(60, short: 8) {
            try? FileManager.default.removeItem(atPath: scene.library)
            async let first = scene.run("import", scene.folder.path("none"))
            let ended = Flag()
            async let second = add(until: ended)
            #expect(try await first.code == 0)
            ended.raise()
            let added = try await second
            #expect([0, 66].contains(added.code), "\(added.errors)")
            if added.code == 0 {
                #expect(try await run(["albums", "list", scene.library]).text.contains("Mine"))
            }
        }
    }

    /// Makes an album as soon as there is a library.
    private func add(until ended: Flag) async throws -> BuiltProgram.Result {
        while true {
            let result = try await run(["albums", "create", scene.library, "Mine"])
            if result.code != 66 || ended.isRaised { return result }
        }
    }
}

private final class Flag: Sendable {
    private let raised = Atomic(false)
    var isRaised: Bool { raised.load(ordering: .relaxed) }
    func raise() { raised.store(true, ordering: .relaxed) }
}
