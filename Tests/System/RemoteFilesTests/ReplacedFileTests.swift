import Basics
import Files
import Synchronization
import TestHarness
import TestSupport
import Testing

@testable import RemoteFiles

@Suite("A remote file that is replaced", .ownThread)
struct ReplacedFileTests {
    /// The fields of an answer that tell versions apart.
    private enum Field: CaseIterable { case kept, new, weak, absent, later }

    /// A replacement: which fields change, and after how many requests.
    private struct Case {
        var tag: Field
        var date: Field
        var isLonger: Bool
        var after: Int
        var hasConditions: Bool

        init(_ random: inout SplitMix64) {
            tag = Field.allCases.randomElement(using: &random)!
            date = [.kept, .new, .absent, .later].randomElement(using: &random)!
            isLonger = Bool.random(using: &random)
            after = Int.random(in: 1...4, using: &random)
            hasConditions = Bool.random(using: &random)
        }

        /// Whether a field that both answers have, or the size, shows it.
        var isShown: Bool { [.new, .weak].contains(tag) || date == .new || isLonger }

        func etag(_ isNew: Bool) -> String? {
            switch tag {
            case .kept: "\"a\""
            case .new: isNew ? "\"b\"" : "\"a\""
            case .weak: isNew ? "W/\"b\"" : "W/\"a\""
            case .absent: nil
            case .later: isNew ? "\"b\"" : nil
            }
        }

        func modified(_ isNew: Bool) -> String? {
            switch date {
            case .new: HTTPDate.text(isNew ? 1_700_003_600 : 1_700_000_000)
            case .absent: nil
            case .later where !isNew: nil
            default: HTTPDate.text(1_700_000_000)
            }
        }
    }

    @Test("is never a mixture, unless no field of any answer shows it")
    func seeded() throws {
        let (old, count) = (Array(sample[..<400_000]), TestLength.repetitions(2000, short: 300))
        var noticed = 0
        for seed in 0..<count {
            var random = SplitMix64(seed: UInt64(seed))
            let replacement = Case(&random)
            let new = old.map { ~$0 } + (replacement.isLonger ? [0] : [])
            let requests = Atomic(0)
            let server = try HTTPTestServer { request in
                let isNew = requests.wrappingAdd(1, ordering: .relaxed).oldValue >= replacement.after
                var request = request
                if !replacement.hasConditions { request.fields["if-match"] = nil }
                var answer = HTTPTestResponse.file(
                    isNew ? new : old, request, etag: replacement.etag(isNew),
                    severalRanges: seed % 3 > 0)
                if let time = replacement.modified(isNew) { answer.fields.append(("Last-Modified", time)) }
                return answer
            }
            let file = try remote(server)
            let ranges = (0..<12).map { number in
                let start = 20_000 + number * 30_000 + Int.random(in: 0..<10_000, using: &random)
                return start..<(start + Int.random(in: 1..<9000, using: &random))
            }
            if Bool.random(using: &random) { file.willRead(ranges) }
            do throws(FileError) {
                let isOld = try ranges.map { range throws(FileError) in
                    try file.bytes(range) == Array(old[range])
                }
                try file.check()
                if replacement.isShown {
                    #expect(!isOld.contains(false), "seed \(seed): \(replacement)")
                }
            } catch {
                #expect(error == .changed, "seed \(seed)")
                noticed += 1
            }
        }
        #expect(noticed > count / 3)
    }

    @Test("is noticed by its date where its tag is kept")
    func keptTag() throws {
        try expectChange { isNew in
            [("ETag", "\"a\""), ("Last-Modified", HTTPDate.text(isNew ? 1_700_003_600 : 1_700_000_000))]
        }
    }

    @Test("is noticed by what only later answers state")
    func laterFields() throws {
        let number = Atomic(0)
        try expectChange(after: 2) { isNew in
            // The first answer has no tag, the second one is of the same version.
            number.wrappingAdd(1, ordering: .relaxed).oldValue == 0
                ? [] : [("ETag", isNew ? "\"b\"" : "\"a\"")]
        }
    }

    private func expectChange(
        after count: Int = 1, _ fields: @escaping @Sendable (Bool) -> [(String, String)]
    ) throws {
        let requests = Atomic(0)
        let server = try HTTPTestServer { request in
            let isNew = requests.wrappingAdd(1, ordering: .relaxed).oldValue >= count
            var plain = request
            plain.fields["if-match"] = nil
            var answer = HTTPTestResponse.file(sample, plain, etag: nil)
            answer.fields += fields(isNew)
            return answer
        }
        let file = try remote(server)
        #expect(throws: FileError.changed) {
            for start in stride(from: 500_000, to: 2_500_000, by: 500_000) {
                _ = try file.bytes(start..<(start + 100))
            }
        }
    }

    @Test("is the same file where its tag loses the mark as a weak one, as Apache's does")
    func weakTag() throws {
        let requests = Atomic(0)
        let server = try HTTPTestServer { request in
            let isFirst = requests.wrappingAdd(1, ordering: .relaxed).oldValue == 0
            var answer = HTTPTestResponse.file(sample, request, etag: nil)
            answer.fields.append(("ETag", isFirst ? "W/\"a\"" : "\"a\""))
            return answer
        }
        let file = try remote(server)
        #expect(try file.bytes(1_000_000..<1_000_100) == Array(sample[1_000_000..<1_000_100]))
        try file.check()
    }

    @Test("is asked for once more where it had just been written", arguments: [false, true])
    func justWritten(isReplaced: Bool) throws {
        let now = ProcessEnvironment.now / 1_000_000_000
        let requests = Atomic(0)
        // The server knows of the replacement only after a while.
        let server = try HTTPTestServer { request in
            let isLast = requests.wrappingAdd(1, ordering: .relaxed).oldValue >= 2
            var answer = HTTPTestResponse.file(sample, request, etag: nil)
            let time = isReplaced && isLast ? now + 1 : now
            answer.fields += [("Last-Modified", HTTPDate.text(time)), ("Date", HTTPDate.text(now + 1))]
            return answer
        }
        let file = try remote(server)
        _ = try file.bytes(1_000_000..<1_000_100)
        if isReplaced {
            #expect(throws: FileError.changed) { try file.check() }
        } else {
            try file.check()
            #expect(server.requests.count == 3)
            // Nothing was read since.
            try file.check()
        }
        #expect(server.requests.count == 3)
    }

    @Test("is not asked for again where its date is old, or stated by the tag", arguments: [false, true])
    func old(inTag: Bool) throws {
        let server = try HTTPTestServer { request in
            var answer = HTTPTestResponse.file(
                sample, request, etag: inTag ? "\"65000000-\(String(sample.count, radix: 16))\"" : "\"a\"")
            if !inTag { answer.fields.append(("Last-Modified", HTTPDate.text(1_700_000_000))) }
            return answer
        }
        let file = try remote(server)
        _ = try file.bytes(1_000_000..<1_000_100)
        try file.check()
        #expect(server.requests.count == 2)
    }
}
