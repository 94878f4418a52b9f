#if !canImport(CommonCrypto)
internal import CCrypto

/// A hash computation of libcrypto.
///
/// By the functions of each algorithm: the first use of the EVP interface reads a configuration and loads providers, which
/// takes a millisecond, and fails for MD5 where FIPS is enforced.
struct DigestContext: ~Copyable {
    enum Algorithm {
        case sha256, md5
    }

    private enum State {
        case sha256(SHA256_CTX)
        case md5(MD5_CTX)
    }

    private var state: State

    init(_ algorithm: Algorithm) {
        switch algorithm {
        case .sha256:
            var context = SHA256_CTX()
            unsafe SHA256_Init(&context)
            state = .sha256(context)
        case .md5:
            var context = MD5_CTX()
            unsafe MD5_Init(&context)
            state = .md5(context)
        }
    }

    mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { bytes in
            switch state {
            case .sha256(var context):
                unsafe SHA256_Update(&context, bytes.baseAddress, bytes.count)
                state = .sha256(context)
            case .md5(var context):
                unsafe MD5_Update(&context, bytes.baseAddress, bytes.count)
                state = .md5(context)
            }
        }
    }

    consuming func finalize() -> Digest {
        switch state {
        case .sha256(var context):
            var bytes = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
            unsafe SHA256_Final(&bytes, &context)
            return Digest(bytes: bytes)
        case .md5(var context):
            var bytes = [UInt8](repeating: 0, count: Int(MD5_DIGEST_LENGTH))
            unsafe MD5_Final(&bytes, &context)
            return Digest(bytes: bytes)
        }
    }

    static func authenticationCode(of message: [UInt8], key: [UInt8]) -> Digest {
        var bytes = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        let code = unsafe HMAC(
            EVP_sha256(), key, Int32(key.count), message, message.count, &bytes, nil)
        precondition(unsafe code != nil, "libcrypto cannot hash")
        return Digest(bytes: bytes)
    }

    /// Compares all bytes, wherever they differ.
    static func isEqual(_ one: Digest, _ other: Digest) -> Bool {
        guard one.bytes.count == other.bytes.count else { return false }
        return unsafe CRYPTO_memcmp(one.bytes, other.bytes, one.bytes.count) == 0
    }
}
#endif
