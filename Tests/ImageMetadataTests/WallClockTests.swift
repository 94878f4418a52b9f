import ImageMetadata
import Testing

@Suite("A wall clock")
struct WallClockTests {
    @Test(
        "counts days as calendars do, before 1970 and before 1900 too",
        arguments: [
            (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 3, 1, 11017), (1899, 12, 31, -25568),
            (2024, 2, 29, 19782), (1000, 1, 1, -354_285), (9999, 12, 31, 2_932_896),
        ])
    func days(_ year: Int, _ month: Int, _ day: Int, _ number: Int) throws {
        #expect(try #require(WallClock(year: year, month: month, day: day)).dayNumber == number)
    }

    @Test("comes back from its seconds", arguments: [0, -1, 1_401_004_800, -2_208_988_801, 253_402_300_799])
    func seconds(_ seconds: Int) throws {
        #expect(try #require(WallClock(wholeSeconds: seconds)).wholeSeconds == seconds)
    }

    @Test("is none where the calendar or the day has no such moment, and before the year 1000")
    func none() {
        #expect(WallClock(year: 2014, month: 2, day: 29) == nil)
        #expect(WallClock(year: 2000, month: 2, day: 29) != nil)
        #expect(WallClock(year: 1900, month: 2, day: 29) == nil)
        #expect(WallClock(year: 999, month: 1, day: 1) == nil)
        #expect(WallClock(year: 2014, month: 5, day: 25, hour: 24) == nil)
        #expect(WallClock(wholeSeconds: .max) == nil)
        #expect(WallClock(wholeSeconds: .min) == nil)
    }

    @Test("sorts by the moment, then by the fraction, as its text does")
    func sorting() throws {
        let clocks = try ["", "2", "25", "3"].map {
            try #require(WallClock(year: 2014, month: 5, day: 25, fraction: $0))
        }
        #expect(clocks == clocks.shuffled().sorted())
        #expect(clocks.map(\.description) == clocks.map(\.description).sorted())
    }

    @Test(
        "is read in the forms of EXIF, XMP and ISO 8601",
        arguments: [
            ("+02:00", 120), ("-0330", -210), ("Z", 0), ("+05", 300), ("+14:00", 840), ("-00:00", 0),
        ])
    func offsets(_ text: String, _ minutes: Int) {
        #expect(UTCOffset(text)?.minutes == minutes)
    }

    @Test(
        "has no offset beyond 14 hours or of other forms",
        arguments: ["+15:00", "02:00", "+2:00", "+02:60", "", "UTC"])
    func noOffset(_ text: String) { #expect(UTCOffset(text) == nil) }
}
