import Basics
import Testing

@Suite("Days, dates of HTTP and escapes")
struct CalendarTests {
    @Test("Days and their numbers are each other's inverse, across leap years")
    func days() {
        for number in stride(from: -354_285, through: 2_932_896, by: 97) {
            let day = CalendarDay(number: number)
            #expect(day.number == number && (1...12).contains(day.month) && (1...31).contains(day.day))
        }
        #expect(CalendarDay(number: 0) == CalendarDay(year: 1970, month: 1, day: 1))
        #expect(CalendarDay(number: 11_016) == CalendarDay(year: 2000, month: 2, day: 29))
    }

    @Test(
        "Dates of HTTP are written and read",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        ])
    func http(_ seconds: Int, _ text: String) {
        #expect(HTTPDate.text(seconds) == text)
        #expect(HTTPDate.seconds(text) == seconds)
        #expect(HTTPDate.seconds(text + "x") == nil)
    }

    @Test("Times before 1970 are written, too")
    func early() { #expect(HTTPDate.text(-1) == "Wed, 31 Dec 1969 23:59:59 GMT") }

    @Test("Markup is escaped scalar by scalar, with the quotation marks around it")
    func markup() {
        #expect(Markup.escaped("a<b>&\"'") == "a&lt;b&gt;&amp;\"'")
        #expect(Markup.escaped("\"'", in: .double) == "&quot;'")
        #expect(Markup.escaped("\"'", in: .single) == "\"&apos;")
        #expect(Markup.escaped("&\u{301}") == "&amp;\u{301}")
        #expect(Markup.escaped("a\0", other: { $0 == "\0" ? "" : nil }) == "a")
    }
}
