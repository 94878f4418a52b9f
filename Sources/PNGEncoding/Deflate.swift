/// Deflate outside of PNG.
package enum Deflate {
    /// The bytes as a zlib stream, the same for the same bytes.
    ///
    /// - Throws: `PNGEncodingError.outOfMemory`.
    package static func zlib(_ bytes: [UInt8]) throws(PNGEncodingError) -> [UInt8] {
        try Compressor(level: .small).zlib(bytes)
    }
}
