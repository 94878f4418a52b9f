import Containers
import Foundation
import TestSupport
import Testing
import Vips

@Suite("An import of files that are cut or damaged")
struct DamagedImportTests {
    private let scene: ImportScene

    init() throws { scene = try ImportScene() }

    /// Names, bytes, and a part of what is said of them.
    static let files: [(name: String, bytes: [UInt8], damage: String)] = [
        ("cut.jpg", Array(ImportScene.photo(1).dropLast(2)), "its end marker is missing"),
        ("zeros.jpg", ImportScene.photo(2).dropLast(2) + [UInt8](repeating: 0, count: 99), "end marker"),
        ("noindex.mp4", film(["ftyp", "mdat"]), "no index"),
        ("cut.mp4", Array(film(["ftyp", "moov", "mdat"]).dropLast(3)), "3 bytes are missing"),
    ]

    private static func film(_ boxes: [FourCC]) -> [UInt8] {
        boxes.flatMap { type in
            type == "ftyp"
                ? Box.bytes("ftyp", Array("isom".utf8), [0, 0, 2, 0], Array("isom".utf8))
                : Box.bytes(type, [UInt8](repeating: 0, count: 16))
        }
    }

    @Test("copies them, names them in the plan and in the result, and doctor lists them", arguments: files)
    func damaged(_ name: String, _ bytes: [UInt8], _ damage: String) async throws {
        try scene.put("card/\(name)", bytes)
        try scene.put("card/good.jpg", ImportScene.photo(9))
        let plan = try await scene.run("import", scene.card, "--dry-run")
        #expect(plan.code == 0 && plan.text.contains(", damaged: "), "\(plan.text)\(plan.errors)")
        #expect(plan.text.contains(damage) && plan.text.contains("1 of the files damaged"), "\(plan.text)")
        let result = try await scene.run("import", scene.card, "--json")
        #expect(result.code == 3 && result.errors.contains(damage), "\(result.errors)")
        #expect(result.json["damaged"] as? Int == 1 && result.json["failed"] as? Int == 0)
        #expect(result.json["taken"] as? Int == 2)
        #expect(try scene.contents("library").values.contains(Data(bytes)))
        let doctor = try await scene.run("doctor", "--json")
        let finding = try #require(doctor.lines.first { $0["kind"] as? String == "incomplete" })
        #expect((finding["reasons"] as? [String])?.first?.contains(damage) == true)
        // What is in the library already is not named again.
        #expect(try await scene.run("import", scene.card).code == 0)
    }

    /// Pictures that open, but are damaged inside, with a part of what is said of them.
    private static func damagedInside() throws -> [(name: String, bytes: [UInt8], damage: String)] {
        func jpeg(_ seed: UInt64, _ options: [String: VipsArgument] = [:]) throws -> [UInt8] {
            try TestImages.photo(width: 640, height: 480, seed: seed).saved(
                with: "jpegsave_buffer", options.merging(["Q": .int(90)]) { first, _ in first })
        }
        func zeroed(_ file: [UInt8]) -> [UInt8] {
            let at = file.count / 2
            return file[..<at] + [UInt8](repeating: 0, count: 2000) + file[(at + 2000)...]
        }
        func cut(_ file: [UInt8]) -> [UInt8] { file[..<(file.count / 2)] + JPEGSegment.endOfImage }
        let (one, other) = (try jpeg(1), try jpeg(2))
        return [
            ("zeros.jpg", zeroed(one), ""),
            ("optimized.jpg", zeroed(try jpeg(3, ["optimize_coding": .bool(true)])), ""),
            ("progressive.jpg", cut(try jpeg(4, ["interlace": .bool(true)])), "scans are missing"),
            ("tail.jpg", Array(one[..<(one.count / 2)]) + other[(other.count / 2)...], ""),
            ("early.jpg", cut(one), "to 480 are damaged or missing"),
            ("cut.tif", Array(PageMaker.scan.dropLast(30)), "rows 1 to 30 are missing"),
        ]
    }

    @Test(
        "names pictures that are damaged inside, and doctor finds them also where they were indexed in place")
    func inside() async throws {
        let files = try Self.damagedInside()
        for (name, bytes, _) in files { try scene.put("card/\(name)", bytes) }
        let good = try TestImages.photo(width: 640, height: 480, seed: 9)
        for (name, options) in [("good.jpg", [:]), ("good2.jpg", ["interlace": VipsArgument.bool(true)])] {
            try scene.put("card/\(name)", good.saved(with: "jpegsave_buffer", options))
        }
        func named(_ lines: [[String: Any]], _ key: String) -> Set<String> {
            Set(
                lines.filter { $0["damage"] is String }.compactMap {
                    ($0[key] as? String)?.components(separatedBy: "/").last
                })
        }
        let names = Set(files.map(\.name))
        let plan = try await scene.run("import", scene.card, "--dry-run", "--json")
        #expect(named(plan.lines, "source") == names, "\(plan.text)")
        let result = try await scene.run("import", scene.card, "--json")
        #expect(result.code == 3)
        #expect(named(result.json["files"] as? [[String: Any]] ?? [], "source") == names, "\(result.errors)")
        func incomplete(_ root: String, _ options: String...) async throws -> [String: String] {
            let doctor = try await scene.program.run(
                ["library", "doctor", root, "--json"] + options, environment: scene.environment)
            let finding = doctor.lines.first { $0["kind"] as? String == "incomplete" }
            let paths = (finding?["paths"] as? [String] ?? []).compactMap {
                $0.components(separatedBy: "/").last
            }
            return Dictionary(
                uniqueKeysWithValues: zip(paths, finding?["reasons"] as? [String] ?? []))
        }
        let imported = try await incomplete(scene.library)
        #expect(Set(imported.keys) == names)
        for (name, _, damage) in files where !damage.isEmpty {
            #expect(imported[name]?.contains(damage) == true, "\(imported)")
        }
        for command in ["init", "index"] {
            _ = try await scene.program.run(["library", command, scene.card], environment: scene.environment)
        }
        #expect(try await Set(incomplete(scene.card).keys) == ["cut.tif"])
        #expect(try await Set(incomplete(scene.card, "--decode").keys) == names)
    }

    @Test("finds nothing wrong with whole files, also where a film follows the picture")
    func whole() async throws {
        try scene.put("card/a.jpg", ImportScene.photo(1))
        try scene.put("card/motion.jpg", ImportScene.photo(2) + Self.film(["ftyp", "moov", "mdat"]))
        let result = try await scene.run("import", scene.card, "--json")
        #expect(result.code == 0 && result.json["damaged"] as? Int == 0, "\(result.errors)")
    }
}
