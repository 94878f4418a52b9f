import Basics
import TestSupport
import Testing

@Suite("An outline of JSON")
struct JSONOutlineTests {
    /// Texts that a scanner without a full parser gets wrong.
    static let hostile: [String] = [
        #"{"a":1,"b":"x","c":null,"d":[1,2],"e":{"f":{}}}"#, " { \"a\" : 1 } \r", "{}", "[]", "", "{", "}",
        "{,}",
        #"{"a":1,}"#, #"{"a":1,"a":2}"#, #"{"b":{"a":1,"a":2}}"#, #"{"a\u0062":1}"#, #"{"é":1,"é":2}"#,
        #"{"a":"\u12"}"#, #"{"a":"\ud800"}"#, #"{"a":"\ud83d\ude00"}"#, #"{"a":"\udc00"}"#, #"{"a":"\x"}"#,
        "{\"a\":\"tab\t\"}", #"{"a":01}"#, #"{"a":-0}"#, #"{"a":1.}"#, #"{"a":1e}"#, #"{"a":1e+5}"#,
        #"{"a":.5}"#,
        #"{"a":99999999999999999999}"#, #"{"a":tru}"#, #"{"a":truee}"#, #"{"a":nul"#, #"{"a" "b"}"#,
        #"{"a":1}x"#,
        #"{"a":"\\"}"#, #"{"a":"\\\""}"#, #"{"a":"/\/\b\f\n\r\t"}"#, #"{"a":[1,2,]}"#, #"{"a":[,]}"#,
        #"{"":1}"#,
        String(repeating: "[", count: 31) + String(repeating: "]", count: 31),
        String(repeating: "[", count: 32) + String(repeating: "]", count: 32),
        "{\"a\":" + String(repeating: "[", count: 40), "7", "\"a\"", "{\"a\":\"\u{F780}\"}",
        "{" + (0..<40).map { "\"m\($0)\":\($0)" }.joined(separator: ",") + "}",
    ]

    @Test("accepts only what the parser accepts, with the same members", arguments: hostile)
    func equality(_ text: String) { Self.compare(Array(text.utf8)) }

    @Test("equals the parser on mutations of valid and invalid lines")
    func mutations() {
        var random = SplitMix64(seed: 17)
        var accepted = 0
        for _ in 0..<4000 {
            let text = Self.hostile[Int(random.next() % UInt64(Self.hostile.count))]
            var bytes = Array(text.utf8)
            for _ in 0..<Int(random.next() % 3) where !bytes.isEmpty {
                let index = Int(random.next() % UInt64(bytes.count))
                let signs = Array("{}[]\",:\\u0e-tn \u{e9}".utf8) + [0, 0x80, 0xFF]
                bytes[index] = signs[Int(random.next() % UInt64(signs.count))]
            }
            if Self.compare(bytes) { accepted += 1 }
        }
        #expect(accepted > 500)
    }

    /// Compares the members and returns whether the outline accepts the text.
    @discardableResult
    static func compare(_ bytes: [UInt8]) -> Bool {
        var outline = JSONOutline()
        let parsed = try? JSONValue(parsing: bytes)
        let isArray = parsed?.array != nil
        guard isArray ? outline.readArray(bytes.span) : outline.readObject(bytes.span) else { return false }
        let values = outline.members.map { member -> JSONValue? in
            let range = member.value
            switch member.kind {
            case .string, .escapedString:
                var text: [UInt8] = []
                JSONOutline.append(range, of: bytes.span, to: &text)
                return String(validating: text, as: UTF8.self).map(JSONValue.string)
            default: return try? JSONValue(parsing: Array(bytes[range]))
            }
        }
        let names = outline.members.map { String(decoding: bytes[$0.name], as: UTF8.self) }
        if isArray {
            #expect(parsed?.array == values.compactMap(\.self), "\(String(decoding: bytes, as: UTF8.self))")
        } else {
            let members = parsed?.members
            #expect(
                members?.map(\.name) == names && members?.map(\.value) == values.compactMap(\.self),
                "\(String(decoding: bytes, as: UTF8.self))")
        }
        return true
    }
}
