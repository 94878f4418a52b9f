package import Files
internal import Synchronization
internal import ViewportGeometry

/// How far a JPEG's compressed data can be decoded.
package struct JPEGExtent: Hashable, Sendable {
    /// The rows of pixels that can be decoded, from the top, in whole MCUs.
    package let rows: Int
    /// Whether the data ends there; else it continues, but cannot be decoded.
    package let isEnd: Bool
}

extension JPEGHeader {
    /// Reads the entropy-coded data until it ends or breaks; the end marker is not searched.
    ///
    /// The data is read forward, with little of it in memory. The last file's result is kept: opening a
    /// truncated file needs it for its source and for its damage.
    package func extent(in file: OpenFile) -> JPEGExtent {
        if let known = lastExtent.withLock({ $0.file === file ? $0.extent : nil }) { return known }
        let extent = scannedExtent(in: file)
        // Reads of a cancelled task may have ended early.
        guard !Task.isCancelled else { return extent }
        lastExtent.withLock {
            $0.file = file
            $0.extent = extent
        }
        return extent
    }

    private func scannedExtent(in file: OpenFile) -> JPEGExtent {
        let window = ByteWindow(file)
        var cursor = MCUCursor(EntropyScanner(self), window)
        for _ in 0..<mcuRows {
            let (mcu, position, predictors) = (cursor.mcu, cursor.bitPosition, cursor.state.predictors)
            guard (try? cursor.advance(by: mcusPerRow)) == nil else { continue }
            let rows = cursor.mcu / mcusPerRow * mcuSize.height
            let start = MCUCursor(
                cursor.scanner, window, mcu: mcu, bitPosition: position, predictors: predictors)
            return JPEGExtent(rows: min(rows, size.height), isEnd: Self.ends(start))
        }
        return JPEGExtent(rows: size.height, isEnd: true)
    }

    /// Whether a row of MCUs that cannot be read runs into the end of the data.
    private static func ends(_ start: MCUCursor) -> Bool {
        let window = start.window
        var cursor = start
        var last = start.bitPosition
        while (try? cursor.advance(by: 1)) != nil { last = cursor.bitPosition }
        let first = Int(last / 8)
        // Half of it is stuffing, of which valid data has hardly any.
        let limit = min(window.count, first + start.scanner.maximumMCUSize / 2)
        for position in first..<max(first, limit) where window.byte(position) == 0xFF {
            guard let next = window.byte(position + 1) else { return true }
            // A restart marker would be followed by more rows.
            if next != 0, next != 0xFF { return next & 0xF8 != 0xD0 }
        }
        return limit == window.count
    }
}

/// The last file whose extent was found.
private struct LastExtent {
    weak var file: OpenFile?
    var extent: JPEGExtent?
}

private let lastExtent = Mutex(LastExtent())
