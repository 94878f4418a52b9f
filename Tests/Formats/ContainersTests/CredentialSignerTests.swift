import Basics
import Containers
import Files
import Testing

@Suite("Content credentials")
struct CredentialSignerTests {
    // MARK: A certificate, a message and a store, made in code

    private static func der(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        let content = Array(parts.joined())
        let length =
            content.count < 128
            ? [UInt8(content.count)] : [0x82, UInt8(content.count >> 8), UInt8(content.count & 255)]
        return [tag] + length + content
    }

    private static func name(_ entries: [(kind: UInt8, tag: UInt8, text: [UInt8])]) -> [UInt8] {
        let sets = entries.map { der(0x31, der(0x30, der(6, [0x55, 4, $0.kind]), der($0.tag, $0.text))) }
        return der(0x30, Array(sets.joined()))
    }

    /// - Parameter hasVersion: whether it is a certificate of version 3, as all of today.
    private static func certificate(_ subject: [UInt8], hasVersion: Bool = true) -> [UInt8] {
        let algorithm = der(0x30, der(6, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2]))
        let issuer = name([(3, 0x0C, Array("Root 1".utf8)), (10, 0x13, Array("Example Authority".utf8))])
        let times = der(0x30, der(0x17, Array("240101000000Z".utf8)), der(0x17, Array("340101000000Z".utf8)))
        let signed = der(
            0x30, hasVersion ? der(0xA0, der(2, [2])) : [], der(2, [1]), algorithm, issuer, times, subject,
            der(0x30, [UInt8](repeating: 7, count: 300)))
        return der(0x30, signed, algorithm, der(3, [0, 1, 2]))
    }

    private static func cbor(_ major: UInt8, _ count: Int) -> [UInt8] {
        count < 24 ? [major << 5 | UInt8(count)] : [major << 5 | 25, UInt8(count >> 8), UInt8(count & 255)]
    }
    private static func bytes(_ content: [UInt8]) -> [UInt8] { cbor(2, content.count) + content }
    private static func text(_ content: String) -> [UInt8] {
        cbor(3, content.utf8.count) + Array(content.utf8)
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        UInt32(content.count + 8).bytes(.big) + Array(type.utf8) + content
    }

    private static func superbox(_ label: String, _ kind: String, _ contents: [UInt8]) -> [UInt8] {
        let tail: [UInt8] = [0, 0x11, 0, 0x10, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        return box("jumb", box("jumd", Array(kind.utf8) + tail + [3] + Array(label.utf8) + [0]) + contents)
    }

    private static func manifest(_ message: [UInt8]) -> [UInt8] {
        let claim = superbox("c2pa.claim", "c2cl", box("cbor", [0xA0]))
        return superbox(
            "urn:uuid:1", "c2ma", claim + superbox("c2pa.signature", "c2cs", box("cbor", message)))
    }

    /// Returns a message with a chain of certificates in its protected headers, or in the others under its former name.
    private static func message(_ certificate: [UInt8], isProtected: Bool = true, isList: Bool = true)
        -> [UInt8]
    {
        let chain = isList ? cbor(4, 2) + bytes(certificate) + bytes([1, 2, 3]) : bytes(certificate)
        let algorithm: [UInt8] = [1, 0x26]
        let protected = isProtected ? cbor(5, 2) + algorithm + [0x18, 33] + chain : cbor(5, 1) + algorithm
        let others =
            isProtected ? cbor(5, 0) : cbor(5, 2) + text("pad") + bytes([0, 0]) + text("x5chain") + chain
        return [0xD2, 0x84] + bytes(protected) + others + [0xF6] + bytes([UInt8](repeating: 9, count: 64))
    }

    private static func store(_ manifests: [[UInt8]]) -> [UInt8] {
        superbox("c2pa", "c2pa", Array(manifests.joined()))
    }

    private static let studio = name([(3, 0x0C, Array("camera 7".utf8)), (10, 0x0C, Array("Studio Ö".utf8))])

    // MARK: Files

    /// Returns a JPEG whose segments, in reverse order, hold parts of a store.
    private static func jpeg(_ store: [UInt8], parts: Int) -> [UInt8] {
        let length = (store.count - 8 + parts - 1) / parts
        let segments = (0..<parts).map { part -> [UInt8] in
            let content = store[(8 + part * length)..<min(8 + (part + 1) * length, store.count)]
            let body = Array("JP".utf8) + [0, 1] + UInt32(part + 1).bytes(.big) + store[..<8] + content
            return [0xFF, 0xEB] + UInt16(body.count + 2).bytes(.big) + body
        }
        let other: [UInt8] =
            [0xFF, 0xEB, 0, 30] + Array("JP".utf8) + [0, 2] + [UInt8](repeating: 0, count: 24)
        // The first part tells what the box is, so it comes first.
        let ordered = [segments[0]] + segments.dropFirst().reversed()
        return [0xFF, 0xD8] + other + ordered.joined() + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0xFF, 0xD9]
    }

    private static func png(_ store: [UInt8]) -> [UInt8] {
        func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
            UInt32(body.count).bytes(.big) + Array(type.utf8) + body + [0, 0, 0, 0]
        }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]) + chunk("caBX", store)
            + chunk("IDAT", [0])
            + chunk("IEND", [])
    }

    private static func avif(_ store: [UInt8]) -> [UInt8] {
        let kind: [UInt8] = [
            0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
        ]
        let purpose = Array("manifest\0".utf8) + [UInt8](repeating: 0, count: 8)
        return box("ftyp", Array("avif\0\0\0\0avifmif1".utf8))
            + box("uuid", kind + [0, 0, 0, 0] + purpose + store)
            + box("meta", [0, 0, 0, 0])
    }

    private static func signer(_ file: [UInt8]) throws -> CredentialSigner? {
        try #require(try ContentCredentials.areIn(FileBytes(file)))
        return try ContentCredentials.store(in: FileBytes(file)).flatMap(CredentialSigner.init)
    }

    @Test("name who signed them in JPEG, PNG and boxes", arguments: [true, false], [true, false])
    func files(_ isProtected: Bool, _ isList: Bool) throws {
        let message = Self.message(Self.certificate(Self.studio), isProtected: isProtected, isList: isList)
        // Only the last manifest is that of the file; those before are of pictures that it was made of.
        let earlier = Self.manifest(
            Self.message(Self.certificate(Self.name([(3, 0x0C, Array("other".utf8))]))))
        let store = Self.store([earlier, Self.manifest(message)])
        for file in [
            Self.jpeg(store, parts: 1), Self.jpeg(store, parts: 3), Self.png(store), Self.avif(store),
        ] {
            let signer = try #require(try Self.signer(file))
            #expect(signer.name == "camera 7" && signer.organization == "Studio Ö")
            #expect(signer.issuer == "Example Authority")
            #expect(signer.text == "Studio Ö (camera 7), by a certificate of Example Authority")
        }
    }

    @Test("name their signer in any kind of letters, without those that steer a terminal")
    func letters() throws {
        let names: [(entry: (kind: UInt8, tag: UInt8, text: [UInt8]), wanted: String)] = [
            ((3, 0x13, Array("Plain".utf8)), "Plain"), ((3, 0x14, [0x4D, 0xFC, 0x6C]), "Mül"),
            ((3, 0x1E, [0, 0x4D, 0x4E, 0x2D]), "M中"), ((3, 0x0C, Array("a\u{1B}[31mb".utf8)), "a[31mb"),
        ]
        for hasVersion in [true, false] {
            for (entry, wanted) in names {
                let message = Self.message(Self.certificate(Self.name([entry]), hasVersion: hasVersion))
                #expect(CredentialSigner(store: Self.store([Self.manifest(message)]))?.name == wanted)
            }
        }
    }

    @Test("that are damaged name nobody, or the signer, and never trap")
    func damaged() throws {
        let store = Self.store([Self.manifest(Self.message(Self.certificate(Self.studio)))])
        for end in store.indices { _ = CredentialSigner(store: Array(store[..<end])) }
        for at in store.indices {
            for value: UInt8 in [0, 0x7F, 0x80, 0xFF] {
                var changed = store
                changed[at] = value
                _ = CredentialSigner(store: changed)
            }
        }
        #expect(CredentialSigner(store: Self.store([])) == nil)
        // A list that claims more members than there are bytes.
        let bomb = Self.manifest([0x84] + [UInt8](repeating: 0x9A, count: 40) + [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(CredentialSigner(store: Self.store([bomb])) == nil)
    }
}
