extension Span<UInt8> {
    /// Lends the bytes in copies of at most 64 KiB, to those who only take arrays.
    package func withChunks(_ body: ([UInt8]) -> Void) {
        let chunk = 1 << 16
        for start in stride(from: 0, to: count, by: chunk) {
            let part = extracting(start..<Swift.min(start + chunk, count))
            // The bytes are copied before the call returns.
            body(unsafe part.withUnsafeBufferPointer { unsafe Array($0) })
        }
    }
}
