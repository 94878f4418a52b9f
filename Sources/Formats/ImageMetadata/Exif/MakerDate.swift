internal import Basics
internal import Containers
internal import Files

/// The time of capture where only the maker's own structures state it: those of FLIR, Reconyx, Canon (CIFF), and of
/// Olympus, Agfa and others ("picture info").
///
/// Source: ExifTool's tag names of FLIR, Reconyx, CanonRaw and APP12.
enum MakerDate {
    /// The most bytes and nested directories that are read.
    private static let mostBytes = 1 << 24
    private static let mostLevels = 8

    /// Reads the segments of a JPEG.
    static func ofSegments(in bytes: FileBytes) throws(FileError) -> CaptureDate? {
        var segments = JPEGSegments(bytes)
        var thermal: [UInt8] = []
        var found: CaptureDate?
        while found == nil, let segment = try segments.next(), !segment.endsHeader {
            let body = bytes.extracting(segment.body)
            switch segment.marker {
            case 0xE0 where body.has("HEAPJPGM", at: 6): found = canon(body)
            case 0xE1 where body.has("FLIR\0") && body.count > 8 && thermal.count < mostBytes:
                // The parts follow each other; the bytes before state their number.
                thermal += body.extracting(8...).array
                if body.uint8(at: 6) == body.uint8(at: 7) { found = flir(FileBytes(thermal)) }
            case 0xEC: found = pictureInfo(body)
            default: break
            }
        }
        return found
    }

    /// Reads the record of the camera in FLIR's FFF.
    private static func flir(_ bytes: FileBytes) -> CaptureDate? {
        guard bytes.has("FFF\0") || bytes.has("AFF\0"),
            let order = [ByteOrder.big, .little].first(where: {
                bytes.uint32(at: 0x14, $0).map { (100..<200).contains($0) } ?? false
            }), let start = bytes.uint32(at: 0x18, order), let count = bytes.uint32(at: 0x1C, order)
        else { return nil }
        for entry in 0..<min(count, 256) {
            let at = start + 0x20 * entry
            guard bytes.uint16(at: at, order) == 0x20, let offset = bytes.uint32(at: at + 0x0C, order),
                let length = bytes.uint32(at: at + 0x10, order), let record = bytes.slice(offset, length)
            else { continue }
            // The record has a byte order of its own, which its first number tells.
            let order: ByteOrder = record.uint16(at: 0).map { $0 < 0x100 } ?? true ? .big : .little
            guard let seconds = record.uint32(at: 0x384, order), let rest = record.uint32(at: 0x388, order),
                let zone = record.uint16(at: 0x38C, order), seconds > 0
            else { return nil }
            let minutes = -Int(Int16(truncatingIfNeeded: zone))
            let thousandths = rest & 0xFFFF
            guard let offset = UTCOffset(minutes: minutes), thousandths < 1000 else { return nil }
            return date(seconds + minutes * 60, fraction: String("\(1000 + thousandths)".dropFirst()), offset)
        }
        return nil
    }

    /// Reads the note of a Reconyx camera.
    static func reconyx(_ note: FileBytes, make: String?) -> CaptureDate? {
        func words(_ at: Int, _ order: ByteOrder) -> [Int] {
            (0..<6).compactMap { note.uint16(at: at + 2 * $0, order) }
        }
        var parts: [Int]
        if note.has("RECONYXUF\0") {
            parts = (0..<5).compactMap { note.uint8(at: 0x3B + $0) } + [note.uint16(at: 0x40, .little) ?? 0]
        } else if note.has("RECONYXH2\0") {
            parts = words(0x3E, .little)
        } else if note.uint16(at: 0) == 0x01F1,
            [0x0200, 0x0300].contains(note.uint16(at: 2)) || make == "RECONYX"
        {
            parts = words(0x16, .little)
            // Some have the date in the other order than everything else.
            if let first = parts.first, first & 0xFF00 != 0, first & 0xFF == 0 { parts = words(0x16, .big) }
            if parts.count == 6 { parts.swapAt(3, 4) }
        } else {
            return nil
        }
        guard parts.count == 6,
            let local = WallClock(
                year: parts[5], month: parts[4], day: parts[3], hour: parts[2], minute: parts[1],
                second: parts[0])
        else { return nil }
        return CaptureDate(local: local, source: .makerDateTimeOriginal)
    }

    /// Reads the heap of Canon's CIFF in a segment.
    private static func canon(_ bytes: FileBytes) -> CaptureDate? {
        let order = TIFFBlock.order(at: 0, in: bytes)
        guard let start = bytes.uint32(at: 2, order), start < bytes.count else { return nil }
        return canon(bytes, in: start..<bytes.count, order, mostLevels)
    }

    private static func canon(
        _ bytes: FileBytes, in heap: Range<Int>, _ order: ByteOrder, _ levels: Int
    ) -> CaptureDate? {
        guard levels > 0, heap.count > 4, let offset = bytes.uint32(at: heap.upperBound - 4, order),
            let count = bytes.uint16(at: heap.lowerBound + offset, order)
        else { return nil }
        for entry in 0..<min(count, 256) {
            let at = heap.lowerBound + offset + 2 + 10 * entry
            guard let tag = bytes.uint16(at: at, order), let size = bytes.uint32(at: at + 2, order),
                let value = bytes.uint32(at: at + 6, order)
            else { return nil }
            let place = heap.lowerBound + value
            if tag & 0x3FFF == 0x180E {
                // Of a short value, the place is in the entry.
                let at = tag & 0x4000 == 0 ? place : at + 2
                return bytes.uint32(at: at, order).flatMap { $0 > 0 ? date($0) : nil }
            }
            guard [0x2800, 0x3000].contains(tag & 0x7800), place + size <= heap.upperBound else { continue }
            if let date = canon(bytes, in: place..<(place + size), order, levels - 1) { return date }
        }
        return nil
    }

    /// Reads a line of "picture info": `TimeDate=` with a date, or with seconds since 1970 of the camera's clock.
    private static func pictureInfo(_ bytes: FileBytes) -> CaptureDate? {
        let text = String(decoding: bytes.array, as: UTF8.self)
        guard text.contains("[picture info]") || text.contains("Type="),
            let tag = text.firstRange(of: "TimeDate=")
        else { return nil }
        let line = text[tag.upperBound...].prefix { $0 >= " " && $0 <= "~" && $0 != "[" }
        let value = line.split(separator: " ").prefix { !$0.contains("=") }.joined(separator: " ")
        if value.utf8.allSatisfy(\.isDigit) { return Int(value).flatMap { $0 > 0 ? date($0) : nil } }
        return CaptureDate(value, source: .makerDateTimeOriginal)
    }

    /// - Parameter seconds: since 1970 of the camera's clock.
    private static func date(_ seconds: Int, fraction: String = "", _ offset: UTCOffset? = nil)
        -> CaptureDate?
    {
        WallClock(wholeSeconds: seconds, fraction: fraction).map {
            CaptureDate(
                local: $0, offset: offset, source: .makerDateTimeOriginal,
                zoneSource: offset == nil ? nil : .inText)
        }
    }
}
