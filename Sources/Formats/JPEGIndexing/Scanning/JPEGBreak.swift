internal import Containers
package import Files
internal import ViewportGeometry

/// What is wrong with the compressed data of a JPEG.
package enum JPEGBreak: Equatable, Sendable {
    /// These rows of pixels, as stored, are wrong or missing.
    case rows(Range<Int>)
    /// So many bytes are left behind the last row.
    case left(Int)
    /// Scans of a progressive JPEG are missing.
    case scans
    /// A part of the data is zeros, which no encoder writes there.
    case zeros

    /// Reads all compressed data of a JPEG without making pixels.
    ///
    /// Zeros, or data of another file, can be codes of pixels, too: then more or less data than the picture needs is there.
    ///
    /// - Parameter isCancelled: called after each half megabyte; once it returns true, nothing is found.
    /// - Returns: nil if all of it can be decoded, or for JPEGs that are not read, such as arithmetic-coded ones.
    package static func find(
        _ file: any RandomAccessBytes, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) -> JPEGBreak? {
        let found: JPEGBreak?
        do throws(JPEGIndexError) {
            found = try sequential(file, JPEGHeader(file), isCancelled)
        } catch .progressive {
            found = progressive(file, isCancelled)
        } catch {
            found = nil
        }
        return isCancelled() ? nil : found
    }

    private static func sequential(
        _ file: any RandomAccessBytes, _ header: JPEGHeader, _ isCancelled: @escaping @Sendable () -> Bool
    ) -> JPEGBreak? {
        do throws(JPEGIndexError) {
            let window = ByteWindow(file, isCancelled: isCancelled)
            var scan = IndexScan(
                window, EntropyScanner(header), interval: header.mcusPerRow, threads: 1)
            try scan.read(rows: header.mcuRows)
            return behind(scan.end, in: window.duplicate())
                ?? runOfZeros(in: header.dataStart..<scan.end, header, window.duplicate())
        } catch {
            return brokenRows(error, header)
        }
    }

    private static func progressive(
        _ file: any RandomAccessBytes, _ isCancelled: @escaping @Sendable () -> Bool
    ) -> JPEGBreak? {
        let header: ProgressiveHeader
        do throws(JPEGIndexError) {
            header = try ProgressiveHeader(file)
        } catch {
            return error == .incompleteScans || error == .truncated ? .scans : nil
        }
        do throws(JPEGIndexError) {
            let window = ByteWindow(file, readAhead: ProgressiveWalk.readAhead, isCancelled: isCancelled)
            let walk = ProgressiveWalk(header, window, scans: Array(header.scans.indices), threads: 1)
            let rows = header.header.mcuRows
            try walk.run(rows: 0..<rows, valuesFrom: rows) { _ in }
            for end in walk.ends {
                if let left = behind(end, in: window.duplicate()) { return left }
            }
            return nil
        } catch {
            return brokenRows(error, header.header)
        }
    }

    /// The rows from which on data could not be read; nil for other errors.
    private static func brokenRows(_ error: JPEGIndexError, _ header: JPEGHeader) -> JPEGBreak? {
        guard case .brokenStream(let row) = error else { return nil }
        let height = header.size.height
        return .rows(min(row * header.mcuSize.height, height - 1)..<height)
    }

    /// Some encoders fill up with a few bytes, or with zeros.
    private static let (mostBytes, mostZeros) = (2, 4096)

    /// Looks for data between the last row and the next marker.
    ///
    /// - Parameter end: the first whole byte behind the last code.
    private static func behind(_ end: Int, in window: ByteWindow) -> JPEGBreak? {
        var at = end
        var isFill = true
        while let byte = window.byte(at) {
            if byte == 0xFF, let next = window.byte(at + 1), next != 0, next != 0xFF,
                next & 0xF8 != 0xD0
            {
                break
            }
            isFill = isFill && (byte == 0 || byte == 0xFF || byte & 0xF8 == 0xD0)
            at += 1
        }
        return at - end <= (isFill ? mostZeros : mostBytes) ? nil : .left(at - end)
    }

    /// Looks for a run of zeros, which can be codes of a block with all coefficients.
    ///
    /// Where the code that ends a block is zeros in all components, flat areas are.
    private static func runOfZeros(
        in data: Range<Int>, _ header: JPEGHeader, _ window: ByteWindow
    ) -> JPEGBreak? {
        let isPlain = header.components.allSatisfy { header.acCodes[$0.acTable]?.values.first == 0 }
        guard !isPlain else { return nil }
        var count = 0
        for at in stride(from: data.lowerBound, to: data.upperBound - 7, by: 8) {
            if at + 8 > window.data.end { _ = window.byte(at + 7) }
            count = window.data.bigEndian64(at: at) == 0 ? count + 8 : 0
            if count >= leastZeros { return .zeros }
        }
        return nil
    }

    /// Blocks of equal coefficients, whose codes are zeros, come one or two at a time.
    private static let leastZeros = 256
}

extension JPEGBreak: CustomStringConvertible {
    /// A clause, such as "rows 1,201 to 3,000 are damaged or missing".
    package var description: String {
        switch self {
        case .rows(let rows):
            let last = FileGap.grouped(rows.upperBound)
            return rows.count == 1
                ? "row \(last) is damaged or missing"
                : "rows \(FileGap.grouped(rows.lowerBound + 1)) to \(last) are damaged or missing"
        case .left(let bytes):
            return
                "\(FileGap.grouped(bytes)) bytes are left behind its last row, so that a part of it is damaged"
        case .scans: return "some of its scans are missing"
        case .zeros: return "a part of its data is zeros"
        }
    }
}
