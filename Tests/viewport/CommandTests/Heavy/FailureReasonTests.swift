import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("Reasons of files that fail at the same time", .ownThread)
struct FailureReasonTests {
    /// JPEGs that fail with different messages of libvips.
    private static func damaged(_ jpeg: [UInt8]) throws -> [String: [UInt8]] {
        func place(_ marker: UInt8) throws -> Int {
            try #require(jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == marker })
        }
        var (precision, tables, component) = (jpeg, jpeg, jpeg)
        precision[try place(0xC0) + 4] = 12
        let huffman = try place(0xC4)
        for index in huffman + 5..<huffman + 21 { tables[index] = 0xFF }
        component[try place(0xC0) + 10] = 9
        return ["precision": precision, "tables": tables, "component": component]
    }

    @Test("are those of the file itself, always the same, with two jobs", arguments: ["thumbnail"])
    func reasons(_ command: String) async throws {
        let folder = try TemporaryFolder()
        let jpeg = try TestImages.photo(width: 64, height: 48).saved(with: "jpegsave_buffer", [:])
        var lines = ""
        for number in 0..<TestLength.repetitions(1000, short: 120) {
            for (name, bytes) in try Self.damaged(jpeg).sorted(by: { $0.key < $1.key }) {
                let path = folder.path("\(number)-\(name).jpg")
                // The comment makes the bytes differ.
                try Data(bytes).write(to: URL(fileURLWithPath: path))
                lines += "{\"path\":\"\(path)\",\"id\":\"\(number)-\(name)\"}\n"
            }
        }
        try Data(lines.utf8).write(to: URL(fileURLWithPath: folder.path("list.jsonl")))
        let result = try await BuiltProgram("viewport").run([
            command, "--manifest", folder.path("list.jsonl"), "--output", folder.path("out") + "/", "--size",
            "32",
            "--jobs", "2",
        ])
        var reasons: [String: Set<String>] = [:]
        for line in result.text.split(separator: "\n") {
            let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let message = (json?["error"] as? [String: Any])?["message"] as? String
            guard let id = json?["id"] as? String, let message,
                let start = message.firstRange(of: ".jpg: ")?.upperBound
            else { continue }
            reasons[id.split(separator: "-").last.map(String.init) ?? "", default: []].insert(
                String(message[start...]))
        }
        #expect(reasons.count == 3 && reasons.values.allSatisfy { $0.count == 1 }, "\(reasons)")
    }
}
