import Basics
import Digests
import Testing

@Suite("Digests")
struct DigestsTests {
    static let long = String(repeating: "a", count: 1_000_000)

    @Test(
        "give the vectors of FIPS 180-4 for SHA-256",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (long, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ])
    func sha256(_ text: String, _ expected: String) {
        #expect(SHA256.hash(text).hexadecimal == expected)
        #expect(SHA256.hash(Array(text.utf8).span).bytes.count == 32)
    }

    @Test(
        "give the vectors of RFC 1321 for MD5",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a"
            ),
        ])
    func md5(_ text: String, _ expected: String) {
        #expect(MD5.hash(text).hexadecimal == expected)
    }

    @Test("are the same however the bytes are split", arguments: [1, 3, 63, 64, 65, 1000, 4096])
    func pieces(_ size: Int) {
        let bytes = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 5) }
        var sha256 = SHA256()
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = bytes.span.extracting(start..<min(start + size, bytes.count))
            sha256.update(piece)
            sha256.update(piece.extracting(first: 0))
        }
        #expect(sha256.finalize() == SHA256.hash(bytes.span))
    }

    @Test(
        "give the vectors of RFC 4231 for messages with a key",
        arguments: [
            (
                [UInt8](repeating: 0x0b, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131),
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
        ])
    func authenticationCode(_ key: [UInt8], _ message: String, _ expected: String) {
        #expect(SHA256.authenticationCode(of: Array(message.utf8), key: key).hexadecimal == expected)
    }

    @Test(
        "compare secrets of any lengths",
        arguments: [
            ("", "", true), ("a", "a", true), ("a", "b", false), ("a", "", false), ("ab", "abc", false),
        ])
    func comparison(_ one: String, _ other: String, _ isEqual: Bool) {
        #expect(SHA256.isEqual(Array(one.utf8), Array(other.utf8)) == isEqual)
    }

    @Test("write two digits per byte, of all bytes or the first ones")
    func hexadecimal() {
        let digest = SHA256.hash("abc")
        #expect(digest.hexadecimal(first: 3) == "ba7816" && digest.hexadecimal.hasPrefix("ba7816bf8f01"))
        #expect(digest.hexadecimal(first: 99) == digest.hexadecimal)
    }
}
