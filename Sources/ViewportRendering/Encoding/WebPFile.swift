/// A WebP file as its RIFF chunks.
struct WebPFile {
    private var chunks: [(name: ArraySlice<UInt8>, body: ArraySlice<UInt8>)] = []

    /// - Precondition: `bytes` is a whole file, as an encoder has written it.
    init(_ bytes: [UInt8]) {
        // "RIFF", the size of all that follows, "WEBP".
        var rest = bytes.dropFirst(12)
        while rest.count >= 8 {
            let size = rest.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            chunks.append((rest.prefix(4), rest.dropFirst(8).prefix(size)))
            // Bodies are filled up to an even size.
            rest = rest.dropFirst(8 + size + size % 2)
        }
    }

    /// The same pictures without an EXIF block.
    ///
    /// libvips 8.14 writes one of its own invention, also where it is told to strip everything.
    func withoutEXIF() -> Self {
        var file = self
        file.chunks.removeAll { $0.name.elementsEqual("EXIF".utf8) }
        for index in file.chunks.indices where file.chunks[index].name.elementsEqual("VP8X".utf8) {
            // The flag that says that there is such a block.
            file.chunks[index].body[file.chunks[index].body.startIndex] &= ~0b1000
        }
        return file
    }

    var bytes: [UInt8] {
        let body = chunks.flatMap { chunk in
            chunk.name + Self.little(chunk.body.count) + chunk.body
                + [UInt8](repeating: 0, count: chunk.body.count % 2)
        }
        return Array("RIFF".utf8) + Self.little(4 + body.count) + Array("WEBP".utf8) + body
    }

    private static func little(_ count: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
    }
}
