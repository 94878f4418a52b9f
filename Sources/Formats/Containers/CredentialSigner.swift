internal import Basics

/// Who signed content credentials, by the certificate in them; nothing is verified.
package struct CredentialSigner: Equatable, Sendable {
    /// The names of the certificate's subject: its common name and its organization; one is there.
    package let name: String?
    package let organization: String?
    /// The organization, or else the common name, that issued the certificate, which may be the subject itself.
    package let issuer: String?

    /// Reads the certificate of the active manifest of a store; nil where it is missing or damaged.
    ///
    /// The store is a box of boxes. Its last manifest counts; in it, the box with the label "c2pa.signature" holds a
    /// message with the chain of certificates, of which the first one is the signer's.
    ///
    /// Source: C2PA 2.1, sections 11.1 and 13.2; RFC 9360.
    package init?(store: [UInt8]) {
        let bytes = FileBytes(store)
        guard let box = Self.boxes(bytes, 0..<bytes.count).first(where: { $0.type == "jumb" }),
            let manifest = Self.boxes(bytes, box.content).last(where: { $0.type == "jumb" }),
            let signature = Self.boxes(bytes, manifest.content).first(where: { box in
                box.type == "jumb" && Self.label(bytes, box) == "c2pa.signature"
            }),
            let message = Self.boxes(bytes, signature.content).first(where: { $0.type == "cbor" }),
            let certificate = Self.certificate(in: bytes.extracting(message.content).array)
        else { return nil }
        self.init(certificate: certificate)
    }

    /// The names in a sentence: "Studio (camera 1), by a certificate of Authority".
    package var text: String {
        let names = [organization, name].compactMap(\.self)
        let subject = names.count == 2 && names[0] != names[1] ? "\(names[0]) (\(names[1]))" : names[0]
        return subject + (issuer.map { ", by a certificate of \($0)" } ?? "")
    }

    /// The most boxes of one level.
    private static let mostBoxes = 1000

    private static func boxes(_ bytes: FileBytes, _ range: Range<Int>) -> [Box] {
        var list = BoxList(bytes, in: range)
        var boxes: [Box] = []
        while boxes.count < mostBoxes, let box = (try? list.next()) ?? nil { boxes.append(box) }
        return boxes
    }

    /// The label of a box of boxes, which ends with NUL behind its type and its flags.
    private static func label(_ bytes: FileBytes, _ box: Box) -> String? {
        guard let description = boxes(bytes, box.content).first, description.type == "jumd" else {
            return nil
        }
        let text = bytes.extracting(description.content.dropFirst(17).prefix(256)).array
        return text.firstIndex(of: 0).flatMap { String(validating: text[..<$0], as: UTF8.self) }
    }

    /// Returns the first certificate of a signed message: a list of protected headers, others, contents and signature.
    private static func certificate(in message: [UInt8]) -> [UInt8]? {
        var reader = CBORReader(message)
        guard case .list(let parts)? = reader.read(), parts.count == 4 else { return nil }
        var headers = [parts[1]]
        if case .bytes(let range) = parts[0] {
            var inner = CBORReader(Array(message[range]))
            // Positions in the protected headers are those of their own bytes.
            if let value = inner.read(), let found = chain(in: value, inner.bytes) { return found }
            headers = [parts[1]]
        }
        return headers.lazy.compactMap { chain(in: $0, message) }.first
    }

    private static func chain(in headers: CBORReader.Value, _ bytes: [UInt8]) -> [UInt8]? {
        guard case .map(let entries) = headers else { return nil }
        for (key, value) in entries {
            // The number of the registry, and the name before there was one.
            switch key {
            case .number(33): break
            case .text(let range) where bytes[range].elementsEqual("x5chain".utf8): break
            default: continue
            }
            switch value {
            case .bytes(let range): return Array(bytes[range])
            case .list(let certificates):
                if case .bytes(let range)? = certificates.first { return Array(bytes[range]) }
            default: continue
            }
        }
        return nil
    }
}

/// Reads values of CBOR, as far as signed messages have them.
///
/// Source: RFC 8949, section 3.
private struct CBORReader {
    indirect enum Value {
        case number(Int)
        case bytes(Range<Int>)
        case text(Range<Int>)
        case list([Value])
        case map([(Value, Value)])
        case other
    }

    let bytes: [UInt8]
    private var at = 0
    /// The values that may still be read, which bounds the work for hostile files.
    private var left = 10_000

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next value; nil at the end, and for damage.
    mutating func read(depth: Int = 8) -> Value? {
        guard depth > 0, left > 0, at < bytes.count else { return nil }
        left -= 1
        let (major, minor) = (bytes[at] >> 5, Int(bytes[at] & 31))
        at += 1
        // Lengths that are not stated end with a value of their own, which signed messages do not use.
        guard minor < 28 else { return nil }
        var number = minor
        if minor >= 24 {
            let size = 1 << (minor - 24)
            guard size <= bytes.count - at else { return nil }
            var value: UInt64 = 0
            for byte in bytes[at..<(at + size)] { value = value << 8 | UInt64(byte) }
            at += size
            guard major == 7 || value <= UInt64(Int32.max) else { return major < 2 ? .other : nil }
            number = Int(truncatingIfNeeded: value)
        }
        switch major {
        case 0: return .number(number)
        case 2, 3:
            guard number <= bytes.count - at else { return nil }
            defer { at += number }
            return major == 2 ? .bytes(at..<(at + number)) : .text(at..<(at + number))
        case 4:
            var values: [Value] = []
            for _ in 0..<number {
                guard let value = read(depth: depth - 1) else { return nil }
                values.append(value)
            }
            return .list(values)
        case 5:
            var entries: [(Value, Value)] = []
            for _ in 0..<number {
                guard let key = read(depth: depth - 1), let value = read(depth: depth - 1) else { return nil }
                entries.append((key, value))
            }
            return .map(entries)
        // A tag says what the next value is.
        case 6: return read(depth: depth - 1)
        default: return .other
        }
    }
}

extension CredentialSigner {
    /// Reads the names in a certificate; nil where its subject has none.
    ///
    /// Source: RFC 5280, section 4.1.
    fileprivate init?(certificate: [UInt8]) {
        let reader = DERReader(certificate)
        guard let outer = reader.values(certificate.indices).first, outer.tag == 0x30,
            let signed = reader.values(outer.content).first, signed.tag == 0x30
        else { return nil }
        var fields = reader.values(signed.content)
        // The version is missing in the first one.
        if fields.first?.tag == 0xA0 { fields.removeFirst() }
        // The number, the algorithm, the issuer, the times and the subject.
        guard fields.count >= 5 else { return nil }
        let subject = reader.names(fields[4])
        let issuer = reader.names(fields[2])
        guard subject.name != nil || subject.organization != nil else { return nil }
        (name, organization) = (subject.name, subject.organization)
        self.issuer = issuer.organization ?? issuer.name
    }
}

/// Reads values of DER.
///
/// Source: ITU-T X.690, section 8.
private struct DERReader {
    private let bytes: [UInt8]
    private static let mostValues = 100
    /// The longest name.
    private static let mostText = 256

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The values in a range, up to the first damaged one.
    func values(_ range: Range<Int>) -> [(tag: UInt8, content: Range<Int>)] {
        var values: [(tag: UInt8, content: Range<Int>)] = []
        var at = range.lowerBound
        while values.count < Self.mostValues, at + 2 <= range.upperBound {
            let tag = bytes[at]
            var length = Int(bytes[at + 1])
            at += 2
            if length >= 0x80 {
                let size = length & 0x7F
                guard (1...4).contains(size), size <= range.upperBound - at else { break }
                length = bytes[at..<(at + size)].reduce(0) { $0 << 8 | Int($1) }
                at += size
            }
            guard length <= range.upperBound - at else { break }
            values.append((tag, at..<(at + length)))
            at += length
        }
        return values
    }

    /// The common name and the organization in a list of sets of attributes.
    func names(_ list: (tag: UInt8, content: Range<Int>)) -> (name: String?, organization: String?) {
        var names: [UInt8: String] = [:]
        for attribute in values(list.content).flatMap({ values($0.content) }) {
            let parts = values(attribute.content)
            // 2.5.4.3 and 2.5.4.10.
            guard parts.count == 2, parts[0].tag == 6, parts[0].content.count == 3,
                bytes[parts[0].content].starts(with: [0x55, 4]), let text = text(parts[1])
            else { continue }
            let kind = bytes[parts[0].content.upperBound - 1]
            names[kind] = names[kind] ?? text
        }
        return (names[3], names[10])
    }

    private func text(_ value: (tag: UInt8, content: Range<Int>)) -> String? {
        let content = bytes[value.content.prefix(Self.mostText)]
        let text: String? =
            switch value.tag {
            // UTF-8, and printable letters.
            case 0x0C, 0x13, 0x16: String(validating: content, as: UTF8.self)
            // Latin letters.
            case 0x14: String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
            case 0x1E:
                String(
                    decoding: stride(from: content.startIndex, to: content.endIndex - 1, by: 2).map {
                        UInt16(content[$0]) << 8 | UInt16(content[$0 + 1])
                    }, as: UTF16.self)
            default: nil
            }
        // Names go to terminals.
        let shown = text?.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return shown.flatMap { $0.isEmpty ? nil : String(String.UnicodeScalarView($0)) }
    }
}
