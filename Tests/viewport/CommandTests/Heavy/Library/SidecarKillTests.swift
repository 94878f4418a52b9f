import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("viewport library sidecars write that is killed, or whose disk is full", .ownThread)
struct SidecarKillTests {
    private let scene: ImportScene
    private static let count = 60
    /// What other programs wrote, which every sidecar keeps.
    private static let kept = [
        "See ", "nature|water", "darktable:params=\"gz02eJxjYGBg&amp;", "darktable:history_end", "A face",
        "digiKam:PickLabel=\"3\"", "Places/Lake ",
    ]

    init() throws { scene = try ImportScene() }

    /// Makes a folder of photos on a track, with sidecars of other programs and without.
    private func makePhotos() throws {
        var points = ""
        for number in 0..<Self.count {
            let second = number < 10 ? "0\(number)" : "\(number)"
            let photo = TinyPhoto.jpeg(date: "2014:05:25 10:00:\(second)", salt: UInt64(number))
            try scene.put("library/\(number % 2)/\(number).jpg", photo)
            points +=
                "<trkpt lat=\"47.\(1000 + number)\" lon=\"8.3\"><time>2014-05-25T08:00:\(second)Z</time></trkpt>"
            switch number % 3 {
            case 0:
                try scene.put(
                    "library/\(number % 2)/\(number).jpg.xmp", Array(ForeignSidecar.darktable(number).utf8))
            case 1:
                try scene.put(
                    "library/\(number % 2)/\(number).xmp", Array(ForeignSidecar.digiKam(number).utf8))
            default: break
            }
        }
        try scene.put("track.gpx", Array("<gpx><trk><trkseg>\(points)</trkseg></trk></gpx>".utf8))
    }

    private func library(_ command: String, _ arguments: String...) -> [String] {
        command.split(separator: " ").map(String.init) + [scene.library] + arguments
    }

    private func run(_ arguments: [String]) async throws -> BuiltProgram.Result {
        try await scene.program.run(["library"] + arguments, environment: scene.environment)
    }

    /// Expects that each file is one of two states.
    private func expect(_ files: [String: Data], between former: [String: Data], and new: [String: Data]) {
        #expect(Set(former.keys).isSubset(of: files.keys))
        for (name, bytes) in files {
            #expect(bytes == new[name] || bytes == former[name], "\(name) has \(bytes.count) bytes")
        }
    }

    /// Expects the words and edits of other programs in the sidecars that had them.
    private func expectKept(_ former: [String: Data], in new: [String: Data]) {
        for (name, bytes) in former where name.hasSuffix("xmp") {
            let (old, text) = (
                String(decoding: bytes, as: UTF8.self), String(decoding: new[name] ?? Data(), as: UTF8.self)
            )
            for part in Self.kept where old.contains(part) {
                #expect(text.contains(part), "\(name): \(part)")
            }
            #expect(text.contains("GPSLatitude"), "\(name)")
        }
    }

    @Test("leaves complete sidecars only, completes them in the next run, and undoes all of them")
    func killed() async throws {
        try makePhotos()
        let former = try scene.contents("library")
        _ = try await scene.run("init")
        let track = scene.folder.path("track.gpx")
        #expect(
            try await scene.run("index", "--gpx", track, "--assume-zone", "+02:00").code == 0)
        #expect(try await run(library("sidecars write")).code == 0)
        let new = try scene.contents("library")
        #expect(new.count == former.count + Self.count / 3)
        expectKept(former, in: new)
        var runs = KilledRuns(scene, seed: 11)
        let kills = TestLength.repetitions(60, short: 8)
        var (round, partial) = (0, 0)
        while runs.kills < kills, round < 4 * kills {
            round += 1
            // Undoing is killed, too.
            try await runs.run(round % 2 == 0 ? library("sidecars write") : ["undo", scene.library])
            let files = try scene.contents("library")
            expect(files, between: former, and: new)
            if files != former, files != new { partial += 1 }
            guard round % 4 == 0 else { continue }
            let result = try await run(library("sidecars write"))
            #expect(result.code == 0, "\(result.errors)")
            #expect(try scene.contents("library") == new)
            #expect(scene.hiddenFiles("library").isEmpty, "\(scene.hiddenFiles("library"))")
        }
        #expect(runs.kills == kills && (partial > 0 || !TestLength.isLong), "\(partial) of \(runs.kills)")
        while try await run(["undo", scene.library]).text.contains("undone") {}
        #expect(try scene.contents("library") == former)
        #expect(scene.hiddenFiles("library").isEmpty, "\(scene.hiddenFiles("library"))")
    }

    @Test(
        "ends with 73 and one sentence when the disk is full, and completes with more space",
        .enabled(if: ImportScene.mounts), arguments: [8, 40, 72], [false, true])
    func fullDisk(_ kilobytes: Int, _ isCatalogElsewhere: Bool) async throws {
        try makePhotos()
        let former = try scene.contents("library")
        try FileManager.default.moveItem(atPath: scene.library, toPath: scene.folder.path("photos"))
        try FileManager.default.createDirectory(atPath: scene.library, withIntermediateDirectories: true)
        let catalog = isCatalogElsewhere ? "--catalog catalog.sqlite" : ""
        let result = try await scene.runMounting(
            """
            cd "$3"; mount -t tmpfs -o size=8m x "$2" && cp -a photos/. "$2" || exit 99
            "$1" library init "$2" \(catalog) --quiet || exit 98
            "$1" library index "$2" \(catalog) --gpx track.gpx --assume-zone +02:00 --quiet || exit 97
            head -c $(($(df --output=avail -B1 "$2" | tail -n 1) - \(kilobytes * 1024))) /dev/zero > "$2/.filler"
            "$1" library sidecars write "$2" \(catalog); code=$?
            cp -a "$2" part; rm "$2/.filler"
            "$1" library sidecars write "$2" \(catalog) > /dev/null || exit 96
            cp -a "$2" all
            for i in 1 2; do "$1" library undo "$2" \(catalog) --quiet || exit 95; done
            cp -a "$2" undone
            exit $code
            """)
        #expect(result.code == 73, "\(result.code) \(result.errors)")
        let sentences = result.errors.split(separator: "\n")
        #expect(sentences.count == 1, "\(result.errors)")
        #expect(
            sentences.first?.hasPrefix("viewport: ") == true && result.errors.contains("full")
                && result.errors.contains("free some space"), "\(result.errors)")
        if isCatalogElsewhere {
            #expect(result.errors.contains(".xmp: cannot be written"), "\(result.errors)")
        }
        let new = try scene.contents("all")
        expect(try scene.contents("part"), between: former, and: new)
        expectKept(former, in: new)
        #expect(scene.hiddenFiles("part").filter { $0 != ".filler" }.isEmpty, "\(scene.hiddenFiles("part"))")
        #expect(scene.hiddenFiles("all").isEmpty)
        #expect(new.count == former.count + Self.count / 3)
        #expect(try scene.contents("undone") == former)
    }
}
