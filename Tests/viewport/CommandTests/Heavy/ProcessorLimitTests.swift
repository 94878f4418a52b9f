import Foundation
import TestSupport
import Testing

@Suite("The processors of a process")
struct ProcessorLimitTests {
    private static let viewport = BuiltProgram("viewport")
    private static let taskset = BuiltProgram(installed: "taskset")

    @Test(
        "are those that it may run on, however many the machine has",
        .enabled(if: taskset != nil, "taskset is not installed"))
    func affinity() async throws {
        let result = try await #require(Self.taskset).run(["-c", "0", Self.viewport.url.path, "doctor"])
        #expect(result.text.contains("works on 1 processor\n"), "\(result.text)")
    }
}
