import Synchronization
import TestHarness
import Testing

@testable import Basics

@Suite("Work in order", .ownThread)
struct OrderedWorkTests {
    private struct Failure: Error {
        let number: Int
    }

    @Test("passes all values from the first on, however many threads make them", arguments: [1, 2, 3, 8])
    func order(_ threads: Int) throws {
        for count in [0, 1, 2, 100] {
            let made = Atomic(0)
            let used = Atomic(0)
            var values: [Int] = []
            try OrderedWork.run(count, threads: threads) { number in
                made.wrappingAdd(1, ordering: .relaxed)
                // At most one value more than there are threads is in memory.
                #expect(number <= used.load(ordering: .relaxed) + threads)
                return number
            } use: { value in
                values.append(value)
                used.wrappingAdd(1, ordering: .relaxed)
            }
            #expect(values == Array(0..<count) && made.load(ordering: .relaxed) == count)
        }
    }

    @Test("ends with the first error of either side", arguments: [1, 4])
    func errors(_ threads: Int) {
        var used = 0
        let failed = #expect(throws: Failure.self) {
            try OrderedWork.run(50, threads: threads) { number in
                guard number < 7 else { throw Failure(number: number) }
                return number
            } use: { _ in
                used += 1
            }
        }
        #expect(failed?.number == 7 && used == 7)
        let refused = #expect(throws: Failure.self) {
            try OrderedWork.run(50, threads: threads) {
                $0
            } use: {
                throw Failure(number: $0)
            }
        }
        #expect(refused?.number == 0)
    }
}
