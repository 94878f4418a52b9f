import Foundation
import PhotoCatalog
import TestHarness
import TestLibraries
import TestSupport
import Testing

@Suite("Indexing that is killed", .ownThread)
struct KilledIndexingTests {
    /// The time at which a run is killed.
    enum Moment: CaseIterable {
        /// As soon as it has stored its first batch.
        case batch
        /// After a random time.
        case random
    }

    /// The number of runs to kill; as many again may end before they are killed.
    private static let kills = 4
    /// The number of files added before each run: several batches.
    private static let count = 1500

    @Test(
        "leaves a consistent library, with which the next run continues", arguments: Moment.allCases
    )
    func killed(_ moment: Moment) async throws {
        let test = try await TestLibrary()
        var random = SplitMix64(seed: 11)
        var (files, known, kills, partial) = (0, 0, 0, 0)
        var longest: UInt64 = 400_000
        for _ in 0..<2 * Self.kills where kills < Self.kills {
            for number in files..<files + Self.count {
                try test.write("\(number / 500)/\(number).jpg", TinyPhoto.jpeg(salt: UInt64(number)))
            }
            files += Self.count
            let process = BuiltProgram("many-photos").process(["index", test.folder.url.path])
            process.standardOutput = FileHandle.nullDevice
            try process.start()
            switch moment {
            case .batch:
                while process.isRunning, try await test.library.groups()[0].count == known {
                    try await Task.sleep(for: .microseconds(500))
                }
            case .random: try await Task.sleep(for: .microseconds(Int(random.next() % longest)))
            }
            kill(process.processIdentifier, SIGKILL)
            await process.end()
            let now = try await test.library.groups()[0].count
            #expect((known...files).contains(now))
            #expect(try await test.library.verifyCatalog().isEmpty)
            if process.terminationReason == .uncaughtSignal {
                kills += 1
                if now > known, now < files { partial += 1 }
            } else {
                // The run ended before it could be killed.
                longest = longest / 2 + 1
            }
            known = now
        }
        #expect(kills == Self.kills)
        #expect(partial > 0 || moment == .random, "no run was killed in its midst")
        let report = try await test.library.index()
        #expect(report.inserted == files - known && report.unchanged == known)
        #expect(try await test.library.groups()[0].count == files)
        #expect(Set(try await test.paths()).count == files)
        #expect(try await test.library.verifyCatalog().isEmpty)
    }
}
