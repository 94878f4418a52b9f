import Basics
import TestSupport
import Testing

@Suite("Integers in a byte order")
struct ByteOrderTests {
    @Test("are read and written in both orders", arguments: [ByteOrder.big, .little])
    func orders(_ order: ByteOrder) {
        var writer = ByteWriter(order)
        writer.append(UInt8(1))
        writer.append(UInt16(0x0203))
        writer.append(0x040506, size: 3)
        writer.append(UInt64.max - 1)
        writer.append(Int32(-2))
        let replaced = [
            writer.replace(1, at: 0, with: 9), writer.replace(4, at: writer.bytes.count - 3, with: 1),
        ]
        #expect(replaced == [true, false])
        var reader = ByteReader(writer.bytes, order)
        let first = (reader.next(UInt8.self), reader.next(UInt16.self))
        #expect(first == (9, 0x0203))
        let three = reader.next(count: 3).map(Array.init)
        #expect(three?.unsigned(3, at: 0, order) == 0x040506)
        let last = (reader.next(UInt64.self), reader.next(Int32.self))
        #expect(last == (.max - 1, -2))
        let none = reader.next(UInt8.self)
        #expect(none == nil)
        #expect(writer.bytes.uint64(at: 6, order) == nil)
        #expect(writer.bytes.int32(at: 14, order) == -2)
    }

    @Test("are nil if bytes are missing", arguments: [-1, 1, 5, Int.max, Int.min])
    func missing(_ offset: Int) {
        let bytes: [UInt8] = [0, 1, 2, 3]
        #expect(bytes.uint32(at: offset) == nil)
        #expect(!bytes.contains(4, at: offset))
        #expect(!bytes.has("abcd", at: offset))
        #expect(bytes.unsigned(9, at: 0) == nil)
    }

    @Test("are converted to hexadecimal text and back")
    func hexadecimal() {
        #expect([0, 0xAB, 0x10].hexadecimal == "00ab10")
        #expect([UInt8](hexadecimal: "00aB10") == [0, 0xAB, 0x10])
        #expect([UInt8](hexadecimal: "0") == nil)
        #expect([UInt8](hexadecimal: "0g") == nil)
        #expect(UInt64(0xA).hexadecimal == "000000000000000a")
    }

    @Test("are hashed to the published values of FNV-1a")
    func hash() {
        #expect(FNV1a.hash([UInt8]()) == 0xCBF2_9CE4_8422_2325)
        #expect(FNV1a.hash("foobar".utf8) == 0x8594_4171_F739_67E8)
        #expect(FNV1a.hash("bar".utf8, continuing: FNV1a.hash("foo".utf8)) == FNV1a.hash("foobar".utf8))
    }
}

@Suite("A JSON value")
struct JSONValueTests {
    @Test(
        "prints doubles that read back the same",
        arguments: [
            (1.0, "1"), (-0.0, "0"), (0.1, "0.1"), (1e-5, "1e-05"), (1e300, "1e+300"), (.nan, "null"),
            (.infinity, "null"), (1 / 3, "0.3333333333333333"),
        ])
    func doubles(_ value: Double, _ text: String) {
        #expect(JSONValue.number(value).description == text)
    }

    @Test("omits members that are nil, and escapes what JSON does not allow")
    func members() throws {
        let value = JSONValue.object([
            ("a\n", .string("\u{1}\"\\\t\u{F7FF}é")), ("b", nil),
            ("c", JSONValue(nil as Int?, JSONValue.int)),
        ])
        #expect(value.description == #"{"a\n":"\u0001\"\\\t\uf7ffé","c":null}"#)
        #expect(try JSONValue(parsing: value.description) == value)
    }
}

@Suite("An XML reader")
struct XMLReaderTests {
    private static func tokens(_ text: String, window: Int? = nil) -> String {
        let bytes = Array(text.utf8)
        var reader =
            window == nil
            ? XMLReader(bytes) : XMLReader(count: bytes.count) { Array(bytes[$0].prefix(window!)) }
        var result = ""
        do throws(XMLSyntaxError) {
            while let token = try reader.next() {
                switch token {
                case .open(let name, let attributes, let isEmpty):
                    result += "<\(name)"
                    for attribute in attributes { result += " \(attribute.name)=\(attribute.value)" }
                    result += isEmpty ? "/>" : ">"
                case .close(let name): result += "</\(name)>"
                case .text(let text): result += text
                }
            }
        } catch {
            result += "!\(error.offset)"
        }
        return result
    }

    @Test(
        "returns tags and texts one at a time",
        arguments: [
            ("\u{FEFF}<?xml version='1.0'?><a b='1&lt;&#x41;'> t </a>", "<a b=1<A> t </a>"),
            ("<a><!-- <b> --><![CDATA[<&]]><?c d?><b/></a> ", "<a><&<b/></a>"),
            ("<a b='1' b='2'/>", "<a b=1 b=2/>"), ("", ""), ("<a>", "<a>"),
            ("<a></b>", "<a>!6"), ("<a/><b/>", "<a/>!4"), ("<a>&b;</a>", "<a>!3"), ("<a>&amp", "<a>!3"),
            ("<a b=1/>", "!5"), ("<!DOCTYPE a>", "!1"),
            (
                String(repeating: "<a>", count: 65),
                String(repeating: "<a>", count: 64) + "!192"
            ),
        ])
    func tokens(_ text: String, _ tokens: String) {
        #expect(Self.tokens(text) == tokens)
        for window in 1...5 { #expect(Self.tokens(text, window: window) == tokens) }
    }

    @Test("omits values that are too long")
    func long() {
        let long = String(repeating: "x", count: XMLReader.longestValue + 1)
        #expect(Self.tokens("<a b='\(long)'>\(long)</a>") == "<a b=></a>")
        #expect(Self.tokens("<a>\(long.dropLast())</a>").count == long.count + 6)
    }

    @Test("survives every cut and changed byte", arguments: 0..<20)
    func fuzz(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let text = Array("<?xml?><a b='1&lt;'><!-- c --><d>é&#233;<![CDATA[x]]></d><e/></a>".utf8)
        for _ in 0..<200 {
            var bytes = Array(text.prefix(Int.random(in: 0...text.count, using: &random)))
            for _ in 0..<3 where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            let broken = String(decoding: bytes, as: UTF8.self)
            _ = Self.tokens(broken)
        }
    }
}
