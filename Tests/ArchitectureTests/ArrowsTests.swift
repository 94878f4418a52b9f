import Foundation
import TestSupport
import Testing

/// Compares the table of targets in the Architecture article with the manifest and the sources.
@Suite("The architecture")
struct ArrowsTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    struct Row: Equatable {
        var level: Int
        var arrows: Set<String>
        /// Whether SwiftPM builds the target; a script builds those with "(no SwiftPM target)".
        var isTarget = true
    }

    /// Returns the rows of the table of targets, such as "| L2 | Name | subject | A B |".
    static func table() throws -> [String: Row] {
        let article = "Sources/viewport/viewport.docc/Architecture.md"
        let text = try String(contentsOf: root.appendingPathComponent(article), encoding: .utf8)
        var rows: [String: Row] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("| L") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, let level = Int(cells[0].dropFirst()) else { continue }
            let arrows = cells[3].split(separator: " ").map { $0.trimmingCharacters(in: ["`"]) }
            let name = cells[1].replacing(" (no SwiftPM target)", with: "")
            rows[name.trimmingCharacters(in: ["`"])] = Row(
                level: level, arrows: Set(arrows.filter { $0 != "–" }), isTarget: name == cells[1])
        }
        return rows
    }

    /// Returns the targets of the manifest except tests and samples, with their dependencies.
    static func manifest() async throws -> [String: Set<String>] {
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent(
            "dump-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        // SwiftPM locks the build folder of the tests while they run.
        let dump = try await BuiltProgram(path: "/usr/bin/env").run([
            "swift", "package", "--package-path", root.path, "--scratch-path", scratch.path, "dump-package",
        ])
        let package = try #require(try JSONSerialization.jsonObject(with: dump.output) as? [String: Any])
        var targets: [String: Set<String>] = [:]
        for target in package["targets"] as? [[String: Any]] ?? [] {
            let path = target["path"] as? String ?? ""
            guard target["type"] as? String != "test", path.isEmpty else { continue }
            let dependencies = (target["dependencies"] as? [[String: [Any]]] ?? []).flatMap { dependency in
                (dependency["byName"] ?? dependency["target"])?.first.map { ["\($0)"] } ?? []
            }
            targets[target["name"] as? String ?? ""] = Set(dependencies)
        }
        return targets
    }

    @Test("has exactly the targets and dependencies of the Architecture article")
    func arrows() async throws {
        let drawn = try Self.table().filter(\.value.isTarget).mapValues(\.arrows)
        let built = try await Self.manifest()
        #expect(Set(drawn.keys) == Set(built.keys))
        for (name, arrows) in built { #expect(drawn[name] == arrows, "\(name)") }
    }

    @Test("has code outside the manifest that imports what the article shows")
    func otherCode() throws {
        let others = try Self.table().filter { !$0.value.isTarget }
        #expect(others.keys.contains("ScrollModelWeb"))
        for (name, row) in others {
            let folder = Self.root.appendingPathComponent("Sources/\(name)")
            var imports: Set<String> = []
            for file in try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)
            {
                let text = try String(contentsOf: file, encoding: .utf8)
                imports.formUnion(text.matches(of: /(?m)^(?:\w+ )?import (\w+)$/).map { String($0.output.1) })
            }
            #expect(imports == row.arrows, "\(name)")
        }
    }

    @Test("has dependencies on lower levels only")
    func down() throws {
        let rows = try Self.table()
        #expect(!rows.isEmpty)
        for (name, row) in rows {
            for arrow in row.arrows {
                #expect((rows[arrow]?.level ?? .max) < row.level, "\(name) -> \(arrow)")
            }
        }
    }

    @Test("has no file above 400 lines")
    func files() throws {
        for folder in ["Sources", "Tests", "samples"] {
            let files = FileManager.default.enumerator(
                at: Self.root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            for case let file as URL in files! where file.pathExtension == "swift" {
                let lines = try String(contentsOf: file, encoding: .utf8).split(
                    separator: "\n", omittingEmptySubsequences: false)
                #expect(lines.count <= 401, "\(file.lastPathComponent)")
            }
        }
    }

    @Test("uses unsafe only in the targets that call C or handle raw memory")
    func unsafe() throws {
        let allowed: Set = [
            "Archives", "Basics", "Checksums", "CCurl", "CVips", "CPNG", "CDeflate", "RemoteFiles", "CCrypto",
            "Digests",
            "Files",
            "Vips", "Resampling",
            "PNGEncoding",
            "PNGIndexing", "JPEGIndexing", "JPEGIndexLibrary",
            "ImageMetadata", "JPEGCoding", "HEVCDecoding", "JPEGIndexingWeb", "ScrollModelWeb", "ViewerPages",
        ]
        let sources = Self.root.appendingPathComponent("Sources")
        for target in try FileManager.default.contentsOfDirectory(atPath: sources.path)
        where !allowed.contains(target) {
            let files = FileManager.default.enumerator(
                at: sources.appendingPathComponent(target), includingPropertiesForKeys: nil)
            for case let file as URL in files! where file.pathExtension == "swift" {
                // Values of a Content-Security-Policy contain the word.
                let text = try String(contentsOf: file, encoding: .utf8)
                    .replacing("wasm-unsafe-eval", with: "").replacing("'unsafe-inline'", with: "")
                let words = text.split { !$0.isLetter && !$0.isNumber }
                let isUnsafe = words.contains("unsafe")
                #expect(!isUnsafe, "\(target)/\(file.lastPathComponent)")
            }
        }
    }
}
