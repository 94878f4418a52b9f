import Basics
import Files
import Foundation
import ImageMetadata
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog

@Suite("What lies beside a photo")
struct NeighborTests {
    private let test: TestLibrary

    init() async throws { test = try await TestLibrary() }

    private func photo(_ salt: UInt64, date: String = "2014:05:25 10:00:00") -> [UInt8] {
        TinyPhoto.jpeg(date: date, salt: salt)
    }

    private func xmp(_ rating: Int, _ more: String = "") -> [UInt8] {
        Array(
            """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
              xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
              xmp:Rating="\(rating)" \(more)/></rdf:RDF></x:xmpmeta>
            """.utf8)
    }

    private func rating(_ path: String) async throws -> Int? {
        try #require(try await test.library.asset(path: path)).rating
    }

    @Test(
        "is no sidecar of a file with another extension than it states",
        arguments: [("DNG", nil), ("dng", nil), ("JPG", 3), ("jpg", 3)] as [(String, Int?)])
    func sidecarForExtension(_ only: String, _ expected: Int?) async throws {
        try test.write("a.jpg", photo(1))
        try test.write("a.xmp", xmp(3, #"photoshop:SidecarForExtension="\#(only)""#))
        try await test.library.index()
        #expect(try await rating("a.jpg") == expected)
        // It is known, and read again where it has changed.
        #expect(try await test.library.index().unchanged == 1)
        try test.write("a.xmp", xmp(4))
        try await test.library.index()
        #expect(try await rating("a.jpg") == 4)
        // One with the whole name of the file is its own, whatever it states.
        try test.write("a.jpg.xmp", xmp(5, #"photoshop:SidecarForExtension="\#(only)""#))
        try await test.library.index()
        #expect(try await rating("a.jpg") == 5)
    }

    @Test("is edited in a sidecar of its own where the one there is another file's")
    func editing() async throws {
        try test.write("a.jpg", photo(1))
        try test.write("a.xmp", xmp(3, #"photoshop:SidecarForExtension="NEF""#))
        try await test.library.index()
        let asset = try #require(try await test.library.asset(path: "a.jpg"))
        var edit = AssetEdit()
        edit.rating = 2
        _ = try await test.library.edit([asset.id], edit)
        #expect(try await rating("a.jpg") == 2)
        #expect(try test.folder.data("a.xmp") == Data(xmp(3, #"photoshop:SidecarForExtension="NEF""#)))
        #expect(try await test.library.index().unchanged == 1)
    }

    @Test("is rated by the lowest of its versions, unless those are sidecars of other photos")
    func versions() async throws {
        let derived = #"xmpMM:DerivedFrom="a.jpg""#
        for name in ["a.jpg", "b.jpg", "b_01.jpg"] { try test.write(name, photo(UInt64(name.utf8.count))) }
        try test.write("a_03.jpg.xmp", xmp(3, derived))
        try test.write("a_02.jpg.xmp", xmp(2, derived))
        try test.write("b_01.jpg.xmp", xmp(1, derived))
        try await test.library.index()
        #expect(try await rating("a.jpg") == 2)
        #expect(try await rating("b.jpg") == nil)
        #expect(try await rating("b_01.jpg") == 1)
        #expect(try await test.library.index().unchanged == 3)
        #expect(try await test.library.examine().filter { $0.kind == .sidecars }.isEmpty)
        try test.write("a_02.jpg.xmp", xmp(4, derived + " "))
        try await test.library.index()
        #expect(try await rating("a.jpg") == 4)
        // The first sidecar comes before all versions.
        try test.write("a.jpg.xmp", xmp(5))
        try await test.library.index()
        #expect(try await rating("a.jpg") == 5)
        let asset = try #require(try await test.library.asset(path: "a.jpg"))
        #expect(
            Companions.sidecars(of: asset, in: SidecarPlaces(root: test.library.root, folder: nil)).map(
                \.text)
                == ["a.jpg.xmp", "a_02.jpg.xmp", "a_03.jpg.xmp"])
    }

    /// What systems, network storage and programs keep beside photos, by who keeps it.
    static let kept = [
        // Synology
        "@eaDir/a.jpg/SYNOPHOTO_THUMB_XL.jpg", "SYNOFILE_THUMB_M.jpg", "#recycle/a.jpg", "#snapshot/1/a.jpg",
        "@tmp/a.jpg", "a.jpg@SynoEAStream/a.jpg", "a.jpg@SynoResource/a.jpg", "@sharebin/a.jpg",
        // QNAP, Western Digital and Samba
        "@__thumb/a.jpg", ".@__thumb/a.jpg", "@Recycle/a.jpg", "@Recently-Snapshot/1/a.jpg",
        "@Transcode/a.jpg",
        ".wdmc/a.jpg", ".recycle/a.jpg",
        // Snapshots
        ".zfs/snapshot/1/a.jpg", "~snapshot/1/a.jpg", ".snapshots/1/a.jpg",
        // Windows and macOS
        "$RECYCLE.BIN/S-1/a.jpg", "System Volume Information/a.jpg", "RECYCLER/a.jpg", "__MACOSX/a.jpg",
        "._a.jpg", ".Trashes/501/a.jpg", ".Spotlight-V100/a.jpg", ".fseventsd/a.jpg", ".TemporaryItems/a.jpg",
        ".DocumentRevisions-V100/a.jpg", ".AppleDouble/a.jpg", "Network Trash Folder/a.jpg",
        // Linux and Android
        ".Trash-1000/files/a.jpg", "lost+found/a.jpg", "LOST.DIR/a.jpg", ".thumbnails/1.jpg",
        ".trashed-1700000000-a.jpg", ".pending-1700000000-a.jpg",
        // Programs
        "Cat Previews.lrdata/a.jpg", ".photostructure/a.jpg", "CaptureOne/Cache/Thumbnails/a.jpg",
        ".dtrash/files/a.jpg", "files_trashbin/files/a.jpg", "appdata_oc1/preview/a.jpg", ".stversions/a.jpg",
        "iPod Photo Cache/a.jpg", "P.photoslibrary/resources/derivatives/A/a.jpg",
        "P.photolibrary/Thumbnails/a.jpg",
        // Cameras
        "M4ROOT/THMBNL/C0001T01.JPG", "M4ROOT/Sub/C0001S03.JPG", "MISC/THM/100/DJI_0001.JPG",
    ]

    @Test("is no photo where a system or network storage has put it", arguments: kept)
    func systems(_ path: String) async throws {
        try test.write("a.jpg", photo(1))
        try test.write("trip/\(path)", photo(2))
        let report = try await test.library.index()
        #expect(try await test.paths() == ["a.jpg"])
        #expect(report.inserted == 1 && report.systemEntries == (path.hasPrefix(".") ? 0 : 1))
        try await test.library.index(["trip/\(path)"])
        #expect(try await test.paths().count == 1)
    }

    @Test(
        "is no other file, where it is a list or a setting of a system",
        arguments: ["Thumbs.db", "desktop.ini", "Icon\r"])
    func files(_ name: String) async throws {
        try test.write("a.jpg", photo(1))
        try test.write(name, [1])
        let report = try await test.library.index()
        #expect(report.others.isEmpty && report.systemEntries == 1)
    }

    @Test("is a photo once that is asked for, until it is no more; files of this program never are")
    func everything() async throws {
        let paths = ["trip/.a.jpg", ".hidden/b.jpg", "trip/@eaDir/c.jpg", "SYNOPHOTO_THUMB_XL.jpg"]
        let own = [".viewport-library/uploads/d.jpg", ".e.jpg.viewport-host-1.part"]
        for (number, path) in (paths + own + ["f.jpg"]).enumerated() {
            try test.write(path, photo(UInt64(number)))
        }
        #expect(try await test.library.index().inserted == 1)
        let all = paths + ["f.jpg"]
        let report = try await test.library.index(undatedBy: nil, scope: .everything)
        #expect(report.inserted == 4 && report.systemEntries == 0)
        #expect(try await test.paths().sorted() == all.sorted())
        // Later runs, of other processes, too, and of parts, keep them; sidecars and links are found as elsewhere.
        let other = try await PhotoLibrary.open(test.library.root)
        #expect(try await other.index().unchanged == 5)
        try test.write("trip/.a.jpg.xmp", xmp(3))
        try await other.index(["trip/.a.jpg"])
        #expect(try await rating("trip/.a.jpg") == 3)
        #expect(try await other.examine().allSatisfy { !$0.isFault })
        try test.remove(".hidden/b.jpg")
        try await other.index([".hidden"])
        #expect(try await test.paths().count == 4)
        let follower = try FolderFollower(other.places, try other.scope())
        try test.write("trip/@eaDir/new/g.jpg", photo(9))
        #expect(try follower.next(CancellationFlag()).contains { $0.hasPrefix("trip/@eaDir/new") })
        let (repaired, _) = try await PhotoLibrary.rebuild(test.library.root)
        #expect(try await repaired.collection().snapshot().ids.count == 5)
        let last = try await repaired.index(undatedBy: nil, scope: .visible)
        #expect(last.removed == 4 && last.unchanged == 1)
    }

    @Test("names positions that cannot be when it is read")
    func positions() async throws {
        try test.write("a.jpg", photo(1))
        let position =
            #"xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="93,0N" exif:GPSLongitude="8,0E""#
        try test.write("a.jpg.xmp", xmp(3, position))
        let faults = try await test.library.index().positionFaults
        #expect(faults.map(\.path) == ["a.jpg"] && faults.first?.reason.contains("out of range") == true)
        #expect(try await test.library.index().positionFaults.isEmpty)
    }

    @Test("belongs to its film", arguments: ["GX010001.LRV", "GL010001.LRV", "GX010001.THM"])
    func proxies(_ name: String) async throws {
        let film = FilmMaker.film(brand: "mp42", created: 0, seconds: 2)
        try test.write("GX010001.MP4", film)
        try test.write(name, FilmMaker.film(brand: "mp42", created: 0, seconds: 3))
        try test.write("GX010002.LRV", FilmMaker.film(brand: "mp42", created: 0, seconds: 4))
        let report = try await test.library.index()
        #expect(report.sidecars == 1)
        #expect(try await test.paths().sorted() == ["GX010001.MP4", "GX010002.LRV"])
        let asset = try #require(try await test.library.asset(path: "GX010001.MP4"))
        let places = SidecarPlaces(root: test.library.root, folder: nil)
        #expect(Companions.sidecars(of: asset, in: places).map(\.text) == [name])
    }
}
