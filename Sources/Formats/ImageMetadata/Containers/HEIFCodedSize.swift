internal import Basics
internal import Containers
package import Files
package import ViewportGeometry

/// The size of a picture by its own stream, which the size that the file states may contradict.
package enum HEIFCodedSize {
    /// The most bytes of a stream and of a configuration that are looked at.
    private static let mostBytes = 1 << 12

    /// Returns the size; nil for codings other than HEVC and AV1, for layers, and where the stream does not say.
    package static func of(_ item: HEIFItem, in source: any RandomAccessBytes) -> PixelSize<StoredGrid>? {
        // Of several layers, the properties select one.
        guard !item.properties.contains(where: { ["a1op", "a1lx", "lsel"].contains($0.type) }) else {
            return nil
        }
        switch item.type {
        case "hvc1":
            let box = item.properties.first { $0.type == "hvcC" }?.box
            return sequenceOfHEVC(Array(bytes(box, source).dropFirst(8)))
        case "av01": return sequence(of: item, in: source).flatMap { $0.hasLayers ? nil : $0.size }
        default: return nil
        }
    }

    /// Returns what the stream of a coded item states; nil for codings other than AV1.
    package static func sequence(of item: HEIFItem, in source: any RandomAccessBytes) -> AV1Sequence? {
        item.type == "av01" ? AV1Sequence(of: item) { bytes($0, source) } : nil
    }

    private static func bytes(_ range: Range<Int>?, _ source: any RandomAccessBytes) -> [UInt8] {
        range.flatMap { try? source.bytes($0.prefix(mostBytes)) } ?? []
    }

    /// Returns the size that is shown by the first sequence parameter set of a configuration.
    ///
    /// Source: ISO/IEC 14496-15, section 8.3.3.1; ITU-T H.265, section 7.3.2.2.
    private static func sequenceOfHEVC(_ configuration: [UInt8]) -> PixelSize<StoredGrid>? {
        guard configuration.count > 23 else { return nil }
        var at = 23
        for _ in 0..<configuration[22] {
            guard at + 3 <= configuration.count else { return nil }
            let (type, count) = (
                configuration[at] & 63, Int(configuration[at + 1]) << 8 | Int(configuration[at + 2])
            )
            at += 3
            for _ in 0..<count {
                guard at + 2 <= configuration.count else { return nil }
                let length = Int(configuration[at]) << 8 | Int(configuration[at + 1])
                guard length > 2, at + 2 + length <= configuration.count else { return nil }
                // The unit has a header of two bytes.
                if type == 33 { return parametersOfHEVC(configuration[(at + 4)..<(at + 2 + length)]) }
                at += 2 + length
            }
        }
        return nil
    }

    private static func parametersOfHEVC(_ unit: ArraySlice<UInt8>) -> PixelSize<StoredGrid>? {
        var payload: [UInt8] = []
        var zeros = 0
        // A 3 after two zeros only keeps start codes out of the data.
        for byte in unit {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            payload.append(byte)
        }
        var bits = StreamBits(payload)
        bits.skip(4)
        let layers = bits.read(3)
        bits.skip(1 + 96)
        let flags = (0..<layers).map { _ in (bits.read(1) == 1, bits.read(1) == 1) }
        if layers > 0 { bits.skip(2 * (8 - layers)) }
        for (hasProfile, hasLevel) in flags { bits.skip((hasProfile ? 88 : 0) + (hasLevel ? 8 : 0)) }
        _ = bits.readExponential()
        let sampling = bits.readExponential()
        let isSeparate = sampling == 3 && bits.read(1) == 1
        var (width, height) = (bits.readExponential(), bits.readExponential())
        if bits.read(1) == 1 {
            let unit = isSeparate || sampling == 0 || sampling == 3 ? (1, 1) : (2, sampling == 1 ? 2 : 1)
            let cut = (0..<4).map { _ in bits.readExponential() }
            width -= unit.0 * (cut[0] + cut[1])
            height -= unit.1 * (cut[2] + cut[3])
        }
        guard !bits.isExhausted, width > 0, height > 0 else { return nil }
        return PixelSize(width: width, height: height)
    }
}
