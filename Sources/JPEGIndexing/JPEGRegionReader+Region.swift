package import Files
public import ViewportGeometry

extension JPEGRegionReader {
    /// The region `rect` of the image decoded at `scale`, as a JPEG to decode.
    ///
    /// Decoded at that scale by libjpeg-turbo and cropped, it has exactly the pixels that the whole file
    /// decoded at that scale has there. `rect` is cut to the image; `file` are the bytes the index is of.
    public func region(
        _ rect: PixelRect<ReducedGrid>, at scale: JPEGScale, of file: RawSpan
    ) throws(JPEGIndexError) -> JPEGRegion {
        try UnsafeByteView.of(file) { data throws(JPEGIndexError) in
            try region(rect, at: scale, of: ByteWindow(data))
        }
    }

    /// The same of an open file, of which only what the region needs is read.
    ///
    /// - Parameter isCancelled: asked for each row of MCUs; once it says true, the call throws as if the data ended.
    package func region(
        _ rect: PixelRect<ReducedGrid>, at scale: JPEGScale, of file: OpenFile,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(JPEGIndexError) -> JPEGRegion {
        try region(rect, at: scale, of: ByteWindow(file, ahead: Self.ahead, isCancelled: isCancelled))
    }

    /// Rows of MCUs lie far apart: little more is read than they are.
    private static var ahead: Int { 1 << 14 }

    private func region(
        _ rect: PixelRect<ReducedGrid>, at scale: JPEGScale, of file: ByteWindow
    ) throws(JPEGIndexError) -> JPEGRegion {
        guard let wanted = PixelRect(header.size(at: scale)).intersection(rect) else { throw .outside }
        let step = reducedMCU(scale)
        let range = mcus(covering: wanted, at: scale)
        let origin = (x: range.columns.lowerBound * step.width, y: range.rows.lowerBound * step.height)
        let size = storedRect(range).size
        let jpeg = try copy(range, of: file) { _ in false }
        return JPEGRegion(
            jpeg: jpeg, scale: scale,
            decodedSize: PixelSize(
                width: (size.width + scale.rawValue - 1) / scale.rawValue,
                height: (size.height + scale.rawValue - 1) / scale.rawValue),
            crop: PixelRect(
                x: wanted.x - origin.x, y: wanted.y - origin.y, width: wanted.width, height: wanted.height))
    }

    /// The rows of MCUs from the top that an index needs for `region`: for files that are looked at once.
    public static func rowsNeeded(
        for rect: PixelRect<ReducedGrid>, at scale: JPEGScale, header: JPEGHeader
    ) -> Int {
        let step = header.mcuSize.height / scale.rawValue
        let margin = header.needsMargin(at: scale) ? 1 : 0
        return max(0, min(header.mcuRows, (rect.maxY + step - 1) / step + margin))
    }

    /// The part of the file that holds `rect` as a file of its own: bits are copied, nothing is decoded.
    ///
    /// `rect` is widened to whole MCUs. Metadata segments that `keeping` names come along; those of JFIF and
    /// Adobe always do.
    public func losslessCrop(
        _ rect: PixelRect<StoredGrid>, of file: RawSpan,
        keeping: (JPEGHeader.Segment) -> Bool = { _ in true }
    ) throws(JPEGIndexError) -> JPEGCrop {
        try UnsafeByteView.of(file) { data throws(JPEGIndexError) in
            try losslessCrop(rect, of: ByteWindow(data), keeping)
        }
    }

    /// The same of an open file, of which only what the part needs is read.
    package func losslessCrop(
        _ rect: PixelRect<StoredGrid>, of file: OpenFile,
        keeping: (JPEGHeader.Segment) -> Bool = { _ in true }
    ) throws(JPEGIndexError) -> JPEGCrop {
        try losslessCrop(rect, of: ByteWindow(file, ahead: Self.ahead), keeping)
    }

    private func losslessCrop(
        _ rect: PixelRect<StoredGrid>, of file: ByteWindow, _ keeping: (JPEGHeader.Segment) -> Bool
    ) throws(JPEGIndexError) -> JPEGCrop {
        guard let wanted = PixelRect(header.size).intersection(rect) else { throw .outside }
        let mcu = header.mcuSize
        let range = MCURange(
            columns: (wanted.x / mcu.width)..<((wanted.maxX + mcu.width - 1) / mcu.width),
            rows: (wanted.y / mcu.height)..<((wanted.maxY + mcu.height - 1) / mcu.height))
        return JPEGCrop(jpeg: try copy(range, of: file, keeping: keeping), rect: storedRect(range))
    }

    /// The pixels of one MCU at a scale.
    private func reducedMCU(_ scale: JPEGScale) -> PixelSize<ReducedGrid> {
        PixelSize(
            width: header.mcuSize.width / scale.rawValue, height: header.mcuSize.height / scale.rawValue)
    }

    /// The MCUs that a region needs, with those that its edge pixels are interpolated from.
    private func mcus(covering rect: PixelRect<ReducedGrid>, at scale: JPEGScale) -> MCURange {
        let step = reducedMCU(scale)
        let margin = header.needsMargin(at: scale) ? 1 : 0
        let columns = (rect.x / step.width - margin)..<((rect.maxX - 1) / step.width + 1 + margin)
        let rows = (rect.y / step.height - margin)..<((rect.maxY - 1) / step.height + 1 + margin)
        return MCURange(
            columns: columns.clamped(to: 0..<header.mcusPerRow), rows: rows.clamped(to: 0..<header.mcuRows))
    }

    /// The pixels of some MCUs; at the right and bottom edge only those of the image.
    private func storedRect(_ range: MCURange) -> PixelRect<StoredGrid> {
        let (x, y) = (
            range.columns.lowerBound * header.mcuSize.width, range.rows.lowerBound * header.mcuSize.height
        )
        return PixelRect(
            x: x, y: y, width: min(range.columns.upperBound * header.mcuSize.width, header.size.width) - x,
            height: min(range.rows.upperBound * header.mcuSize.height, header.size.height) - y)
    }

    /// A JPEG of just these MCUs, without restart markers: they would turn libjpeg-turbo's fast decoder off.
    private func copy(
        _ range: MCURange, of file: ByteWindow, keeping: (JPEGHeader.Segment) -> Bool
    ) throws(JPEGIndexError) -> [UInt8] {
        guard range.rows.upperBound <= index.rows else { throw .outside }
        guard header.dataStart <= file.count else { throw .staleIndex }
        var copier = RunCopier(scanner, file)
        for row in range.rows {
            try prepare(file, row: row, columns: range.columns)
            var start = try cursor(file, row: row, column: range.columns.lowerBound)
            if header.restartInterval > 0 {
                try copier.append(range.columns.count, from: &start)
                continue
            }
            let end = try cursor(file, row: row, column: range.columns.upperBound, from: start)
            try copier.append(from: start, to: end)
        }
        var output = header.written(
            size: storedRect(range).size, dcCodes: copier.dcCodes, from: file, keeping: keeping)
        copier.finish(to: &output)
        output += [0xFF, 0xD9]
        return output
    }

    /// Has the bytes of some MCUs of a row read at once, as far as the index tells where they are.
    private func prepare(_ file: ByteWindow, row: Int, columns: Range<Int>) throws(JPEGIndexError) {
        let first = try index.place(row: row, column: columns.lowerBound)
        let last = try index.place(row: row, column: columns.upperBound)
        let start = Int(truncatingIfNeeded: index.places[first] >> 3)
        // The copier goes back to the first of them when it knows where the last ends.
        file.kept = start
        if last + 1 < index.places.count {
            let end = Int(truncatingIfNeeded: index.places[last + 1] >> 3) + 16
            // An index may lie.
            if start <= end, end - start < 1 << 26 { return file.cover(start..<end) }
        }
        file.come(to: start)
    }
}
