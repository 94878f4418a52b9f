import Foundation
import TestSupport
import Testing

@testable import Files

#if os(Linux)
import Glibc

@Suite("A lock on a file")
struct FileLockTests {
    @Test("ends with its owner, also while another process has its descriptor for a moment")
    func shared() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("lock")
        var lock = try FileLock(path, .alone)
        #expect(lock != nil)
        #expect(try FileLock(path, .alone) == nil)
        // What a process has between fork and exec.
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            Int32($0)
        }
        let own = descriptors.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?
                .hasSuffix("/\(folder.url.lastPathComponent)/lock") == true
        }
        #expect(own.count == 1)
        let copies = own.map { dup($0) }
        lock = nil
        #expect(try FileLock(path, .alone) != nil)
        for copy in copies { close(copy) }
    }
}
#endif
