package import Files

extension ProgressiveHeader {
    /// Reads the header of a progressive JPEG up to its first scan; the others may make it one that cannot be indexed.
    ///
    /// - Throws: `JPEGIndexError` where it is none.
    package static func frame(of file: any RandomAccessBytes) throws(JPEGIndexError) -> JPEGHeader {
        var parser = HeaderParser(allowsProgressive: true)
        try parser.parse(ByteWindow(file, readAhead: 1 << 12))
        guard let frame = parser.frame, frame.marker == 0xC2, !parser.scanOrder.isEmpty else {
            throw .brokenHeader("not progressive")
        }
        return try parser.header().sequential
    }
}
