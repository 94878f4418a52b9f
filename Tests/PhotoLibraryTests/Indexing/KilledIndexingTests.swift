import Foundation
import PhotoLibrary
import TestSupport
import Testing

@Suite("Indexing that is killed")
struct KilledIndexingTests {
    /// More than a batch is written of, so that some runs end between two batches and some within one.
    private static let count = 3000

    @Test(
        "leaves a library without contradictions, from which the next run goes on",
        .disabled("on a quick machine the run is over before it is killed"))
    func killed() async throws {
        let test = try await TestLibrary()
        for number in 0..<Self.count {
            try test.write("\(number / 500)/\(number).jpg", TinyPhoto.jpeg(salt: UInt64(number)))
        }
        var known = 0
        for _ in 0..<3 {
            let process = BuiltProgram("many-photos").process(["index", test.folder.url.path])
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            // Until it has written more than its predecessor.
            while process.isRunning, try await test.library.groups()[0].count <= known {
                try await Task.sleep(for: .milliseconds(5))
            }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let now = try await test.library.groups()[0].count
            #expect(now > known)
            #expect(try await test.library.verify().isEmpty)
            known = now
        }
        let report = try await test.library.index()
        #expect(report.inserted == Self.count - known && report.unchanged == known)
        #expect(try await test.library.groups()[0].count == Self.count)
        #expect(Set(try await test.paths()).count == Self.count)
        #expect(try await test.library.verify().isEmpty)
    }
}
