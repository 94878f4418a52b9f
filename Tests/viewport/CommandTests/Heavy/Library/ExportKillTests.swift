import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("viewport library export that is killed, or whose disk is full", .ownThread)
struct ExportKillTests {
    private let scene: ImportScene
    /// Ways to export: copies, copies with other metadata, rendered pictures with their sidecars, and copies with JSON.
    static let ways: [[String]] =
        [[], ["--strip-location"], ["--size", "200", "--format", "jpeg"]].map {
            ["--layout", "{year}/{name}"] + $0
        } + [["--layout", "takeout"], ["--layout", "lossless"]]

    init() throws { scene = try ImportScene() }

    /// Makes a library of photos with sidecars, some of the same name, and exports it undisturbed.
    private func reference(_ way: [String]) async throws -> [String: Data] {
        for number in 0..<16 {
            let name = "\(number % 3)/IMG_\(number / 3).jpg"
            try FileManager.default.createDirectory(
                atPath: scene.folder.path("library/\(number % 3)"), withIntermediateDirectories: true)
            try TestImages.photo(width: 400, height: 300, seed: UInt64(number))
                .save(scene.folder.path("library/\(name)"), oriented: .up)
            if number % 2 == 0 {
                try scene.put("library/\(name).xmp", Array(ForeignSidecar.darktable(number).utf8))
            }
            if number % 5 == 0 {
                try scene.put("library/\(number % 3)/IMG_\(number / 3).aae", [UInt8(number)])
            }
        }
        _ = try await scene.run("init")
        #expect(try await scene.run("index").code == 0)
        let result = try await scene.program.run(
            arguments("reference", way), environment: scene.environment)
        #expect(result.code == 0, "\(result.errors)")
        return try scene.contents("reference")
    }

    private func arguments(_ folder: String, _ way: [String]) -> [String] {
        ["library", "export", scene.library, "-o", scene.folder.path(folder)] + way
    }

    /// Expects that files are complete, though some may be missing.
    private func expectPart(_ files: [String: Data], of whole: [String: Data]) {
        for (name, bytes) in files { #expect(whole[name] == bytes, "\(name) has \(bytes.count) bytes") }
    }

    @Test("leaves complete files only, and the next run completes them", arguments: ways)
    func killed(_ way: [String]) async throws {
        let whole = try await reference(way)
        let originals = try scene.contents("library")
        var runs = KilledRuns(scene, seed: UInt64(way.count + 7))
        let count = TestLength.repetitions(40, short: 6)
        var (round, partial) = (0, 0)
        while runs.kills < count, round < 4 * count {
            round += 1
            try await runs.run(Array(arguments("out", way).dropFirst()))
            let files = try scene.contents("out")
            expectPart(files, of: whole)
            if !files.isEmpty, files.count < whole.count { partial += 1 }
            // Begins again when all is there, but not with an empty folder each time.
            if files.count == whole.count {
                try FileManager.default.removeItem(atPath: scene.folder.path("out"))
            }
        }
        #expect(runs.kills == count && (partial > 0 || !TestLength.isLong), "\(partial) of \(runs.kills)")
        let last = try await scene.program.run(arguments("out", way), environment: scene.environment)
        #expect(last.code == 0, "\(last.errors)")
        #expect(try scene.contents("out") == whole)
        #expect(scene.hiddenFiles("out").isEmpty, "\(scene.hiddenFiles("out"))")
        #expect(try scene.contents("library") == originals)
        let again = try await scene.program.run(
            arguments("out", way) + ["--json"], environment: scene.environment)
        #expect(again.lines.allSatisfy { $0["status"] as? String == "present" })
    }

    @Test(
        "ends with 73 and one sentence when the disk is full, and completes with more space",
        .enabled(if: ImportScene.mounts), arguments: ways)
    func fullDisk(_ way: [String]) async throws {
        let whole = try await reference(way)
        let originals = try scene.contents("library")
        try FileManager.default.createDirectory(
            atPath: scene.folder.path("out"), withIntermediateDirectories: true)
        let bytes = whole.values.reduce(0) { $0 + $1.count }
        for (number, kilobytes) in [8, bytes / 3000, bytes / 1500].enumerated() {
            let result = try await scene.runMounting(
                """
                cd "$3"; mount -t tmpfs -o size=\(kilobytes)k x out || exit 99
                "$1" library export "$2" -o out \(way.joined(separator: " ")); code=$?
                cp -a out part\(number); mount -o remount,size=20m x out || exit 98
                "$1" library export "$2" -o out \(way.joined(separator: " ")) || exit 97
                cp -a out all\(number); exit $code
                """)
            #expect(result.code == 73, "\(result.code) \(result.errors)")
            #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
            #expect(
                result.errors.hasPrefix("viewport: out/") && result.errors.contains("cannot be written (")
                    && result.errors.contains("(the disk is full)")
                    && result.errors.contains("free some space"), "\(result.errors)")
            expectPart(try scene.contents("part\(number)"), of: whole)
            #expect(scene.hiddenFiles("part\(number)").isEmpty, "\(scene.hiddenFiles("part\(number)"))")
            #expect(try scene.contents("all\(number)") == whole)
        }
        #expect(try scene.contents("library") == originals)
    }
}

/// Sidecars as other programs write them.
enum ForeignSidecar {
    static func darktable(_ number: Int) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2">
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
          <rdf:Description rdf:about=""
            xmlns:xmp="http://ns.adobe.com/xap/1.0/"
            xmlns:dc="http://purl.org/dc/elements/1.1/"
            xmlns:lr="http://ns.adobe.com/lightroom/1.0/"
            xmlns:darktable="http://darktable.sf.net/"
           xmp:Rating="\(number % 6)"
           darktable:xmp_version="5"
           darktable:history_end="\(number)">
           <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Lake \(number)</rdf:li>
            <rdf:li xml:lang="de">See \(number)</rdf:li></rdf:Alt></dc:title>
           <dc:subject><rdf:Bag><rdf:li>water</rdf:li><rdf:li>day \(number)</rdf:li></rdf:Bag></dc:subject>
           <lr:hierarchicalSubject><rdf:Bag><rdf:li>nature|water</rdf:li></rdf:Bag></lr:hierarchicalSubject>
           <darktable:history><rdf:Seq><rdf:li
             darktable:operation="exposure" darktable:params="gz02eJxjYGBg&amp;\(number)"/></rdf:Seq></darktable:history>
          </rdf:Description>
         </rdf:RDF>
        </x:xmpmeta>

        """
    }

    static func digiKam(_ number: Int) -> String {
        """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description rdf:about="" xmlns:digiKam="http://www.digikam.org/ns/1.0/" digiKam:ColorLabel="1"
          digiKam:PickLabel="3" xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/">
        <digiKam:TagsList><rdf:Seq><rdf:li>Places/Lake \(number)</rdf:li></rdf:Seq></digiKam:TagsList>
        <mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:RegionList><rdf:Bag><rdf:li>
        <rdf:Description mwg-rs:Name="A face" mwg-rs:Type="Face"/></rdf:li></rdf:Bag></mwg-rs:RegionList>
        </mwg-rs:Regions></rdf:Description></rdf:RDF></x:xmpmeta>
        <?xpacket end="w"?>
        """
    }
}
