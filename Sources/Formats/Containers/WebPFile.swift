internal import Basics

/// The chunks of a WebP file, of which some are changed.
package struct WebPFile {
    private var chunks: [(type: FourCC, body: [UInt8])] = []

    /// - Parameter file: A complete file; what is not whole is left out.
    package init(_ file: [UInt8]) {
        var walk = RIFFChunks(FileBytes(file))
        // Bytes in memory can always be read.
        while let chunk = (try? walk.next()) ?? nil { chunks.append((chunk.type, Array(file[chunk.body]))) }
    }

    /// Returns the file without an EXIF chunk.
    ///
    /// libvips 8.14 writes an EXIF chunk even when everything is stripped.
    package func withoutEXIF() -> Self {
        var file = self
        file.chunks.removeAll { $0.type == "EXIF" }
        // The flag for an EXIF chunk.
        file.changeFlags { $0 & ~0b1000 }
        return file
    }

    /// Returns the file with another chunk at its end and a flag set in VP8X.
    package func adding(_ type: FourCC, _ body: [UInt8], flag: UInt8 = 0) -> Self {
        var file = self
        file.changeFlags { $0 | flag }
        file.chunks.append((type, body))
        return file
    }

    package var bytes: [UInt8] {
        RIFFChunk.file("WEBP", chunks.flatMap { RIFFChunk.bytes($0.type, $0.body) })
    }

    private mutating func changeFlags(_ change: (UInt8) -> UInt8) {
        for index in chunks.indices where chunks[index].type == "VP8X" && !chunks[index].body.isEmpty {
            chunks[index].body[0] = change(chunks[index].body[0])
        }
    }

    /// Returns the file in the extended format, which alone may have further chunks; the size in its header is not that of
    /// the result.
    ///
    /// Source: WebP Container Specification, "Extended File Format".
    package static func extended(_ file: [UInt8]) -> [UInt8] {
        var walk = RIFFChunks(FileBytes(file))
        guard let first = (try? walk.next()) ?? nil, first.type != "VP8X", first.body.count >= 10 else {
            return file
        }
        let start = first.body.lowerBound
        let isLossless = first.type == "VP8L"
        guard let bits = file.uint32(at: start + 1, .little),
            let across = file.uint16(at: start + 6, .little),
            let down = file.uint16(at: start + 8, .little)
        else { return file }
        let width = isLossless ? bits & 0x3FFF : across & 0x3FFF - 1
        let height = isLossless ? bits >> 14 & 0x3FFF : down & 0x3FFF - 1
        let flags: UInt8 = isLossless && bits >> 28 & 1 == 1 ? 0x10 : 0
        var head = ByteWriter(.little, [flags, 0, 0, 0])
        for side in [width, height] { head.append(side, size: 3) }
        return file[..<12] + RIFFChunk.bytes("VP8X", head.bytes) + file[12...]
    }
}
