internal import Basics
package import Files

/// A chunk of a RIFF file, such as a WebP or an AVI.
///
/// Source: Microsoft, Multimedia Programming Interface and Data Specifications 1.0; RFC 9649.
package struct RIFFChunk: Equatable, Sendable {
    package let type: FourCC
    /// The position of its type.
    package let start: Int
    /// The stated end, without padding; past the end of a range that is cut off.
    package let end: Int
    /// The contents, as far as they exist.
    package let body: Range<Int>

    /// Whether all contents are there.
    package var isWhole: Bool { end == body.upperBound }

    /// Returns a whole chunk, padded to an even size.
    package static func bytes(_ type: FourCC, _ body: some Collection<UInt8>) -> [UInt8] {
        type.bytes + UInt32(body.count).bytes(.little) + body
            + [UInt8](repeating: 0, count: body.count & 1)
    }

    /// Returns the length of a file that its header states; nil for other files.
    package static func statedLength(of file: FileBytes) -> Int? {
        file.has("RIFF") ? file.uint32(at: 4, .little).map { 8 + $0 } : nil
    }

    /// Returns a file of a form, such as "WEBP", with these chunks.
    package static func file(_ form: FourCC, _ chunks: some Collection<UInt8>) -> [UInt8] {
        FourCC("RIFF").bytes + UInt32(4 + chunks.count).bytes(.little) + form.bytes + chunks
    }
}

/// Walks over the chunks in a range of a RIFF file.
package struct RIFFChunks {
    private let bytes: FileBytes
    private var position: Int
    private let end: Int

    /// Walks over the chunks of a file.
    package init(_ bytes: FileBytes) { self.init(bytes, in: 12..<max(12, bytes.count)) }

    package init(_ bytes: FileBytes, in range: Range<Int>) {
        (self.bytes, position, end) = (bytes, range.lowerBound, min(range.upperBound, bytes.count))
    }

    /// Returns the next chunk; one that is longer than the range is cut.
    ///
    /// - Throws: `FileError` where the bytes cannot be read.
    package mutating func next() throws(FileError) -> RIFFChunk? {
        guard position + 8 <= end, let type = bytes.fourCC(at: position),
            let length = bytes.uint32(at: position + 4, .little)
        else { return nil }
        try bytes.check()
        let start = position
        position = start + 8 + length + length & 1
        return RIFFChunk(
            type: type, start: start, end: start + 8 + length,
            body: (start + 8)..<min(start + 8 + length, end))
    }
}
