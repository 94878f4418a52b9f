import ImageMetadata
import TestSupport
import Testing
import ViewportGeometry

@Suite("Videos")
struct FilmTests {
    @Test(
        "are rotated by their track's matrix",
        arguments: [
            ([1, 0, 0, 1], Orientation.up), ([0, 1, -1, 0], .right), ([-1, 0, 0, -1], .down),
            ([0, -1, 1, 0], .left), ([-1, 0, 0, 1], .upMirrored), ([1, 0, 0, -1], .downMirrored),
        ])
    func turns(_ matrix: [Int], _ orientation: Orientation) throws {
        let read = try #require(FileMetadata(of: FilmMaker.film(matrix: matrix)))
        #expect(read.orientation == orientation)
        #expect(read.uprightSize?.width == (orientation.transposes ? 1080 : 1920))
        #expect(read.duration == 10)
        #expect(!read.isAnimated)
    }

    @Test("have the texts of Apple's keys")
    func keys() throws {
        let film = try #require(SampleFiles.all.first { $0.format == .mov }).bytes
        let read = try #require(FileMetadata(of: film))
        #expect(read.livePhotoIdentifier == "LIVE-0001-UUID")
        #expect([read.make, read.model] == ["Maker", "M1"])
        #expect(read.location?.latitude == 48.8583)
        #expect(read.location?.altitude == 35)
        #expect(read.location?.source == .quickTime)
    }

    @Test("have Apple's keys in the user data, where ffmpeg writes them", arguments: [false, true])
    func movedKeys(_ isInUserData: Bool) throws {
        let film = FilmMaker.film(
            keys: [("encoder", "Lavf"), ("com.apple.quicktime.content.identifier", "LIVE-2")],
            hasKeysInUserData: isInUserData)
        #expect(try #require(FileMetadata(of: film)).livePhotoIdentifier == "LIVE-2")
    }

    @Test(
        "have locations in the forms of ISO 6709",
        arguments: [
            ("+48.8583+002.2945/", 48.8583, 2.2945), ("-3352-15112.5/", -33.866_666_6, -151.208_333_3),
            ("+335130+1511200/", 33.858_333_3, 151.2), ("+27.5916+086.5640+8850CRSWGS_84/", 27.5916, 86.564),
        ])
    func places(_ text: String, _ latitude: Double, _ longitude: Double) throws {
        let film = FilmMaker.film(userData: [("©xyz", text)])
        let place = try #require(FileMetadata(of: film)?.location)
        #expect(abs(place.latitude - latitude) < 1e-6)
        #expect(abs(place.longitude - longitude) < 1e-6)
    }

    @Test(
        "have no location in other texts",
        arguments: ["", "+91+000/", "north", "+48.85", "/+1+2", "+-+-", "+.+."])
    func noPlace(_ text: String) {
        let film = FilmMaker.film(userData: [("©xyz", text)])
        #expect(FileMetadata(of: film)?.location == nil)
    }

    @Test("of Matroska have a length, a size and a date in UTC")
    func matroska() throws {
        let film = FilmMaker.matroska(
            type: "webm", nanoseconds: 422_697_600_000_000_000, width: 1920, height: 1080)
        let read = try #require(FileMetadata(of: film))
        #expect(read.format == .webm)
        #expect(read.duration == 2.5)
        #expect(read.date?.local.description == "2014-05-25T08:00:00")
        #expect(read.date?.source == .matroskaDateUTC)
    }

    @Test("of AVI have a length and a date in the format of C")
    func avi() throws {
        let film = FilmMaker.avi(width: 640, height: 480, date: "Sun May 25 10:00:00 2014\n")
        let read = try #require(FileMetadata(of: film))
        #expect(read.duration == 1)
        #expect(read.date?.local.description == "2014-05-25T10:00:00")
        #expect(read.date?.offset == nil)
    }
}
