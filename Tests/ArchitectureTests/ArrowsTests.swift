import Foundation
import TestSupport
import Testing

/// Compares the table of targets in the Architecture article with the manifest and the sources.
@Suite("The architecture")
struct ArrowsTests {
    static let root = PackageFolder.url

    /// The folders of `Sources`, the lowest first.
    static let floors = [
        "System", "Scrolling", "Formats", "Rendering", "Outputs", "Photos", "Serving", "viewport",
    ]

    struct Row: Equatable {
        var floor: String
        var level: Int
        var arrows: Set<String>
        /// Whether SwiftPM builds the target; a script builds those with "(no SwiftPM target)".
        var isTarget = true
    }

    /// Returns the rows of the table of targets, such as "| Floor | L2 | Name | subject | A B |".
    static func table() throws -> [String: Row] {
        let article = "Sources/viewport/viewport.docc/Architecture.md"
        let text = try String(contentsOf: root.appendingPathComponent(article), encoding: .utf8)
        var rows: [String: Row] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, cells[1].hasPrefix("L"), let level = Int(cells[1].dropFirst()) else {
                continue
            }
            let arrows = cells[4].split(separator: " ").map { $0.trimmingCharacters(in: ["`"]) }
            let name = cells[2].replacing(" (no SwiftPM target)", with: "")
            rows[name.trimmingCharacters(in: ["`"])] = Row(
                floor: cells[0], level: level, arrows: Set(arrows.filter { $0 != "–" }),
                isTarget: name == cells[2])
        }
        return rows
    }

    /// Returns the targets of the manifest below `Sources`, with their dependencies.
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
            // Only the program has the folder that SwiftPM expects.
            guard (target["path"] as? String)?.hasPrefix("Sources/") ?? true else { continue }
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
            let folder = try PackageFolder.sources(of: name)
            var imports: Set<String> = []
            for file in try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil) where file.pathExtension == "swift"
            {
                let text = try String(contentsOf: file, encoding: .utf8)
                imports.formUnion(text.matches(of: /(?m)^(?:\w+ )?import (\w+)$/).map { String($0.output.1) })
            }
            #expect(imports == row.arrows, "\(name)")
        }
    }

    @Test("has dependencies on lower levels only, on the same floor or on lower ones")
    func down() throws {
        let rows = try Self.table()
        #expect(!rows.isEmpty)
        for (name, row) in rows {
            let floor = try #require(Self.floors.firstIndex(of: row.floor), "\(name): \(row.floor)")
            for arrow in row.arrows {
                let below = try #require(rows[arrow], "\(name) -> \(arrow)")
                #expect(below.level < row.level, "\(name) -> \(arrow)")
                #expect(Self.floors[...floor].contains(below.floor), "\(name) -> \(arrow)")
            }
        }
    }

    @Test("has the folders of its floors, in the sources and in the tests")
    func floors() throws {
        let list = FileManager.default.contentsOfDirectory(atPath:)
        #expect(Set(try list(PackageFolder.url("Sources").path)) == Set(Self.floors))
        for (name, row) in try Self.table() where row.floor != name {
            let folder = PackageFolder.url("Sources/\(row.floor)/\(name)").path
            #expect(FileManager.default.fileExists(atPath: folder), "\(folder)")
        }
        let rows = try Self.table()
        for floor in try list(PackageFolder.url("Tests").path) where Self.floors.contains(floor) {
            for tests in try list(PackageFolder.url("Tests/\(floor)").path) {
                let target = tests == "CommandTests" ? "viewport" : String(tests.dropLast("Tests".count))
                #expect(rows[target]?.floor == floor, "Tests/\(floor)/\(tests)")
            }
        }
    }

    @Test("is drawn in the article as Package.swift has it")
    func picture() async throws {
        guard BuiltProgram(installed: "python3") != nil else { try Test.cancel("python3 is not installed") }
        let folder = try TemporaryFolder()
        let script = BuiltProgram(path: PackageFolder.url(".ci/floors").path)
        let drawn = try await script.run([folder.path("floors.svg")])
        #expect(drawn.code == 0, "\(drawn.errors)")
        let kept = PackageFolder.url("Sources/viewport/viewport.docc/Resources/floors.svg")
        #expect(
            try Data(contentsOf: folder.url.appendingPathComponent("floors.svg")) == Data(contentsOf: kept),
            "run .ci/floors")
    }

    @Test("has no file above 400 lines")
    func files() throws {
        for file in try SourceFile.below() {
            let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 401, "\(file.name)")
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
            "ImageMetadata", "JPEGCoding", "HEVCDecoding", "JXLDecoding", "JPEGIndexingWeb",
            "PanoramaModelWeb",
            "ScrollModelWeb", "ViewerPages", "ViewportLibrary",
        ]
        for (target, row) in try Self.table() where !allowed.contains(target) {
            let folder = row.floor == target ? [] : [row.floor]
            for file in try SourceFile.below(["Sources"] + folder + [target]) {
                // Values of a Content-Security-Policy contain the word.
                let text = file.text.replacing("wasm-unsafe-eval", with: "").replacing(
                    "'unsafe-inline'", with: "")
                let words = text.split { !$0.isLetter && !$0.isNumber }
                let isUnsafe = words.contains("unsafe")
                #expect(!isUnsafe, "\(target)/\(file.name)")
            }
        }
    }
}
