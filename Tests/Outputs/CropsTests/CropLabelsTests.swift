import Basics
import Batches
import Testing

@testable import Crops

@Suite("The labels of crops")
struct CropLabelsTests {
    private func items(_ lines: [String]) throws -> [BatchItem] {
        try lines.enumerated().map { number, line in
            guard case .object(let rest) = try JSONValue(parsing: line) else { throw InvalidText(line) }
            return BatchItem(
                line: number + 1, path: "a.jpg", file: "a.jpg", relativePath: "a.jpg", rest: rest)
        }
    }

    @Test(
        "have one form in all samples: the members of all lines, and one type for each",
        arguments: [
            (
                [#"{"a":1}"#, #"{"b":"x"}"#, "{}"],
                [#"{"a":1,"b":""}"#, #"{"a":null,"b":"x"}"#, #"{"a":null,"b":""}"#]
            ),
            ([#"{"a":1}"#, #"{"a":0.5}"#, #"{"a":null}"#], [#"{"a":1.0}"#, #"{"a":0.5}"#, #"{"a":null}"#]),
            ([#"{"a":1e3}"#, #"{"a":2}"#], [#"{"a":1e3}"#, #"{"a":2.0}"#]),
            (
                [#"{"a":{"x":1}}"#, #"{"a":{"y":"b"}}"#, "{}"],
                [#"{"a":{"x":1,"y":""}}"#, #"{"a":{"x":null,"y":"b"}}"#, #"{"a":{"x":null,"y":""}}"#]
            ),
            (
                [#"{"a":[1,2]}"#, #"{"a":[0.5]}"#, "{}"],
                [#"{"a":[1.0,2.0]}"#, #"{"a":[0.5]}"#, #"{"a":[]}"#]
            ),
            ([#"{"a":true}"#, "{}"], [#"{"a":true}"#, #"{"a":null}"#]),
            ([#"{"b":1,"a":2}"#, #"{"a":3,"b":4}"#], [#"{"b":1,"a":2}"#, #"{"b":4,"a":3}"#]),
            (
                [#"{"\u00e9":1}"#, #"{"e\u0301":2}"#],
                ["{\"\u{e9}\":1,\"e\u{301}\":null}", "{\"\u{e9}\":null,\"e\u{301}\":2}"]
            ),
        ])
    func form(_ lines: [String], _ expected: [String]) throws {
        let items = try items(lines)
        let form = LabelForm(items)
        let formed = items.map { "\(form.formed(.object($0.rest)))" }
        #expect(zip(formed, expected).allSatisfy { $0.utf8.elementsEqual($1.utf8) }, "\(formed)")
    }

    @Test("are classes by their texts in order, or the numbers that they are")
    func classes() throws {
        let texts = try items([#"{"l":"tissue"}"#, #"{"l":"fat"}"#, #"{"l":"tissue"}"#])
        let named = try CropClasses(of: "l", texts)
        #expect(named.names == ["fat", "tissue"] && texts.map(named.number) == [1, 0, 1])
        let numbers = try items([#"{"l":7}"#, #"{"l":0}"#])
        let given = try CropClasses(of: "l", numbers)
        #expect(given.names == nil && numbers.map(given.number) == [7, 0])
    }

    @Test(
        "are refused as classes where a line has none or another type",
        arguments: [
            ([#"{"l":"a"}"#, "{}"], "line 2"), ([#"{"l":"a"}"#, #"{"l":1}"#], "others"),
            ([#"{"l":0.5}"#], "line 1"), ([#"{"l":-1}"#], "line 1"), ([#"{"l":""}"#], "line 1"),
        ])
    func refusedClasses(_ lines: [String], _ words: String) throws {
        let items = try items(lines)
        do throws(InvalidText) {
            _ = try CropClasses(of: "l", items)
            Issue.record("was not refused")
        } catch {
            #expect(
                error.description.contains(words) || error.description.contains("a number in"), "\(error)")
        }
    }
}
