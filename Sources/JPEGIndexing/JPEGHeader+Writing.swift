internal import ViewportGeometry

extension JPEGHeader {
    /// The segments of a JPEG of `size` with the same tables and components, up to its compressed data.
    ///
    /// `dcCodes` take the place of the file's. Of the other segments those of JFIF and Adobe are kept, for they
    /// decide what the components are, and those that `keeping` names.
    func written(
        size: PixelSize<StoredGrid>, dcCodes: [HuffmanCode?], from file: ByteWindow,
        keeping: (Segment) -> Bool
    ) -> [UInt8] {
        var output: [UInt8] = [0xFF, 0xD8]
        for segment in segments where isNeeded(segment, file) || Self.canBeKept(segment) && keeping(segment) {
            output += file.array(segment.range) ?? []
        }
        for (number, table) in quantization.enumerated() {
            guard let table else { continue }
            let isWide = table.contains { $0 > 255 }
            var body = [UInt8(number) | (isWide ? 0x10 : 0)]
            for value in table {
                if isWide { body.append(UInt8(value >> 8)) }
                body.append(UInt8(value & 255))
            }
            Self.append(0xDB, body, to: &output)
        }
        Self.append(frameMarker, frame(size), to: &output)
        for (kind, codes) in [dcCodes, acCodes].enumerated() {
            for (number, code) in codes.enumerated() {
                guard let code else { continue }
                let body = [UInt8(kind << 4 | number)] + code.counts.map { UInt8($0) } + code.values
                Self.append(0xC4, body, to: &output)
            }
        }
        let selectors = scanOrder.flatMap { index -> [UInt8] in
            [components[index].id, UInt8(components[index].dcTable << 4 | components[index].acTable)]
        }
        Self.append(0xDA, [UInt8(scanOrder.count)] + selectors + [0, 63, 0], to: &output)
        return output
    }

    private func frame(_ size: PixelSize<StoredGrid>) -> [UInt8] {
        var body: [UInt8] = [
            8, UInt8(size.height >> 8), UInt8(size.height & 255), UInt8(size.width >> 8),
            UInt8(size.width & 255), UInt8(components.count),
        ]
        for (index, component) in components.enumerated() {
            let (across, down) = blocks(of: index)
            body += [component.id, UInt8(across << 4 | down), component.quantization]
        }
        return body
    }

    /// Whether the segment decides what the components are.
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
        let length = body.count + 2
        output += [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + body
    }
}
