internal import ViewportGeometry

/// How far a JPEG's compressed data can be decoded.
public struct JPEGExtent: Hashable, Sendable {
    /// The rows of pixels that can be decoded, from the top, in whole MCUs.
    public let rows: Int
    /// Whether the data ends there; else it goes on, but cannot be understood.
    public let isEnd: Bool
}

extension JPEGHeader {
    /// Reads the compressed data until it ends or breaks; an end marker behind the last MCU is not looked for.
    public func extent(in file: RawSpan) -> JPEGExtent {
        LentBytes.of(file) { data in
            var cursor = MCUCursor(EntropyScanner(self), data)
            for _ in 0..<mcuRows {
                let start = cursor
                guard (try? cursor.advance(by: mcusPerRow)) == nil else { continue }
                let rows = cursor.mcu / mcusPerRow * mcuSize.height
                return JPEGExtent(rows: min(rows, size.height), isEnd: Self.ends(start, data))
            }
            return JPEGExtent(rows: size.height, isEnd: true)
        }
    }

    /// Whether a row of MCUs that cannot be read runs into the end of the data.
    private static func ends(_ start: MCUCursor, _ data: LentBytes) -> Bool {
        var cursor = start
        var last = start
        while (try? cursor.advance(by: 1)) != nil { last = cursor }
        // An MCU has at most so many bytes: 32 bits for the code and the value of every coefficient.
        let longest = start.scanner.groups.reduce(0) { $0 + $1.blocks } * 64 * 4
        var byte = Int(last.place / 8)
        let limit = min(data.count, byte + longest)
        while byte < limit {
            if data[byte] == 0xFF {
                guard byte + 1 < data.count else { return true }
                // A restart marker would be followed by more rows.
                if data[byte + 1] != 0, data[byte + 1] != 0xFF { return data[byte + 1] & 0xF8 != 0xD0 }
            }
            byte += 1
        }
        return limit == data.count
    }
}
