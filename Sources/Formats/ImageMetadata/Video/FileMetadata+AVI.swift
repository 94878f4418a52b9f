internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the headers of an AVI.
    ///
    /// Source: Microsoft, AVI RIFF File Reference; ExifTool's tag names of RIFF.
    mutating func readAVI(_ bytes: FileBytes) throws(FileError) {
        var dayAlone: CaptureDate?
        try readChunks(bytes, 12..<max(12, bytes.count), depth: 0, &dayAlone)
        if date == nil { offer(dayAlone) }
    }

    private mutating func readChunks(
        _ bytes: FileBytes, _ range: Range<Int>, depth: Int, _ dayAlone: inout CaptureDate?
    ) throws(FileError) {
        var chunks = RIFFChunks(bytes, in: range)
        while let chunk = try chunks.next() {
            let content = chunk.body
            if chunk.type == "LIST", bytes.fourCC(at: content.lowerBound) == "movi" {
                // The frames.
            } else if chunk.type == "LIST", depth < 3, content.count >= 4 {
                let list = (content.lowerBound + 4)..<content.upperBound
                try readChunks(bytes, list, depth: depth + 1, &dayAlone)
            } else if chunk.type == "ICRD" {
                let text = bytes.extracting(content).text
                dayAlone = dayAlone ?? CaptureDate(text, source: .riffDateTimeOriginal)
            } else {
                readChunk(chunk.type, bytes.extracting(content))
            }
        }
    }

    private mutating func readChunk(_ type: FourCC, _ body: FileBytes) {
        switch type {
        case "IDIT": offer(CaptureDate(avi: body.text, source: .riffDateTimeOriginal))
        case "ISFT": software = software ?? body.text
        case "INAM": title = title ?? body.text
        case "ICMT": caption = caption ?? body.text
        case "_PMX": readXMP(body)
        default: if let exif = Exif(makerChunk: type, body) { add(maker: exif) }
        }
        guard type == "avih", let frameTime = body.uint32(at: 0, .little),
            let count = body.uint32(at: 16, .little),
            let width = body.uint32(at: 32, .little), let height = body.uint32(at: 36, .little)
        else { return }
        storedSize = PixelSize(width: width, height: height)
        duration = Double(frameTime) * Double(count) / 1_000_000
    }
}

extension CaptureDate {
    /// A date in an AVI; nil for other texts.
    ///
    /// "Sun May 25 10:00:00 2014" as C writes it, "2014:05:25 10:00:00" as EXIF does, or with other signs and without
    /// seconds, "2001/ 1/27  1:42PM".
    init?(avi text: String?, source: DateSource) {
        guard let text else { return nil }
        if let date = CaptureDate(text, source: source), date.hasTime {
            self = date
            return
        }
        let months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
        let words = text.split { $0 == " " || $0 == "\n" }
        var numbers = text.split { !$0.isASCII || !$0.isNumber }.compactMap { Int($0) }
        if words.count >= 5, let month = months.firstIndex(of: words[1].uppercased()) {
            guard numbers.count == 5 else { return nil }
            numbers = [numbers[4], month + 1, numbers[0], numbers[1], numbers[2], numbers[3]]
        } else {
            guard (5...6).contains(numbers.count), (0...12).contains(numbers[3]) || !text.hasSuffix("M")
            else {
                return nil
            }
            if text.hasSuffix("M") { numbers[3] = numbers[3] % 12 + (text.hasSuffix("PM") ? 12 : 0) }
        }
        guard
            let clock = WallClock(
                year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
                second: numbers.count > 5 ? numbers[5] : 0)
        else { return nil }
        self.init(local: clock, source: source)
    }
}
