internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the headers of a Matroska or WebM file.
    ///
    /// Source: RFC 8794 (EBML), RFC 9559 (Matroska).
    mutating func readMatroska(_ bytes: FileBytes) {
        readElements(bytes, 0..<bytes.count, depth: 0)
    }

    private mutating func readElements(_ bytes: FileBytes, _ range: Range<Int>, depth: Int) {
        var elements = EBMLList(bytes, in: range)
        var scale = 1_000_000
        var ticks: Double?
        while let element = elements.next() {
            let content = element.content
            switch element.type {
            // Segment, Info, Tracks, TrackEntry, Video.
            case 0x1853_8067, 0x1549_A966, 0x1654_AE6B, 0xAE, 0xE0:
                if depth < 5 { readElements(bytes, content, depth: depth + 1) }
            case _ where !element.isWhole: break
            case 0x2AD7B1: scale = bytes.unsigned(min(content.count, 7), at: content.lowerBound) ?? scale
            case 0x4489: ticks = Self.float(bytes, content)
            case 0x4461 where content.count == 8:
                // Nanoseconds since 2001 UTC.
                guard let bits = bytes.bits(8, at: content.lowerBound) else { continue }
                offer(
                    CaptureDate(
                        secondsSince1970: Int(truncatingIfNeeded: bits) / 1_000_000_000 + 978_307_200,
                        source: .matroskaDateUTC))
            case 0x7BA9: title = bytes.slice(content)?.text
            case 0x5741: software = bytes.slice(content)?.text
            case 0xB0: setSide(bytes, content) { PixelSize(width: $1, height: $0.height) }
            case 0xBA: setSide(bytes, content) { PixelSize(width: $0.width, height: $1) }
            default: break
            }
        }
        if let ticks, ticks.isFinite, ticks > 0 { duration = ticks * Double(scale) / 1_000_000_000 }
    }

    private mutating func setSide(
        _ bytes: FileBytes, _ content: Range<Int>,
        _ change: (PixelSize<StoredGrid>, Int) -> PixelSize<StoredGrid>
    ) {
        guard let value = bytes.unsigned(min(content.count, 4), at: content.lowerBound) else { return }
        storedSize = change(storedSize ?? PixelSize(width: 0, height: 0), value)
    }

    private static func float(_ bytes: FileBytes, _ content: Range<Int>) -> Double? {
        switch content.count {
        case 4: bytes.uint32(at: content.lowerBound).map { Double(Float(bitPattern: UInt32($0))) }
        case 8: bytes.bits(8, at: content.lowerBound).map(Double.init(bitPattern:))
        default: nil
        }
    }
}

/// An element of an EBML file; if it is incomplete, the file ends in it or its length is unknown.
private struct EBMLElement {
    var type: Int
    var content: Range<Int>
    var isWhole: Bool
}

/// The consecutive elements in a range of an EBML file.
private struct EBMLList {
    private let bytes: FileBytes
    private var at: Int
    private let end: Int

    init(_ bytes: FileBytes, in range: Range<Int>) {
        self.bytes = bytes
        at = range.lowerBound
        end = min(range.upperBound, bytes.count)
    }

    /// The next element; one of unknown length extends to the end.
    mutating func next() -> EBMLElement? {
        guard at < end, let type = variable(keepsMarker: true), let length = variable(keepsMarker: false)
        else {
            return nil
        }
        guard at <= end else { return nil }
        let isWhole = !length.isUnknown && length.value <= end - at
        let content = at..<(isWhole ? at + length.value : end)
        at = content.upperBound
        return EBMLElement(type: type.value, content: content, isWhole: isWhole)
    }

    /// A number whose length is given by the leading zeros of its first byte.
    private mutating func variable(keepsMarker: Bool) -> (value: Int, isUnknown: Bool)? {
        guard let first = bytes.uint8(at: at), first > 0 else { return nil }
        let length = UInt8(first).leadingZeroBitCount + 1
        guard let number = bytes.unsigned(length, at: at) else { return nil }
        at += length
        let marker = 1 << (7 * length)
        return keepsMarker ? (number, false) : (number & (marker - 1), number & (marker - 1) == marker - 1)
    }
}

extension FileMetadata {
    /// Reads the headers of an AVI.
    ///
    /// Source: Microsoft, AVI RIFF File Reference; ExifTool's tag names of RIFF.
    mutating func readAVI(_ bytes: FileBytes) throws(FileError) {
        try readChunks(bytes, 12..<max(12, bytes.count), depth: 0)
    }

    private mutating func readChunks(
        _ bytes: FileBytes, _ range: Range<Int>, depth: Int
    ) throws(FileError) {
        var chunks = RIFFChunks(bytes, in: range)
        while let chunk = try chunks.next() {
            let content = chunk.body
            if chunk.type == "LIST", bytes.fourCC(at: content.lowerBound) == "movi" {
                // The frames.
            } else if chunk.type == "LIST", depth < 3, content.count >= 4 {
                try readChunks(bytes, (content.lowerBound + 4)..<content.upperBound, depth: depth + 1)
            } else {
                readChunk(chunk.type, bytes.extracting(content))
            }
        }
    }

    private mutating func readChunk(_ type: FourCC, _ body: FileBytes) {
        if type == "IDIT" { offer(Self.aviDate(body.text)) }
        guard type == "avih", let frameTime = body.uint32(at: 0, .little),
            let count = body.uint32(at: 16, .little),
            let width = body.uint32(at: 32, .little), let height = body.uint32(at: 36, .little)
        else { return }
        storedSize = PixelSize(width: width, height: height)
        duration = Double(frameTime) * Double(count) / 1_000_000
    }

    /// A date in the format of C, "Sun May 25 10:00:00 2014", or of EXIF.
    private static func aviDate(_ text: String?) -> CaptureDate? {
        guard let text else { return nil }
        if let date = CaptureDate(text, source: .riffDateTimeOriginal) { return date }
        let words = text.split(separator: " ")
        let months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
        guard words.count == 5, let month = months.firstIndex(of: words[1].uppercased()),
            let day = Int(words[2]),
            (1...31).contains(day)
        else { return nil }
        return CaptureDate(
            "\(words[4])-\((month + 1).twoDigits)-\(day.twoDigits) \(words[3])",
            source: .riffDateTimeOriginal)
    }
}
