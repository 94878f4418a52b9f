internal import Basics
internal import Containers
package import Files
internal import ViewportGeometry

extension JPEGHeader {
    /// Reads the header of a file in memory.
    ///
    /// - Parameter file: The bytes of the JPEG, at least up to the beginning of its entropy-coded data.
    /// - Throws: `JPEGIndexError` with the reason why the file cannot be indexed, as far as its header shows it.
    public init(_ file: RawSpan) throws(JPEGIndexError) {
        self = try ByteWindow.lending(file) { window throws(JPEGIndexError) in try JPEGHeader(window) }
    }

    /// Reads the header of an open file.
    package init(_ file: any RandomAccessBytes) throws(JPEGIndexError) {
        try self.init(ByteWindow(file, readAhead: file.isRemote ? 1 << 12 : 1 << 16))
    }

    private init(_ file: ByteWindow) throws(JPEGIndexError) {
        var parser = HeaderParser()
        try parser.parse(file)
        self = try parser.header()
    }
}

/// The contents of the segments read so far.
struct HeaderParser {
    /// Whether progressive JPEGs are read as well: `parse` then reads up to the data of the next scan.
    var allowsProgressive = false
    var position = 2
    var frame: (marker: UInt8, size: PixelSize<StoredGrid>)?
    var components: [JPEGHeader.Component] = []
    var segments: [JPEGHeader.Segment] = []
    var quantization = [[UInt16]?](repeating: nil, count: 4)
    var dcCodes = [HuffmanCode?](repeating: nil, count: 4)
    var acCodes = [HuffmanCode?](repeating: nil, count: 4)
    var restartInterval = 0
    var scanOrder: [Int] = []
    /// The last three bytes of the scan's header: its coefficients and their bits.
    var scanBand: [UInt8] = []
    var hasJFIF = false
    var adobeTransform: UInt8?

    /// Reads segments until the start of the scan.
    mutating func parse(_ file: ByteWindow) throws(JPEGIndexError) {
        let start = JPEGSegment.startOfImage
        guard file.count >= 4, file.array(0..<2) == start, file.byte(2) == start[0] else { throw .notJPEG }
        var walk = JPEGSegments(file, at: position, gaps: .refused)
        while scanOrder.isEmpty {
            let segment = try next(&walk)
            position = walk.position
            // Tables may lie between the last scan and the end.
            if allowsProgressive, segment.marker == 0xD9 { return }
            guard let body = file.array(Self.needed(of: segment)) else { throw .truncated }
            segments.append(JPEGHeader.Segment(marker: segment.marker, range: segment.start..<segment.end))
            try read(segment.marker, body)
        }
    }

    /// The part of a segment that decoding depends on: of metadata, no more than what states the kinds of colors.
    private static func needed(of segment: JPEGSegment) -> Range<Int> {
        let body = segment.body
        guard segment.isMetadata else { return body }
        let length = [0xE0, 0xEE].contains(segment.marker) ? min(body.count, 14) : 0
        return body.lowerBound..<(body.lowerBound + length)
    }

    /// Returns the next segment, all of which is there; anything else between segments is an error.
    private func next(_ walk: inout JPEGSegments<ByteWindow>) throws(JPEGIndexError) -> JPEGSegment {
        do throws(FileError) {
            if let segment = try walk.next(), segment.end == segment.body.upperBound { return segment }
        } catch {
            throw .truncated
        }
        if case .noMarker? = walk.end { throw .brokenHeader("no marker after a segment") }
        throw .truncated
    }

    func header() throws(JPEGIndexError) -> JPEGHeader {
        guard let frame else { throw .brokenHeader("no frame before the scan") }
        return JPEGHeader(
            size: frame.size, components: components, segments: segments,
            restartInterval: restartInterval, frameMarker: frame.marker, quantization: quantization,
            dcCodes: dcCodes, acCodes: acCodes, scanOrder: scanOrder, dataStart: position,
            hasJFIF: hasJFIF, adobeTransform: adobeTransform)
    }

    private mutating func read(_ marker: UInt8, _ body: [UInt8]) throws(JPEGIndexError) {
        switch marker {
        case 0xC0, 0xC1: try readFrame(marker, body)
        case 0xC2 where allowsProgressive: try readFrame(marker, body)
        case 0xC2, 0xC6: throw .progressive
        // JPEG-LS, too, whose frames have a marker of their own.
        case 0xC3, 0xF7: throw .lossless
        case 0xC5, 0xC7, 0xDE, 0xDF: throw .hierarchical
        case 0xC9...0xCB, 0xCC, 0xCD...0xCF: throw .arithmeticCoding
        case 0xC4: try readCodes(body)
        case 0xDB: try readQuantization(body)
        case 0xDC: throw .heightInDNL
        case 0xDD:
            guard body.count == 2, let interval = body.uint16(at: 0) else {
                throw .brokenHeader("restart interval")
            }
            restartInterval = interval
        case 0xDA: try readScan(body)
        case 0xE0:
            // libjpeg requires the whole segment: jdmarker.c, examine_app0.
            if body.count >= 14, body.starts(with: [0x4A, 0x46, 0x49, 0x46, 0]) { hasJFIF = true }
        case 0xEE: if body.count >= 12, body.starts(with: Array("Adobe".utf8)) { adobeTransform = body[11] }
        case 0x00, 0x01, 0xD0...0xD9: throw .brokenHeader("a marker that is not allowed there")
        default: break
        }
    }

    private mutating func readFrame(_ marker: UInt8, _ body: [UInt8]) throws(JPEGIndexError) {
        guard frame == nil, body.count >= 6, body.count == 6 + 3 * Int(body[5]),
            let height = body.uint16(at: 1), let width = body.uint16(at: 3)
        else { throw .brokenHeader("frame") }
        guard body[0] == 8 else { throw .samplePrecision(Int(body[0])) }
        guard height > 0 else { throw .heightInDNL }
        guard width > 0, (1...4).contains(body[5]) else { throw .brokenHeader("frame") }
        frame = (marker, PixelSize(width: width, height: height))
        for offset in stride(from: 6, to: body.count, by: 3) {
            let component = JPEGHeader.Component(
                id: body[offset], horizontalSampling: Int(body[offset + 1] >> 4),
                verticalSampling: Int(body[offset + 1] & 15), quantization: body[offset + 2])
            guard (1...4).contains(component.horizontalSampling),
                (1...4).contains(component.verticalSampling),
                component.quantization < 4
            else { throw .brokenHeader("component") }
            guard !components.contains(where: { $0.id == component.id }) else {
                throw .brokenHeader("two components with the same identifier")
            }
            components.append(component)
        }
        try checkSampling()
    }

    /// Checks for what libjpeg can decode: factors that divide the largest one, at most ten blocks together.
    private func checkSampling() throws(JPEGIndexError) {
        guard components.count > 1 else { return }
        let across = components.reduce(1) { max($0, $1.horizontalSampling) }
        let down = components.reduce(1) { max($0, $1.verticalSampling) }
        let blocks = components.reduce(0) { $0 + $1.horizontalSampling * $1.verticalSampling }
        let divides = components.allSatisfy {
            across % $0.horizontalSampling == 0 && down % $0.verticalSampling == 0
        }
        guard divides, blocks <= 10 else { throw .unsupportedSampling }
    }

    private mutating func readCodes(_ body: [UInt8]) throws(JPEGIndexError) {
        var rest = body[...]
        while !rest.isEmpty {
            guard rest.count >= 17, let first = rest.first, first >> 4 < 2, first & 15 < 4 else {
                throw .brokenHeader("Huffman table")
            }
            let counts = rest.dropFirst().prefix(16).map { Int($0) }
            let total = counts.reduce(0, +)
            guard rest.count >= 17 + total,
                let code = HuffmanCode(counts: counts, values: Array(rest.dropFirst(17).prefix(total)))
            else { throw .brokenHeader("Huffman table") }
            rest = rest.dropFirst(17 + total)
            if first >> 4 == 0 {
                guard code.values.allSatisfy({ $0 < 16 }) else { throw .brokenHeader("Huffman table") }
                dcCodes[Int(first & 15)] = code
            } else {
                acCodes[Int(first & 15)] = code
            }
        }
    }

    /// Adds the codes that decoders know, where the file has none, as libjpeg does.
    private mutating func addStandardCodes(_ dc: Int, _ ac: Int) throws(JPEGIndexError) {
        guard dc < 2, ac < 2, dcCodes[dc] == nil || acCodes[ac] == nil else { return }
        var standard = HeaderParser()
        try standard.readCodes(Self.standardCodes)
        dcCodes[dc] = dcCodes[dc] ?? standard.dcCodes[dc]
        acCodes[ac] = acCodes[ac] ?? standard.acCodes[ac]
    }

    private mutating func readQuantization(_ body: [UInt8]) throws(JPEGIndexError) {
        var rest = body[...]
        while let first = rest.first {
            let isWide = first >> 4 != 0
            guard first >> 4 < 2, first & 15 < 4, rest.count >= (isWide ? 129 : 65) else {
                throw .brokenHeader("quantization table")
            }
            let bytes = Array(rest.dropFirst().prefix(isWide ? 128 : 64))
            var table = bytes.map { UInt16($0) }
            if isWide { table = (0..<64).map { UInt16(bytes.uint16(at: 2 * $0) ?? 0) } }
            quantization[Int(first & 15)] = table
            rest = rest.dropFirst(1 + bytes.count)
        }
    }

    private mutating func readScan(_ body: [UInt8]) throws(JPEGIndexError) {
        guard frame != nil else { throw .brokenHeader("no frame before the scan") }
        guard let count = body.first.map(Int.init), count > 0, body.count == 4 + 2 * count else {
            throw .brokenHeader("scan")
        }
        let isProgressive = frame?.marker == 0xC2
        guard count == components.count || isProgressive else { throw .severalScans }
        for index in 0..<count {
            let (id, tables) = (body[1 + 2 * index], body[2 + 2 * index])
            guard let component = components.firstIndex(where: { $0.id == id }),
                !scanOrder.contains(component)
            else { throw .brokenHeader("scan") }
            let (dc, ac) = (Int(tables >> 4), Int(tables & 15))
            if !isProgressive { try addStandardCodes(dc, ac) }
            // Scans of a progressive JPEG use only some of the codes.
            guard dc < 4, ac < 4, isProgressive || dcCodes[dc] != nil && acCodes[ac] != nil,
                quantization[Int(components[component].quantization)] != nil
            else { throw .brokenHeader("a missing table") }
            components[component].dcTable = dc
            components[component].acTable = ac
            scanOrder.append(component)
        }
        scanBand = Array(body.suffix(3))
        guard isProgressive || scanBand == [0, 63, 0] else { throw .brokenHeader("scan") }
    }
}
