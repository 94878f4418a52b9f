internal import Basics
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the headers of an AVI.
    ///
    /// Source: Microsoft, AVI RIFF File Reference; ExifTool's tag names of RIFF.
    mutating func readAVI(_ bytes: FileBytes) {
        readChunks(bytes, 12..<bytes.count, depth: 0)
    }

    private mutating func readChunks(_ bytes: FileBytes, _ range: Range<Int>, depth: Int) {
        var at = range.lowerBound
        while at + 8 <= range.upperBound, let length = bytes.uint32(at: at + 4, .little) {
            let content = (at + 8)..<min(at + 8 + length, range.upperBound)
            if bytes.has("LIST", at: at), bytes.has("movi", at: at + 8) {
                // The film itself.
            } else if bytes.has("LIST", at: at), depth < 3, content.count >= 4 {
                readChunks(bytes, (content.lowerBound + 4)..<content.upperBound, depth: depth + 1)
            } else if let body = bytes.slice(content) {
                readChunk(bytes.has("avih", at: at), bytes.has("IDIT", at: at), body)
            }
            at += 8 + length + length % 2
        }
    }

    private mutating func readChunk(_ isHeader: Bool, _ isDate: Bool, _ body: FileBytes) {
        if isDate { offer(Self.aviDate(body.text)) }
        guard isHeader, let frameTime = body.uint32(at: 0, .little), let count = body.uint32(at: 16, .little),
            let width = body.uint32(at: 32, .little), let height = body.uint32(at: 36, .little)
        else { return }
        storedSize = PixelSize(width: width, height: height)
        duration = Double(frameTime) * Double(count) / 1_000_000
    }

    /// "Sun May 25 10:00:00 2014", as C writes dates, or a date as EXIF writes it.
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
            "\(words[4])-\(WallClock.two(month + 1))-\(WallClock.two(day)) \(words[3])",
            source: .riffDateTimeOriginal)
    }
}
