import Foundation
import Testing
import WorkReporting

@Suite("Progress as text")
struct WorkProgressTests {
    @Test(
        "is equal after encoding and decoding",
        arguments: [
            WorkProgress(.files, done: 12, of: 40), WorkProgress(.rows, done: 0, of: 0),
            WorkProgress(.comparisons, done: 3, of: nil, fraction: 0.5),
        ])
    func coding(_ progress: WorkProgress) throws {
        let copy = try JSONDecoder().decode(WorkProgress.self, from: JSONEncoder().encode(progress))
        #expect(copy == progress)
        #expect(copy.hashValue == progress.hashValue)
    }

    @Test("is limited when it is decoded, as by its initializer")
    func limits() throws {
        let json = #"{"what":"files","done":-1,"total":-5,"fraction":7}"#
        let progress = try JSONDecoder().decode(WorkProgress.self, from: Data(json.utf8))
        #expect(progress == WorkProgress(.files, done: 0, of: 0, fraction: 1))
    }
}
