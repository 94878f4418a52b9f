internal import Basics
package import Files

/// The saved form, version 1.
///
/// All numbers are little-endian:
///
///     0   "JPSX", version (1 byte), scans (1 byte), 2 bytes zero
///     8   interval, MCUs in a row, rows of MCUs, bytes of checkpoints (4 bytes each)
///     24  fingerprint of the file: size, modified, head, tail (8 bytes each)
///     56  checkpoints, scan by scan: Rice codes of the differences to predictions from neighbors
///     end FNV-1a hash of everything before (8 bytes)
private enum SavedForm {
    static let magic: [UInt8] = Array("JPSX".utf8)
    static let version: UInt8 = 1
    static let headerSize = 56
    /// The kinds of numbers of a scan: positions, runs, and a DC value for each of four components.
    static let kinds = 6
}

extension ProgressiveIndex {
    /// The largest size of a saved index, as a share of its file: that of baseline JPEGs, 0.25 %.
    package static var maximumSavedShare: Double { JPEGIndex.maximumSavedShare }

    /// Returns the index as bytes, to load with `init(saved:for:header:)`.
    ///
    /// Where they would be more than `maximumSavedShare` of the file, only every second, third, … checkpoint of each row
    /// of each scan is kept: as many as fit, and at least the first.
    package func saved(for identity: FileFingerprint, header: ProgressiveHeader) -> [UInt8] {
        let limit = Self.maximumSavedShare * Double(identity.size)
        var bytes = encoded(identity, header)
        var step = 1
        while Double(bytes.count) > limit, step < columns {
            // Distances between fewer checkpoints are larger numbers: more of them have to go than the sizes say.
            step = min(columns, max(step + 1, Int(Double(step * bytes.count) / limit)))
            bytes = keeping(every: step).encoded(identity, header)
        }
        return bytes
    }

    /// Loads an index from the bytes that `saved(for:header:)` returned.
    ///
    /// - Throws: `JPEGIndexError.staleIndex` where it belongs to another file or another state of the file, or is
    ///   damaged.
    package init(
        saved bytes: [UInt8], for identity: FileFingerprint, header: ProgressiveHeader
    ) throws(JPEGIndexError) {
        let end = bytes.count - 8
        guard end >= SavedForm.headerSize, bytes.starts(with: SavedForm.magic),
            bytes[4] == SavedForm.version, Int(bytes[5]) == header.scans.count,
            bytes.bits(8, at: end, .little) == FNV1a.hash(bytes[..<end])
        else { throw .staleIndex }
        let numbers = (0..<4).compactMap { bytes.uint32(at: 8 + 4 * $0, .little) }
        let (interval, mcusPerRow, rows, length) = (numbers[0], numbers[1], numbers[2], numbers[3])
        guard end == SavedForm.headerSize + length, FileFingerprint(saved: bytes, at: 24) == identity,
            interval > 0, mcusPerRow == header.header.mcusPerRow, rows == header.header.mcuRows
        else { throw .staleIndex }
        let columns = Self.columns(header, interval)
        var rice = RiceReader(
            bytes[SavedForm.headerSize..<(SavedForm.headerSize + length)],
            kinds: SavedForm.kinds * header.scans.count)
        var scans: [ScanCheckpoints] = []
        for (number, scan) in header.scans.enumerated() {
            let shape = CheckpointShape(scan, header.header, columns: columns, interval: interval)
            scans.append(try ScanCheckpoints(from: &rice, number, scan, shape))
        }
        self.init(interval: interval, columns: columns, scans: scans)
    }

    private func encoded(_ identity: FileFingerprint, _ header: ProgressiveHeader) -> [UInt8] {
        var rice = RiceWriter(kinds: SavedForm.kinds * scans.count)
        for (number, scan) in header.scans.enumerated() {
            let shape = CheckpointShape(scan, header.header, columns: columns, interval: interval)
            scans[number].encode(to: &rice, number, scan, shape)
        }
        let payload = rice.finish()
        var writer = ByteWriter(
            .little, SavedForm.magic + [SavedForm.version, UInt8(header.scans.count), 0, 0])
        for value in [interval, header.header.mcusPerRow, header.header.mcuRows, payload.count] {
            writer.append(value, size: 4)
        }
        identity.append(to: &writer)
        writer.append(contentsOf: payload)
        writer.append(FNV1a.hash(writer.bytes))
        return writer.bytes
    }
}

/// How the checkpoints of a scan follow each other.
private struct CheckpointShape {
    /// The checkpoints of a row.
    let columns: Int
    let count: Int
    /// The blocks from one checkpoint to the next, and from the last of a row.
    private let step: Int
    private let lastStep: Int

    init(_ scan: ProgressiveScan, _ header: JPEGHeader, columns: Int, interval: Int) {
        self.columns = columns
        let size = header.componentBlocks(scan.components[0])
        count = columns * (scan.isInterleaved ? header.mcuRows : size.height)
        step = interval * (scan.isInterleaved ? 1 : header.blocks(of: scan.components[0]).across)
        lastStep = (scan.isInterleaved ? header.mcusPerRow : size.width) - (columns - 1) * step
    }

    /// The run of ended blocks at a checkpoint after one with another, unless a new one began.
    func predictedRun(_ number: Int, after run: Int) -> Int {
        number == 0 ? 0 : max(0, run - (number % columns == 0 ? lastStep : step))
    }

    /// The distance of a checkpoint from the previous one, predicted from the left and from above.
    func predictedDistance(_ number: Int, _ distances: [Int64]) -> Int64 {
        if number < columns { return number > 1 ? distances[number - 1] : 0 }
        let above = distances[number - columns]
        // The first distance of a row is that of the last, shorter run of the row above.
        if number == columns { return 0 }
        return number % columns < 2 ? above : (above + distances[number - 1]) / 2
    }
}

extension ScanCheckpoints {
    fileprivate func encode(
        to rice: inout RiceWriter, _ number: Int, _ scan: ProgressiveScan, _ shape: CheckpointShape
    ) {
        let kind = SavedForm.kinds * number
        var previous = Int64(scan.data.lowerBound) << 3
        var distances: [Int64] = []
        for checkpoint in bitPositions.indices {
            let distance = Int64(bitPositions[checkpoint]) - previous
            previous += distance
            rice.append(distance - shape.predictedDistance(checkpoint, distances), kind: kind)
            distances.append(distance)
            if !runs.isEmpty {
                let last = checkpoint > 0 ? Int(runs[checkpoint - 1]) : 0
                rice.append(
                    Int64(Int(runs[checkpoint]) - shape.predictedRun(checkpoint, after: last)),
                    kind: kind + 1)
            }
            guard !predictors.isEmpty else { continue }
            let above = checkpoint >= shape.columns ? predictors[checkpoint - shape.columns] : .zero
            for component in scan.components {
                rice.append(
                    Int64(predictors[checkpoint][component]) - Int64(above[component]),
                    kind: kind + 2 + component)
            }
        }
    }

    fileprivate init(
        from rice: inout RiceReader, _ number: Int, _ scan: ProgressiveScan, _ shape: CheckpointShape
    ) throws(JPEGIndexError) {
        self.init(scan)
        let kind = SavedForm.kinds * number
        // Positions in bits are longer than the integers of some processors.
        var previous = Int64(scan.data.lowerBound) << 3
        var distances: [Int64] = []
        var run = 0
        for checkpoint in 0..<shape.count {
            guard let difference = rice.next(kind: kind) else { throw .staleIndex }
            let (distance, isTooFar) = shape.predictedDistance(checkpoint, distances)
                .addingReportingOverflow(difference)
            guard !isTooFar, distance >= 0, distance <= Int64(scan.data.upperBound) << 3 - previous else {
                throw .staleIndex
            }
            previous += distance
            distances.append(distance)
            if scan.band.lowerBound > 0 {
                guard let difference = rice.next(kind: kind + 1),
                    let next = UInt16(
                        exactly: Int64(shape.predictedRun(checkpoint, after: run))
                            .addingReportingOverflow(difference).partialValue)
                else { throw .staleIndex }
                run = Int(next)
            }
            var values = SIMD4<Int16>.zero
            if scan.kind == .dc {
                if checkpoint >= shape.columns { values = predictors[checkpoint - shape.columns] }
                for component in scan.components {
                    guard let difference = rice.next(kind: kind + 2 + component),
                        let value = Int16(
                            exactly: Int64(values[component]).addingReportingOverflow(difference).partialValue
                        )
                    else { throw .staleIndex }
                    values[component] = value
                }
            }
            append(UInt64(previous), run: run, values)
        }
    }
}
