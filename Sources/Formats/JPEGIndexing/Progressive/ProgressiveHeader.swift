package import Files

/// The headers of a progressive JPEG that can be indexed: those of the file and those of all its scans.
///
/// Source: ITU-T T.81, annex G.
package struct ProgressiveHeader: Sendable {
    /// The header of the sequential JPEGs that regions are written as: same size, components and tables, own codes.
    package let header: JPEGHeader
    /// The scans in the order of the file.
    let scans: [ProgressiveScan]

    /// The most scans of a file, as in libvips.
    private static let maximumScans = 100

    /// The entropy-coded data of the scans.
    package var scanData: [Range<Int>] { scans.map { $0.data } }

    /// Reads the headers of an open file, whose data is searched for markers.
    ///
    /// - Parameter knownEnd: Returns the end of the scan whose data begins at a position, of files without their data; nil to
    ///   search for it.
    /// - Parameter scale: The scale that the scans are needed for: those behind the last one that it needs are left out.
    /// - Throws: `JPEGIndexError`; `.incompleteScans` where libjpeg would smooth the blocks of a coarse picture.
    package init(
        _ file: any RandomAccessBytes, at scale: JPEGScale = .full, knownEnd: (Int) -> Int? = { _ in nil }
    ) throws(JPEGIndexError) {
        let isPart = file.isRemote && scale != .full
        let file = isPart ? ByteWindow(file, readAhead: 1 << 14) : ByteWindow(file)
        let step = isPart ? max(1 << 16, file.count / 12) : nil
        var parser = HeaderParser(allowsProgressive: true)
        try parser.parse(file)
        guard let frame = parser.frame, frame.marker == 0xC2, !parser.scanOrder.isEmpty else {
            throw .brokenHeader("not progressive")
        }
        let sequential = try parser.header().sequential
        header = sequential
        let quantization = parser.quantization
        var scans: [ProgressiveScan] = []
        var accuracy = CoefficientAccuracy(components: parser.components.count)
        // Only the data tells where scans end.
        if knownEnd(parser.position) == nil {
            // The last scan of brightness, which small forms do not need, often has half of the bytes.
            if isPart {
                file.announce(file.count / 100 * 45, from: parser.position)
            } else {
                file.willRead(parser.position..<file.count)
            }
        }
        while true {
            let scan = try ProgressiveScan(
                parser,
                end: knownEnd(parser.position) ?? file.nextMarker(from: parser.position, announcing: step)
                    ?? file.count
            )
            try accuracy.add(scan)
            scans.append(scan)
            parser.position = scan.data.upperBound
            // Behind the last scan of the file, its end is checked.
            if scale != .full, accuracy.isComplete(for: scale, sequential) { break }
            guard file.byte(parser.position + 1).map({ $0 != 0xD9 }) ?? false else { break }
            guard scans.count < Self.maximumScans else { throw .brokenHeader("too many scans") }
            parser.scanOrder = []
            try parser.parse(file)
            guard !parser.scanOrder.isEmpty else { break }
            // A later table would count for some components only.
            guard parser.quantization == quantization else { throw .brokenHeader("quantization table") }
        }
        guard accuracy.isComplete(for: scale, sequential) else { throw .incompleteScans }
        self.scans = scans
    }
}

/// One scan of a progressive JPEG.
struct ProgressiveScan: Sendable {
    /// What a scan holds of its coefficients.
    enum Kind {
        /// The DC values without their lowest bits.
        case dc
        /// The next bit of the DC values.
        case dcRefinement
        /// AC coefficients without their lowest bits.
        case ac
        /// The next bit of AC coefficients.
        case acRefinement
    }

    /// Indices into the frame's components.
    let components: [Int]
    /// Coefficients in zigzag order.
    let band: ClosedRange<Int>
    /// The lowest bits that earlier scans left out; 0 in the first scan of the coefficients.
    let high: Int
    /// The lowest bits that this scan leaves out.
    let low: Int
    /// The Huffman code of each component of the scan, without codes for DC refinements.
    let codes: [HuffmanCode]
    /// The tables of the codes.
    let tables = ScanTables()
    /// The MCUs of the scan between restart markers, 0 where there are none.
    let restartInterval: Int
    /// Its entropy-coded data.
    let data: Range<Int>

    init(_ parser: HeaderParser, end: Int) throws(JPEGIndexError) {
        let (start, last) = (Int(parser.scanBand[0]), Int(parser.scanBand[1]))
        (high, low) = (Int(parser.scanBand[2] >> 4), Int(parser.scanBand[2] & 15))
        components = parser.scanOrder
        guard start <= last, last < 64, start == 0 ? last == 0 : components.count == 1, low <= 13,
            high == 0 || low == high - 1
        else { throw .brokenHeader("scan") }
        band = start...last
        restartInterval = parser.restartInterval
        data = parser.position..<max(parser.position, end)
        let codes = components.map { index in
            start == 0
                ? parser.dcCodes[parser.components[index].dcTable]
                : parser.acCodes[parser.components[index].acTable]
        }
        self.codes = start == 0 && high > 0 ? [] : codes.compactMap { $0 }
        guard self.codes.count == components.count || start == 0 && high > 0 else {
            throw .brokenHeader("a missing table")
        }
    }

    var kind: Kind {
        switch (band.lowerBound, high) {
        case (0, 0): .dc
        case (0, _): .dcRefinement
        case (_, 0): .ac
        default: .acRefinement
        }
    }

    /// Whether MCUs have blocks of several components.
    var isInterleaved: Bool { components.count > 1 }
}

/// The bits of each coefficient that the scans so far have left out.
private struct CoefficientAccuracy {
    /// By component and coefficient; nil where there was no scan of it.
    private var missing: [[Int?]]

    init(components: Int) {
        missing = Array(repeating: Array(repeating: nil, count: 64), count: components)
    }

    /// Counts a scan; one that does not continue the ones before is an error.
    mutating func add(_ scan: ProgressiveScan) throws(JPEGIndexError) {
        for component in scan.components {
            // DC values come first, and each refinement continues with the next bit.
            guard scan.band.lowerBound == 0 || missing[component][0] != nil else {
                throw .brokenHeader("scan")
            }
            for coefficient in scan.band {
                guard missing[component][coefficient] == (scan.high == 0 ? nil : scan.high) else {
                    throw .brokenHeader("scan")
                }
                missing[component][coefficient] = scan.low
            }
        }
    }

    /// Whether all bits were sent that a scale needs: where a block becomes one sample, the DC values.
    func isComplete(for scale: JPEGScale, _ header: JPEGHeader) -> Bool {
        missing.indices.allSatisfy { component in
            let isOne = scale != .full && header.blockSide(of: component, at: scale) == 1
            return missing[component].prefix(isOne ? 1 : 64).allSatisfy { $0 == 0 }
        }
    }
}

extension JPEGHeader {
    /// The same header for sequential data in the codes of `SequentialCode`.
    var sequential: JPEGHeader {
        var components = components
        for index in components.indices { (components[index].dcTable, components[index].acTable) = (0, 0) }
        let none = [HuffmanCode?](repeating: nil, count: 3)
        return JPEGHeader(
            size: size, components: components, segments: segments, restartInterval: 0, frameMarker: 0xC1,
            quantization: quantization, dcCodes: [SequentialCode.dc] + none,
            acCodes: [SequentialCode.ac] + none, scanOrder: Array(components.indices), dataStart: dataStart,
            hasJFIF: hasJFIF, adobeTransform: adobeTransform)
    }
}

extension ByteWindow {
    /// The position of the next marker in entropy-coded data, restart markers left out; nil where there is none.
    ///
    /// - Parameter step: The bytes that are announced when those before are read; nil where all are.
    fileprivate func nextMarker(from start: Int, announcing step: Int?) -> Int? {
        var position = start
        while position < count {
            if let step, position + readAhead > announcedEnd {
                announce(step, from: max(position, announcedEnd))
            }
            guard let first = byte(position) else { return nil }
            if first != 0xFF {
                // As far as it is loaded, eight bytes at a time.
                position += 1
                while let word = data.bigEndian64(at: position), BitWriter.hasNoByteOfOnes(word) {
                    position += 8
                }
                continue
            }
            guard let second = byte(position + 1) else { return nil }
            switch second {
            case 0x00, 0x01, 0xD0...0xD7: position += 2
            case 0xFF: position += 1
            default: return position
            }
        }
        return nil
    }
}
