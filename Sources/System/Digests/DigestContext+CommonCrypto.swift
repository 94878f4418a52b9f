#if canImport(CommonCrypto)
internal import CommonCrypto
internal import Darwin

/// A hash computation of CommonCrypto.
struct DigestContext: ~Copyable {
    enum Algorithm {
        case sha256, md5
    }

    private enum State {
        case sha256(CC_SHA256_CTX)
        case md5(CC_MD5_CTX)
    }

    private var state: State

    init(_ algorithm: Algorithm) {
        switch algorithm {
        case .sha256:
            var context = CC_SHA256_CTX()
            unsafe CC_SHA256_Init(&context)
            state = .sha256(context)
        case .md5:
            var context = CC_MD5_CTX()
            unsafe CC_MD5_Init(&context)
            state = .md5(context)
        }
    }

    mutating func update(_ bytes: Span<UInt8>) {
        // CommonCrypto counts bytes in 32 bits.
        let limit = 1 << 30
        for start in stride(from: 0, to: bytes.count, by: limit) {
            let part = bytes.extracting(start..<min(start + limit, bytes.count))
            unsafe part.withUnsafeBytes { part in
                switch state {
                case .sha256(var context):
                    unsafe CC_SHA256_Update(&context, part.baseAddress, CC_LONG(part.count))
                    state = .sha256(context)
                case .md5(var context):
                    unsafe CC_MD5_Update(&context, part.baseAddress, CC_LONG(part.count))
                    state = .md5(context)
                }
            }
        }
    }

    consuming func finalize() -> Digest {
        switch state {
        case .sha256(var context):
            var bytes = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
            unsafe CC_SHA256_Final(&bytes, &context)
            return Digest(bytes: bytes)
        case .md5(var context):
            var bytes = [UInt8](repeating: 0, count: Int(CC_MD5_DIGEST_LENGTH))
            unsafe CC_MD5_Final(&bytes, &context)
            return Digest(bytes: bytes)
        }
    }

    static func authenticationCode(of message: [UInt8], key: [UInt8]) -> Digest {
        var bytes = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
        unsafe CCHmac(
            CCHmacAlgorithm(kCCHmacAlgSHA256), key, key.count, message, message.count, &bytes)
        return Digest(bytes: bytes)
    }

    /// Compares all bytes, wherever they differ.
    static func isEqual(_ one: Digest, _ other: Digest) -> Bool {
        guard one.bytes.count == other.bytes.count else { return false }
        return unsafe timingsafe_bcmp(one.bytes, other.bytes, one.bytes.count) == 0
    }
}
#endif
