import Basics
import Testing

@Suite("Numbers for people")
struct ReadableNumbersTests {
    @Test(
        "have a unit that fits",
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (1_234_567, "1.2 MB"),
            (999_960, "1.0 MB"), (12_300_000_000, "12.3 GB"), (-2_000, "-2.0 kB"),
            (9_000_000_000_000_000, "9000.0 TB"),
        ])
    func bytes(_ count: Int, _ text: String) {
        #expect(count.readableBytes == text)
    }

    @Test(
        "are milliseconds below one second",
        arguments: [
            (Duration.zero, "0.0 ms"), (.microseconds(12_340), "12.3 ms"), (.seconds(4.25), "4.3 s"),
        ])
    func times(_ time: Duration, _ text: String) {
        #expect(time.readable == text)
    }

    @Test("are listed without those that are 0")
    func counts() {
        #expect([(4, "failed"), (0, "left")].listed(after: "312 made") == "312 made, 4 failed")
        #expect(1.counted("file") == "1 file")
        #expect(0.counted("file") == "0 files")
    }
}
