internal import Basics
internal import Containers
public import ViewportGeometry

/// The header of a JPEG that can be indexed: the segments before its entropy-coded data.
///
/// Source: ITU-T T.81.
public struct JPEGHeader: Sendable {
    /// One component of the image, in the order of the frame.
    public struct Component: Hashable, Sendable {
        /// Its identifier in the file.
        public let id: UInt8
        /// Its blocks across an MCU, 1 to 4.
        public let horizontalSampling: Int
        /// Its blocks down an MCU, 1 to 4.
        public let verticalSampling: Int
        let quantization: UInt8
        var dcTable = 0
        var acTable = 0
    }

    /// A segment before the entropy-coded data.
    public struct Segment: Hashable, Sendable {
        /// The second byte of its marker: 0xE1 is APP1.
        public let marker: UInt8
        /// Its bytes in the file, with marker and length.
        public let range: Range<Int>
    }

    /// The size of the image as stored, before its EXIF orientation is applied.
    public let size: PixelSize<StoredGrid>
    /// The components in the order of the frame, 1 to 4.
    public let components: [Component]
    /// All segments before the entropy-coded data, in the order of the file.
    public let segments: [Segment]
    /// The MCUs between restart markers, 0 where there are none.
    public let restartInterval: Int
    /// 0xC0 baseline or 0xC1 extended sequential.
    let frameMarker: UInt8
    /// Quantization tables by their number, in zigzag order.
    let quantization: [[UInt16]?]
    /// Huffman codes by their number.
    var dcCodes: [HuffmanCode?]
    var acCodes: [HuffmanCode?]
    /// The components of the scan, as indices into `components`.
    let scanOrder: [Int]
    /// The position of the first byte of entropy-coded data.
    package let dataStart: Int
    let hasJFIF: Bool
    /// The transform of an Adobe segment, nil where there is none.
    let adobeTransform: UInt8?
}

/// The scales of libjpeg's scaled decoding; the raw value is the denominator.
///
/// Sides are rounded up.
public enum JPEGScale: Int, CaseIterable, Hashable, Sendable {
    /// 1:1.
    case full = 1
    /// 1:2.
    case half = 2
    /// 1:4.
    case quarter = 4
    /// 1:8.
    case eighth = 8
}

/// The pixels of a JPEG that is decoded at a `JPEGScale`.
public enum ReducedGrid: PixelGrid {}

extension JPEGHeader {
    /// Returns the size of the whole image at a scale.
    public func size(at scale: JPEGScale) -> PixelSize<ReducedGrid> {
        PixelSize(
            width: (size.width + scale.rawValue - 1) / scale.rawValue,
            height: (size.height + scale.rawValue - 1) / scale.rawValue)
    }

    /// The pixels of one MCU (minimum coded unit), the smallest part that can be cut out.
    public var mcuSize: PixelSize<StoredGrid> {
        PixelSize(width: 8 * maximumHorizontal, height: 8 * maximumVertical)
    }

    /// Returns the rows of output pixels to decode at a time: about four megabytes, in whole rows of blocks.
    ///
    /// At reduced scales the compressed data of many more pixels is decoded: at most that of two
    /// megapixels, because a band cannot be cancelled.
    package func bandHeight(width: Int, at scale: JPEGScale) -> Int {
        let block = max(1, mcuSize.height / scale.rawValue)
        let rows = 4 << 20 / max(1, width * components.count)
        guard scale != .full else { return max(rows / block, 4) * block }
        let fewer = 2 << 20 / max(1, width * scale.rawValue * scale.rawValue)
        return max(min(rows, fewer) / block, 1) * block
    }

    /// Whether the samples are CMYK, which programs store inverted.
    package var isCMYK: Bool { components.count == 4 }

    /// The MCUs of a row.
    var mcusPerRow: Int { (size.width + mcuSize.width - 1) / mcuSize.width }

    /// The rows of MCUs.
    package var mcuRows: Int { (size.height + mcuSize.height - 1) / mcuSize.height }

    var mcuCount: Int { mcusPerRow * mcuRows }

    // A single component is stored block by block, whatever its factors say (T.81, A.2.2).
    var maximumHorizontal: Int { isInterleaved ? components.reduce(1) { max($0, $1.horizontalSampling) } : 1 }
    var maximumVertical: Int { isInterleaved ? components.reduce(1) { max($0, $1.verticalSampling) } : 1 }
    var isInterleaved: Bool { components.count > 1 }

    /// The blocks of a component in one MCU, across and down.
    func blocks(of component: Int) -> (across: Int, down: Int) {
        isInterleaved
            ? (components[component].horizontalSampling, components[component].verticalSampling) : (1, 1)
    }

    /// The side of the square that libjpeg's IDCT makes of a component's block at a scale: 1, 2, 4 or 8.
    ///
    /// Subsampled components are reduced less, as far as it comes out even in both directions. Source:
    /// libjpeg-turbo, jdmaster.c, jpeg_core_output_dimensions and jpeg_calc_output_dimensions.
    func blockSide(of component: Int, at scale: JPEGScale) -> Int {
        let smallest = 8 / scale.rawValue
        let (across, down) = blocks(of: component)
        var side = smallest
        while side < 8, maximumHorizontal * smallest % (across * side * 2) == 0,
            maximumVertical * smallest % (down * side * 2) == 0
        {
            side *= 2
        }
        return side
    }

    /// Whether pixels depend on the neighboring MCUs at a scale: then a margin of one MCU is needed.
    ///
    /// That is so where libjpeg-turbo upsamples by interpolation: factors of 2 that the reduced IDCT has left.
    /// Source: libjpeg-turbo, jdsample.c, jinit_upsampler.
    package func needsMargin(at scale: JPEGScale) -> Bool {
        guard scale != .eighth else { return false }
        let smallest = 8 / scale.rawValue
        return components.indices.contains { component in
            let (across, down) = blocks(of: component)
            let side = blockSide(of: component, at: scale)
            let horizontal = across * side / smallest
            let vertical = down * side / smallest
            let half = (horizontal * 2 == maximumHorizontal, vertical * 2 == maximumVertical)
            return half.0 && (half.1 || vertical == maximumVertical)
                || half.1 && horizontal == maximumHorizontal
        }
    }
}

extension JPEGHeader {
    /// The header of a JPEG of another size with the same tables and components.
    ///
    /// `dcCodes` replace those of the file. Of the other segments those of JFIF and Adobe are kept, which decide the
    /// color space, and those for which `keeping` is true.
    func written(
        size: PixelSize<StoredGrid>, dcCodes: [HuffmanCode?], restartInterval: Int = 0, from file: ByteWindow,
        keeping: (Segment) -> Bool
    ) -> [UInt8] {
        var output = JPEGSegment.startOfImage
        for segment in segments where isNeeded(segment, file) || Self.canBeKept(segment) && keeping(segment) {
            output += file.array(segment.range) ?? []
        }
        return output + tables(dcCodes) + frame(size, restartInterval: restartInterval)
    }

    /// The segments of the quantization tables and of the codes.
    func tables(_ dcCodes: [HuffmanCode?]) -> [UInt8] {
        var output: [UInt8] = []
        for (number, table) in quantization.enumerated() {
            guard let table else { continue }
            let isWide = table.contains { $0 > 255 }
            var body = [UInt8(number) | (isWide ? 0x10 : 0)]
            for value in table {
                body += value.bytes(.big, size: isWide ? 2 : 1)
            }
            Self.append(0xDB, body, to: &output)
        }
        for (kind, codes) in [dcCodes, acCodes].enumerated() {
            for (number, code) in codes.enumerated() {
                guard let code else { continue }
                let body = [UInt8(kind << 4 | number)] + code.counts.map { UInt8($0) } + code.values
                Self.append(0xC4, body, to: &output)
            }
        }
        return output
    }

    /// The segments of the frame and of its scan, and of the interval between restart markers if there are any.
    func frame(_ size: PixelSize<StoredGrid>, restartInterval: Int = 0) -> [UInt8] {
        var output: [UInt8] = []
        Self.append(frameMarker, frameBody(size), to: &output)
        if restartInterval > 0 { Self.append(0xDD, UInt16(restartInterval).bytes(.big), to: &output) }
        let selectors = scanOrder.flatMap { index -> [UInt8] in
            [components[index].id, UInt8(components[index].dcTable << 4 | components[index].acTable)]
        }
        Self.append(0xDA, [UInt8(scanOrder.count)] + selectors + [0, 63, 0], to: &output)
        return output
    }

    private func frameBody(_ size: PixelSize<StoredGrid>) -> [UInt8] {
        var body: [UInt8] =
            [8] + UInt16(size.height).bytes(.big) + UInt16(size.width).bytes(.big) + [UInt8(components.count)]
        for (index, component) in components.enumerated() {
            let (across, down) = blocks(of: index)
            body += [component.id, UInt8(across << 4 | down), component.quantization]
        }
        return body
    }

    /// Whether the segment decides the color space.
    private func isNeeded(_ segment: Segment, _ file: ByteWindow) -> Bool {
        let name: [UInt8]
        switch segment.marker {
        case 0xE0: name = Array("JFIF\0".utf8)
        case 0xEE: name = Array("Adobe".utf8)
        default: return false
        }
        let body = (segment.range.lowerBound + 4)..<segment.range.upperBound
        return body.count >= name.count
            && file.array(body.lowerBound..<(body.lowerBound + name.count)) == name
    }

    /// Whether the segment is metadata: application data or a comment.
    private static func canBeKept(_ segment: Segment) -> Bool {
        (0xE0...0xEF).contains(segment.marker) || segment.marker == 0xFE
    }

    private static func append(_ marker: UInt8, _ body: [UInt8], to output: inout [UInt8]) {
        output += JPEGSegment.bytes(marker, body)
    }
}

#if !hasFeature(Embedded)
extension JPEGScale: Codable {}

extension JPEGHeader: CustomStringConvertible {
    /// The size and the number of components: "4032x3024, 3 components".
    public var description: String {
        "\(size), \(components.count) component\(components.count == 1 ? "" : "s")"
    }
}
#endif
