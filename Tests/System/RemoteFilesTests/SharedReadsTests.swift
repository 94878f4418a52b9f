import Basics
import Dispatch
import Files
import TestHarness
import TestSupport
import Testing

@testable import RemoteFiles

@Suite("A remote file that several threads read", .ownThread)
struct SharedReadsTests {
    private let bytes = sample

    @Test("lets a cancelled reader go, and gives the bytes to the others", arguments: [false, true])
    func cancelled(onDisk: Bool) async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try HTTPTestServer { [bytes] request in
            if request.ranges(of: bytes.count)?.first?.lowerBound != 0 {
                gate.wait()
                gate.signal()
            }
            return .file(bytes, request)
        }
        let remote = try remote(server) { ($0.storesOnDisk, $0.timeout) = (onDisk, 600) }
        let file = try OpenFile(
            source: remote, name: "a",
            status: FileStatus(size: remote.count, modified: 0, inode: 0, device: 0))
        let range = 1_000_000..<1_000_100
        // Each has a thread, so that all of them wait for the server.
        let threads = BlockingExecutor(width: 3)
        let begun = DispatchSemaphore(value: 0)
        let readers = (0..<3).map { _ in
            Task {
                try await threads.run {
                    begun.signal()
                    return try file.bytes(range)
                }
            }
        }
        for _ in readers { try await BlockingExecutor.background.run { begun.wait() } }
        while server.requests.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
        readers[1].cancel()
        await #expect(throws: FileError.cancelled) { try await readers[1].value }
        try file.check()
        gate.signal()
        for reader in [readers[0], readers[2]] { #expect(try await reader.value == Array(bytes[range])) }
        #expect(try file.bytes(range) == Array(bytes[range]))
        try file.check()
    }

    @Test("gives the same bytes to threads that drop what others read", arguments: [false, true])
    func dropped(onDisk: Bool) async throws {
        let server = try HTTPTestServer { [bytes] in .file(bytes, $0) }
        let file = try remote(server) { ($0.storesOnDisk, $0.storeByteCount) = (onDisk, 1 << 20) }
        try await withThrowingTaskGroup { group in
            for seed in 1...4 {
                group.addTask { [bytes] in
                    try await BlockingExecutor.shared.run {
                        for step in 0..<60 {
                            let start = (seed * 977_777 + step * 1_234_567) % (bytes.count - 80_000)
                            let range = start..<(start + 80_000)
                            let found = try file.bytes(range)
                            #expect(found == Array(bytes[range]), "\(range)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
