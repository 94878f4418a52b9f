import Containers
import Foundation
import TestSupport
import Testing

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

    @Test("finds nothing wrong with whole files, also where a film follows the picture")
    func whole() async throws {
        try scene.put("card/a.jpg", ImportScene.photo(1))
        try scene.put("card/motion.jpg", ImportScene.photo(2) + Self.film(["ftyp", "moov", "mdat"]))
        let result = try await scene.run("import", scene.card, "--json")
        #expect(result.code == 0 && result.json["damaged"] as? Int == 0, "\(result.errors)")
    }
}
