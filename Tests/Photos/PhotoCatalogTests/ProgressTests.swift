import Foundation
import PhotoCatalog
import Synchronization
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import LibraryMaintenance
@testable import PhotoImport

@Suite("Long operations of a library")
struct ProgressTests {
    enum Operation: CaseIterable {
        case verifyCatalog, verify, index, planImport, duplicates, similar

        func run(_ test: TestLibrary, _ progress: @escaping @Sendable (WorkProgress) -> Void) async throws {
            let library = test.library
            switch self {
            case .verifyCatalog: _ = try await library.verify(readsFiles: false, progress: progress)
            case .verify: _ = try await library.verify(progress: progress)
            case .index: _ = try await library.index(progress: progress)
            case .planImport:
                let options = ImportOptions(sources: [test.folder.path("card")])
                let other = try await TestLibrary()
                _ = try await other.library.planImport(options, progress: progress)
            case .duplicates: _ = try await library.duplicates(.bytes, progress: progress)
            case .similar: _ = try await library.duplicates(.appearance(distance: 8), progress: progress)
            }
        }
    }

    /// Returns a library with duplicate files and similar fingerprints.
    private func library() async throws -> TestLibrary {
        let test = try await TestLibrary()
        for number in 0..<100 {
            try test.write("card/\(number / 40)/\(number).jpg", TinyPhoto.jpeg(salt: UInt64(number / 2)))
        }
        try await test.library.index()
        try await test.library.makeFingerprints(FakeFingerprints())
        return test
    }

    /// Makes fingerprints from file names.
    private struct FakeFingerprints: FingerprintMaker {
        func fingerprint(of path: String) throws -> Fingerprint {
            let number = UInt64(path.split(separator: "/").last?.dropLast(4) ?? "") ?? 0
            return Fingerprint(
                pixels: String(repeating: "0", count: 64),
                difference: DifferenceHash(bits: 0xFFFF_0000_FFFF_0000 ^ number))
        }
    }

    @Test("report progress up to the end", arguments: Operation.allCases)
    func progress(operation: Operation) async throws {
        let steps = Mutex<[WorkProgress]>([])
        try await operation.run(try await library()) { progress in steps.withLock { $0.append(progress) } }
        let all = steps.withLock { $0 }
        #expect(all.count > 2, "\(operation)")
        #expect(Set(all.compactMap(\.total)).count == 1, "\(all)")
        #expect(
            zip(all, all.dropFirst()).allSatisfy { $0.done <= $1.done && $0.fraction <= $1.fraction },
            "\(all)")
        #expect(all.last?.fraction == 1 && all.last?.done == all.last?.total)
        #expect(all.dropLast().allSatisfy { $0.fraction < 1 }, "\(all)")
    }

    @Test("stop when their task is cancelled", arguments: Operation.allCases)
    func cancellation(operation: Operation) async throws {
        let test = try await library()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await operation.run(test) { _ in }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
