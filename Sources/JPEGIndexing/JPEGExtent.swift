package import Files
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
    ///
    /// It is read forward, of which little is in memory at any time.
    package func extent(in file: OpenFile) -> JPEGExtent {
        let window = ByteWindow(file)
        var cursor = MCUCursor(EntropyScanner(self), window)
        for _ in 0..<mcuRows {
            let (mcu, place, predictors) = (cursor.mcu, cursor.place, cursor.state.predictors)
            guard (try? cursor.advance(by: mcusPerRow)) == nil else { continue }
            let rows = cursor.mcu / mcusPerRow * mcuSize.height
            let start = MCUCursor(
                cursor.scanner, window, mcu: mcu, place: place, predictors: predictors)
            return JPEGExtent(rows: min(rows, size.height), isEnd: Self.ends(start))
        }
        return JPEGExtent(rows: size.height, isEnd: true)
    }

    /// Whether a row of MCUs that cannot be read runs into the end of the data.
    private static func ends(_ start: MCUCursor) -> Bool {
        let window = start.window
        var cursor = start
        var place = start.place
        while (try? cursor.advance(by: 1)) != nil { place = cursor.place }
        // An MCU has at most so many bytes: 32 bits for the code and the value of every coefficient.
        let longest = start.scanner.groups.reduce(0) { $0 + $1.blocks } * 64 * 4
        let first = Int(place / 8)
        let limit = min(window.count, first + longest)
        for position in first..<max(first, limit) where window.byte(position) == 0xFF {
            guard let next = window.byte(position + 1) else { return true }
            // A restart marker would be followed by more rows.
            if next != 0, next != 0xFF { return next & 0xF8 != 0xD0 }
        }
        return limit == window.count
    }
}
