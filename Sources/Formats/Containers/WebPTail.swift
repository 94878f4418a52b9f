internal import Basics

/// Where bytes lie behind the compressed data of the last picture of a WebP: in its chunk, whose rest decoders ignore.
///
/// Chunks of unknown types are allowed at the end of a file, but validators warn of them, and files in the simple format have no
/// place for them. Source: RFC 9649, 2.5 to 2.7; RFC 6386, 9.5: the last partition takes the rest of the data.
package struct WebPTail {
    /// The end of the data.
    package let end: Int
    /// The positions of the lengths that count the data: of the file, its chunk, and the frame that the chunk is in.
    private let lengths: [Int]

    /// Returns nil for other files, and those without a whole picture.
    package init?(_ file: FileBytes) {
        guard file.has("RIFF"), file.has("WEBP", at: 8) else { return nil }
        var found = Self.lastPicture(of: file, in: 12..<file.count)
        var lengths = [4]
        if let frame = found, frame.type == "ANMF" {
            lengths.append(frame.start + 4)
            // A frame has 16 bytes of its own before its chunks.
            guard frame.body.count > 16 else { return nil }
            found = Self.lastPicture(of: file, in: (frame.body.lowerBound + 16)..<frame.body.upperBound)
        }
        guard let picture = found, picture.isWhole, picture.type != "ANMF" else { return nil }
        self.lengths = lengths + [picture.start + 4]
        end = picture.end
    }

    private static func lastPicture(of file: FileBytes, in range: Range<Int>) -> RIFFChunk? {
        var walk = RIFFChunks(file, in: range)
        var last: RIFFChunk?
        // What cannot be read has no tail.
        while let chunk = (try? walk.next()) ?? nil {
            if ["VP8 ", "VP8L", "ANMF"].contains(chunk.type) { last = chunk }
        }
        return last
    }

    /// Returns the file with lengths that count more bytes, which are not inserted here.
    ///
    /// - Precondition: the count is even, so that padding stays.
    package func lengthened(_ file: [UInt8], by count: Int) -> [UInt8] {
        precondition(count.isMultiple(of: 2))
        var writer = ByteWriter(.little, file)
        for place in lengths {
            if let value = file.uint32(at: place, .little) {
                writer.replace(4, at: place, with: value + count)
            }
        }
        return writer.bytes
    }
}
