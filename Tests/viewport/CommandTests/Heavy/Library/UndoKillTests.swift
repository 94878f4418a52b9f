import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("Edits, and undoing them, that are killed", .ownThread)
struct UndoKillTests {
    private let scene: ImportScene

    init() throws { scene = try ImportScene() }

    /// Everything that a library states: its visible files, its list, its log, and what `doctor` finds wrong.
    private struct State: Equatable {
        var files: [String: Data]
        var list: String
        var log: [String]
        var faults: [String]
    }

    private func state() async throws -> State {
        State(
            files: try scene.contents("library"), list: try await scene.run("list", "--json").text,
            log: try await scene.run("undo", "--list", "--json").lines.compactMap { $0["name"] as? String },
            faults: try await scene.run("doctor", "--json").lines.filter { $0["good"] as? Bool == false }
                .compactMap { $0["finding"] as? String })
    }

    private func arguments(_ command: String, _ rest: String...) -> [String] {
        [command, scene.library] + rest
    }

    private func makeLibrary(_ count: Int) async throws {
        for number in 0..<count {
            try scene.put("library/\(number % 4)/\(number).jpg", ImportScene.photo(UInt64(number)))
        }
        _ = try await scene.run("init")
        try #require(try await scene.run("index").code == 0)
    }

    @Test(
        "end as undisturbed ones after the next run: sidecars, list, log and doctor agree",
        arguments: ["undo", "edit first"])
    func undo(_ next: String) async throws {
        try await makeLibrary(300)
        let rate = arguments("edit", "--where", "is:photo", "--rating", "2")
        try #require(
            try await scene.program.run(["library"] + rate, environment: scene.environment).code == 0)
        let former = try await state()
        let edit = arguments("edit", "--where", "is:photo", "--rating", "5", "--title", "Lake")
        var runs = KilledRuns(scene, seed: UInt64(next.count))
        let kills = TestLength.repetitions(100, short: 6)
        var (round, partial) = (0, 0)
        while runs.kills < kills, round < 4 * kills {
            round += 1
            try #require(
                try await scene.program.run(["library"] + edit, environment: scene.environment).code == 0)
            try await runs.run(["undo", scene.library])
            let files = try scene.contents("library")
            if try await scene.run("undo", "--list").text.contains("not finished") { partial += 1 }
            if next == "edit first", files == former.files {
                // The files are as they were: an operation that is left in the log is undone first.
                #expect(try await scene.run("edit", "0/0.jpg", "--rating", "1").code == 0)
                #expect(try await scene.run("undo").code == 0)
            }
            if try await scene.run("undo", "--list").lines(containing: "edit 300").count > 1 {
                #expect(try await scene.run("undo").code == 0)
            }
            let now = try await state()
            #expect(now.files == former.files, "round \(round)")
            #expect(now.list == former.list, "round \(round)")
            #expect(now.log == former.log && now.faults == former.faults, "round \(round) \(now.log)")
        }
        #expect(runs.kills == kills && (partial > 0 || !TestLength.isLong), "\(partial) of \(runs.kills)")
        #expect(scene.hiddenFiles("library").isEmpty)
    }

    @Test("leave no rating in a sidecar that the catalog does not know after the next operation")
    func edit() async throws {
        try await makeLibrary(300)
        var runs = KilledRuns(scene, seed: 4)
        let kills = TestLength.repetitions(60, short: 6)
        var round = 0
        while runs.kills < kills, round < 4 * kills {
            round += 1
            try await runs.run(
                arguments("edit", "--where", "is:photo", "--rating", "\(1 + round % 5)"))
            #expect(try await scene.run("edit", "0/0.jpg", "--title", "\(round)").code == 0)
            #expect(try await state().faults == [], "round \(round)")
        }
        #expect(runs.kills == kills)
    }
}

extension BuiltProgram.Result {
    fileprivate func lines(containing text: String) -> [Substring] {
        self.text.split(separator: "\n").filter { $0.contains(text) }
    }
}
