import ImageMetadata
import PhotoCatalog
import TestLibraries
import Testing

@Suite("A plan of duplicates")
struct DuplicatePlanTests {
    private func plan() throws -> DuplicatePlan {
        var best = try Asset.made("a \"b\"\n\u{F780}.jpg", "2014-05-25T10:00:00")
        best.size = PixelSize(width: 40, height: 30)
        best.modifiedNanoseconds = -1_500_000_001
        var other = try Asset.made("b.jpg")
        other.modifiedNanoseconds = 1_400_000_000_123_456_789
        return DuplicatePlan([
            .init(.bytes, [.init(best, .keep), .init(other, .trash)]),
            .init(
                .looks, [.init(try .made("c.jpg"), .keep), .init(try .made("d.jpg"), .leave, reason: "why")],
                action: .keepAll),
        ])
    }

    @Test("is read as it was written, with names that are not UTF-8 and times before 1970")
    func roundTrip() throws {
        let plan = try plan()
        #expect(try DuplicatePlan(parsing: plan.text, name: "plan") == plan)
        #expect(plan.text.contains("\"modified\":\"1400000000.123456789\""))
        #expect(plan.text.contains("\"modified\":\"-1.500000001\""))
        let spaced = plan.text.replacing("\n", with: "\r\n\r\n")
        #expect(try DuplicatePlan(parsing: spaced, name: "plan") == plan)
        #expect(plan.trashedCount == 1 && plan.trashedBytes == 1000)
    }

    @Test(
        "names the line that is wrong",
        arguments: [
            ("", "plan: line 1 has no header of a plan"),
            ("{\"a\":1}", "plan: line 1 is not the header of a plan of duplicates"),
            (
                "{\"plan\":\"viewport library duplicates\",\"version\":2}",
                "plan: line 1 is a plan of another version"
            ),
        ])
    func headers(_ text: String, _ sentence: String) {
        #expect(throws: LibraryError.self) { try DuplicatePlan(parsing: text, name: "plan") }
        do { _ = try DuplicatePlan(parsing: text, name: "plan") } catch {
            #expect(error.description == sentence && error.kind == .damaged)
        }
    }

    @Test(
        "names the group that is wrong",
        arguments: [
            ("\"keep\"", "\"trash\"", "line 2 would move all files of the group to the trash; keep one"),
            ("\"keep\"", "\"leave\"", "line 2 keeps no file that could get the albums of the others"),
            ("\"keep\"", "\"kep\"", "line 2 needs \"action\" with one of \"keep\", \"trash\", \"leave\""),
            (
                "\"bytes\",\"action\"", "\"size\",\"action\"",
                "line 2 needs \"by\" with one of \"bytes\", \"pixels\", \"looks\""
            ),
            ("\"sha256\"", "\"sha\"", "line 2 lacks \"bytes\", \"modified\" or \"sha256\" of a"),
            (
                "1400000000.123456789", "1400000000.1",
                "line 2 lacks \"bytes\", \"modified\" or \"sha256\" of b.jpg"
            ),
            ("c.jpg", "b.jpg", "line 3 names b.jpg a second time; a file is in one group only"),
            ("\"files\"", "\"file\"", "line 2 has no \"files\""),
            ("}]}", "", "line 2 is not JSON"),
        ])
    func groups(_ text: String, _ other: String, _ sentence: String) throws {
        let changed = try plan().text.replacing(text, with: other)
        do {
            _ = try DuplicatePlan(parsing: changed, name: "plan")
            Issue.record("\(sentence): was read")
        } catch {
            #expect(error.description.hasPrefix("plan: \(sentence)"), "\(error)")
        }
    }
}
