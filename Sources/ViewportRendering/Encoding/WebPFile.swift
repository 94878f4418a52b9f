/// A WebP file as its RIFF chunks.
package struct WebPFile {
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

    /// The same file of the extended kind, the only one that may have other chunks; one that is of it stays.
    ///
    /// Source: WebP Container Specification, "Extended File Format".
    package static func extended(_ file: [UInt8]) -> [UInt8] {
        guard file.count >= 30, !file[12..<16].elementsEqual("VP8X".utf8) else { return file }
        let isLossless = file[12..<16].elementsEqual("VP8L".utf8)
        let bits = file[21..<25].reversed().reduce(0) { $0 << 8 | Int($1) }
        let width = isLossless ? bits & 0x3FFF : ((Int(file[26]) | Int(file[27]) << 8) & 0x3FFF) - 1
        let height = isLossless ? bits >> 14 & 0x3FFF : ((Int(file[28]) | Int(file[29]) << 8) & 0x3FFF) - 1
        let flags: UInt8 = isLossless && bits >> 28 & 1 == 1 ? 0x10 : 0
        let head =
            Array("VP8X".utf8) + little(10) + [flags, 0, 0, 0] + little(width).prefix(3)
            + little(height).prefix(3)
        return file[..<12] + head + file[12...]
    }

    /// The same pictures with a chunk behind them, and the flag in VP8X that tells of it, if there is one.
    func adding(_ name: String, _ body: [UInt8], flag: UInt8 = 0) -> Self {
        var file = self
        for index in file.chunks.indices where file.chunks[index].name.elementsEqual("VP8X".utf8) {
            file.chunks[index].body[file.chunks[index].body.startIndex] |= flag
        }
        file.chunks.append((Array(name.utf8)[...], body[...]))
        return file
    }

    private static func little(_ count: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
    }
}
