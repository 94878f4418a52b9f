#if !canImport(CommonCrypto)
internal import CCrypto

/// A hash computation of libcrypto.
///
/// Safe: its pointer is created and freed here, and is private.
@safe struct DigestContext: ~Copyable {
    enum Algorithm {
        case sha256, md5
    }

    private let context: OpaquePointer
    private let byteCount: Int

    init(_ algorithm: Algorithm) {
        let method =
            switch algorithm {
            case .sha256: unsafe Methods.sha256
            case .md5: unsafe Methods.md5
            }
        // Nil if memory is exhausted or, for MD5, if the system's policy forbids it.
        guard let method = unsafe method, let context = unsafe EVP_MD_CTX_new(),
            unsafe EVP_DigestInit_ex(context, method, nil) == 1
        else { preconditionFailure("libcrypto cannot compute \(algorithm)") }
        unsafe self.context = context
        byteCount = Int(unsafe EVP_MD_get_size(method))
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    mutating func update(_ bytes: Span<UInt8>) {
        guard !bytes.isEmpty else { return }
        let result = unsafe bytes.withUnsafeBytes {
            unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count)
        }
        precondition(result == 1, "libcrypto cannot hash")
    }

    consuming func finalize() -> Digest {
        // As many bytes as the method writes.
        Digest(
            bytes: unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
                let result = unsafe EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
                precondition(result == 1, "libcrypto cannot hash")
                count = byteCount
            })
    }

    static func authenticationCode(of message: [UInt8], key: [UInt8]) -> Digest {
        // SHA-256 makes 32 bytes.
        Digest(
            bytes: unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
                let code = unsafe HMAC(
                    Methods.sha256, key, Int32(key.count), message, message.count, buffer.baseAddress, nil
                )
                precondition(unsafe code != nil, "libcrypto cannot hash")
                count = 32
            })
    }

    /// Compares all bytes, wherever they differ.
    static func isEqual(_ one: Digest, _ other: Digest) -> Bool {
        guard one.bytes.count == other.bytes.count else { return false }
        return unsafe CRYPTO_memcmp(one.bytes, other.bytes, one.bytes.count) == 0
    }

    /// Looked up once: libcrypto would repeat it for every hash.
    private enum Methods {
        // Never changed or freed.
        nonisolated(unsafe) static let sha256 = unsafe EVP_MD_fetch(nil, "SHA256", nil)
        // FIPS forbids MD5 for security, which it is not used for here.
        nonisolated(unsafe) static let md5 = unsafe EVP_MD_fetch(nil, "MD5", "-fips")
    }
}
#endif
