import Foundation
import Testing

@Suite("Locks")
struct LockTests {
    /// What takes longer than the moment for which a `Mutex` may be held: calls that read, decode, download or wait.
    static let slow = [
        "OpenFile(", "FileStatus(", "InputFile.", "OutputFile.", "Folder.", "FileManager", "SparseFile(",
        "RowFile(",
        "LineReader(", "TemporaryName.", "ImageFile", "RemoteFile(", "JPEGIndex(", "PNGIndex(",
        "ProgressiveIndex(",
        "makingIndex(", "indexed(", ".read(", ".open(", ".load(", "decode(", "decoded(", "encode(",
        "contents(", "render",
        ".sync",
        "stat(", "sleep(", ".wait()", "withValue", ".value {", ".value(cancelled", "concurrentPerform",
        "await ",
    ]

    /// Returns the line number and the text of the closures that are called while a `Mutex` is held.
    static func bodies(in text: String) -> [(line: Int, text: Substring)] {
        text.ranges(of: /\.withLock(IfAvailable)?\s*\(?\s*\{/).map { range in
            var depth = 1
            let end = text[range.upperBound...].firstIndex { character in
                depth += character == "{" ? 1 : character == "}" ? -1 : 0
                return depth == 0
            }
            let line = text[..<range.lowerBound].count { $0.isNewline } + 1
            return (line, text[range.upperBound..<(end ?? text.endIndex)])
        }
    }

    @Test("are not held while something is read, decoded, downloaded or waited for")
    func held() throws {
        var count = 0
        // Expressions are slow: few files have a lock.
        for file in try SourceFile.below(["Sources"]) where file.text.contains("withLock") {
            for (line, body) in Self.bodies(in: file.text) {
                count += 1
                // A task that is created under the lock runs without it.
                let held = body.replacing(/Task(\.detached)? \{(.|\n)*/, with: "")
                let found = Self.slow.filter { held.contains($0) }
                #expect(
                    found.isEmpty,
                    "\(file.name):\(line) \(found): use Once, or Exclusive, instead of a Mutex")
            }
        }
        #expect(count > 200)
    }

    @Test("are found with what they hold")
    func found() {
        let text = """
            let a = state.withLock { $0.a }
            return state.withLock({ state in
                if let a = state.a { return a }
                return try InputFile.contents(path)
            })
            """
        let bodies = Self.bodies(in: text)
        #expect(bodies.map(\.line) == [1, 2])
        #expect(bodies.map { body in Self.slow.contains { body.text.contains($0) } } == [false, true])
    }
}
