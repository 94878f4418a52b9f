import Foundation
import TestSupport
import Testing

@testable import RenderCaching

@Suite("Values of caches as text")
struct CodingTests {
    // A name that is not UTF-8.
    private static let item = CacheItem(
        source: "/photos/\u{F7E9}.tif", kind: "pyramid", bytes: 1_234_567_890, used: 5, path: "/cache/1")

    private static var policy: PyramidPolicy {
        var policy = PyramidPolicy()
        (policy.minimumPixels, policy.keepsDrawings) = (5, true)
        return policy
    }

    @Test(
        "are equal after encoding and decoding, with equal hashes",
        arguments: [
            CodedValue(item), CodedValue(CacheClearance(removed: 3, bytes: 12_000_000, inUse: 1)),
            CodedValue(PyramidPolicy()), CodedValue(policy),
        ])
    func coding(_ value: CodedValue) throws {
        #expect(try value.isKept)
    }

    @Test("have defaults for what is missing")
    func defaults() throws {
        #expect(try decoded(PyramidPolicy.self, #"{"minimumPixels":5,"keepsDrawings":true}"#) == Self.policy)
    }

    @Test("are printed in one short line")
    func printing() {
        #expect("\(Self.item)" == "/photos/\\xE9.tif: pyramid, 1.2 GB")
        #expect(
            "\(CacheClearance(removed: 3, bytes: 12_000_000, inUse: 1))"
                == "3 entries removed, 12.0 MB, 1 in use")
    }

    @Test("are printed without the numbers by which the system knows a file")
    func keys() throws {
        let folder = try TemporaryFolder()
        let key = try CacheFolderTests.key(folder)
        #expect("\(key)" == key.source)
        var text = ""
        dump(key, to: &text)
        #expect(!text.contains(key.text))
    }
}
