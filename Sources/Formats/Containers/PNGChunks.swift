internal import Basics
internal import Checksums
package import Files

/// A chunk of a PNG.
///
/// Source: PNG (third edition), section 5.
package struct PNGChunk: Equatable, Sendable {
    package let type: FourCC
    /// The chunk with its length and its checksum; some of it is past the end of a file that is cut off.
    package let whole: Range<Int>

    /// The contents.
    package var body: Range<Int> { (whole.lowerBound + 8)..<(whole.upperBound - 4) }

    /// The bytes that begin a PNG.
    package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The most bytes of a chunk's contents.
    package static let longestBody = 0x7FFF_FFFF
    /// The end of the first chunk, whose size is fixed.
    package static let headerEnd = 33

    /// Returns a whole chunk.
    package static func bytes(_ type: FourCC, _ body: [UInt8]) -> [UInt8] {
        var chunk: [UInt8] = []
        append(type, body[...], to: &chunk)
        return chunk
    }

    /// Appends a whole chunk to a file.
    package static func append(_ type: FourCC, _ body: ArraySlice<UInt8>, to file: inout [UInt8]) {
        let type = type.bytes
        file += UInt32(body.count).bytes(.big) + type
        file += body
        file += CRC32.of(body.span, after: CRC32.of(type.span)).bytes(.big)
    }
}

/// Walks over the chunks of a PNG.
package struct PNGChunks {
    private let bytes: FileBytes
    /// Where the next chunk begins.
    package private(set) var position: Int

    package init(_ bytes: FileBytes) { (self.bytes, position) = (bytes, PNGChunk.signature.count) }

    /// Returns the next chunk; nil where there is none, or where the file ends before its type.
    ///
    /// - Throws: `FileError` where the bytes cannot be read.
    package mutating func next() throws(FileError) -> PNGChunk? {
        let (length, type) = (bytes.uint32(at: position), bytes.fourCC(at: position + 4))
        try bytes.check()
        guard let length, let type else { return nil }
        let chunk = PNGChunk(type: type, whole: position..<(position + 12 + length))
        position = chunk.whole.upperBound
        return chunk
    }

    /// Passes chunks of image data, of which the first was returned last.
    package mutating func passImageData(_ first: PNGChunk) throws(FileError) {
        if bytes.isRemote, let end = try imageDataEnd() {
            position = max(position, end)
        } else {
            try passEqualChunks(first)
        }
    }

    /// The bytes at the end of a file that are searched for the last chunk of image data, and if it is not there.
    private static let tails = [1 << 16, 3 << 16]
    /// The types of image data, also of the frames of an animation.
    private static let imageTypes: Set<FourCC> = ["IDAT", "fdAT", "fcTL"]

    /// Returns where the chunks behind the image data begin, found from the end of the file, by their lengths and checksums;
    /// nil where that is not known.
    ///
    /// Each chunk of image data would take a request where their lengths differ.
    private func imageDataEnd() throws(FileError) -> Int? {
        for length in Self.tails where length < bytes.count - position {
            let base = bytes.count - length
            let tail = bytes.extracting(base...).array
            try bytes.check()
            var start = length - 12
            guard tail.fourCC(at: start + 4) == "IEND", tail.uint32(at: start) == 0 else { return nil }
            while let before = Self.chunk(in: tail, endingAt: start) {
                guard let type = tail.fourCC(at: before + 4), !Self.imageTypes.contains(type) else {
                    return base + start
                }
                start = before
            }
        }
        return nil
    }

    /// Returns where the chunk begins that ends at a position; nil where no bytes before it are one.
    private static func chunk(in tail: [UInt8], endingAt end: Int) -> Int? {
        stride(from: end - 12, through: 0, by: -1).first { start in
            let length = end - start - 12
            guard tail.uint32(at: start) == length else { return false }
            let sum = CRC32.of(tail.span.extracting((start + 4)..<(end - 4)))
            return tail.uint32(at: end - 4) == Int(sum)
        }
    }

    /// Passes the chunks of image data that have the length of one, which was returned last.
    ///
    /// Writers give all but the last the same length, so the last of them is found by a few looks instead of by a walk
    /// over thousands. Others are left to the walk.
    private mutating func passEqualChunks(_ first: PNGChunk) throws(FileError) {
        let stride = first.whole.count
        let length = first.body.count
        func isEqual(_ number: Int) -> Bool {
            let at = first.whole.lowerBound + number * stride
            return bytes.uint32(at: at) == length && bytes.fourCC(at: at + 4) == first.type
        }
        // The number of a chunk that is equal, and that of one that is not.
        var (known, other) = (0, (bytes.count - first.whole.lowerBound) / stride)
        // The end is the likely place; what follows the image data is short.
        for guess in [other - 1, other - 2] where guess > known && isEqual(guess) { known = guess }
        if known == 0 {
            while other - known > 1 {
                let middle = (known + other) / 2
                if isEqual(middle) { known = middle } else { other = middle }
            }
        }
        try bytes.check()
        position = first.whole.upperBound + known * stride
    }

    /// Returns whether the stored checksum is that of the chunk, all of which must be there.
    package func isIntact(_ chunk: PNGChunk) throws(FileError) -> Bool {
        var sum: UInt32 = 0
        bytes.extracting((chunk.whole.lowerBound + 4)..<chunk.body.upperBound).withChunks {
            sum = CRC32.of($0.span, after: sum)
        }
        let stored = bytes.uint32(at: chunk.body.upperBound)
        try bytes.check()
        return stored == Int(sum)
    }
}
