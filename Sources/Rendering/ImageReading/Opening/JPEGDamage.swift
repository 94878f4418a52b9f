internal import Containers
internal import Files
internal import JPEGCoding
internal import JPEGIndexing
internal import Resampling
internal import ViewportGeometry

/// Finds what is missing of a JPEG without an end marker.
enum JPEGDamage {
    /// Returns nil where the end marker exists.
    static func find(_ file: OpenFile) -> FileDamage? {
        let bytes = FileBytes(file)
        guard !JPEGEnding.isWhole(bytes) else { return nil }
        if let header = try? JPEGHeader(file) {
            let (rows, height) = (header.extent(in: file).rows, header.size.height)
            return rows == height ? .jpegEnd : .details(FileGap.missingRows(rows..<height))
        }
        guard let passes = JPEGPasses(bytes), passes.count > 0 else {
            return FileDamage(text: "the file ends in its headers")
        }
        return passes.damage(file)
    }
}

extension FileDamage {
    /// Damage of a picture of which the rest can be shown.
    fileprivate static func details(_ text: String) -> FileDamage {
        FileDamage(text: text, isShowable: true)
    }
}

/// The scans of a JPEG, according to their headers.
///
/// Source: ITU T.81, B.2.3 and G.1.1.
private struct JPEGPasses {
    /// One scan: for which components, by their identifiers, it sends which coefficients without how many bits.
    private struct Pass {
        var components: [UInt8]
        var band: ClosedRange<Int>
        var low: Int
    }

    var count: Int { passes.count }
    private var passes: [Pass] = []
    private let width: Int
    private let height: Int
    /// The identifiers of the components.
    private let components: [UInt8]

    /// Returns nil where there is no frame header.
    init?(_ bytes: FileBytes) {
        var frame: [UInt8]?
        var isProgressive = false
        var segments = JPEGSegments(bytes)
        // What cannot be read is missing: the check of the file reports it.
        while let segment = (try? segments.next()) ?? nil, segment.end <= bytes.count {
            let body = bytes.extracting(segment.body).array
            if segment.isFrame, body.count >= 6 {
                frame = body
                isProgressive = [0xC2, 0xCA].contains(segment.marker)
            }
            guard segment.marker == 0xDA else { continue }
            if let parts = body.first.map(Int.init), body.count >= 4 + 2 * parts {
                let band = body.suffix(3).map { Int($0) }
                passes.append(
                    Pass(
                        components: (0..<parts).map { body[1 + 2 * $0] },
                        band: min(band[0], band[1], 63)...min(max(band[0], band[1]), 63),
                        low: isProgressive ? band[2] & 15 : 0))
            }
            guard (try? segments.passData()) != nil else { break }
        }
        guard let frame else { return nil }
        height = Int(frame[1]) << 8 | Int(frame[2])
        width = Int(frame[3]) << 8 | Int(frame[4])
        components = stride(from: 6, to: min(frame.count, 6 + 3 * Int(frame[5])), by: 3).map { frame[$0] }
    }

    /// Describes what the first passes do not send; nil where they send all.
    private func missing(after count: Int) -> String? {
        let texts = components.enumerated().compactMap { number, id -> String? in
            var bits = [Int?](repeating: nil, count: 64)
            for pass in passes.prefix(count) where pass.components.contains(id) {
                for coefficient in pass.band { bits[coefficient] = pass.low }
            }
            let absent = bits.indices.filter { bits[$0] == nil }
            let coarse = bits.indices.filter { bits[$0].map { $0 > 0 } ?? false }
            let parts = [
                Self.ranges(absent).map { "coefficients \($0)" },
                Self.ranges(coarse).map { "the last bits of coefficients \($0)" },
            ]
            let text = parts.compactMap { $0 }.joined(separator: " and ")
            return text.isEmpty ? nil : "\(text) of component \(number + 1)"
        }
        return texts.isEmpty ? nil : "details are missing (\(texts.joined(separator: "; ")))"
    }

    /// "1 to 5, 9"; nil for no numbers.
    private static func ranges(_ numbers: [Int]) -> String? {
        var ranges: [ClosedRange<Int>] = []
        for number in numbers {
            if let last = ranges.last, last.upperBound == number - 1 {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        let texts = ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)" }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// Returns what is missing of the file, which is decoded as if it had an end marker.
    func damage(_ file: OpenFile) -> FileDamage {
        let early = FileDamage.details(
            count == 1
                ? "its data ends early"
                : "it ends in scan \(count): " + (missing(after: count - 1) ?? "details are missing"))
        // Decoding takes memory for all samples: files that are too large are only reported as ending early.
        let bands = components.count
        guard bands == 1 || bands == 3, width * height * bands <= OpenOptions.defaultWholeMemory / 4,
            file.count <= Self.longest,
            let ended = (try? file.contents()).map(JPEGEnding.ended)
        else { return early }
        // TurboJPEG cannot select a scale for so few pixels.
        let denominator = min(width, height) < 64 ? 1 : 8
        if (try? JPEGDecoder().decode(ended, denominator: denominator, bands: bands)) != nil {
            return missing(after: count).map { .details("it ends after scan \(count): \($0)") } ?? .jpegEnd
        }
        guard count == 1 else { return early }
        let decoded = try? JPEGDecoder().decode(
            ended, denominator: denominator, bands: bands, isStrict: false)
        guard let decoded else { return early }
        let first = decoded.rowsAboveGray * denominator
        return first < height ? .details(FileGap.missingRows(first..<height)) : early
    }

    /// The most bytes of a file that is decoded to find damage.
    private static let longest = 1 << 29
}

extension DecodedJPEG {
    /// The number of rows above the uniform gray that a decoder writes where data is missing.
    fileprivate var rowsAboveGray: Int {
        (0..<height).reversed().first { y in
            var samples = RowCollector(byteCount: width * bands)
            withRow(y, columns: 0..<width) { samples.push($0) }
            return samples.pixels.contains { $0 != 128 }
        }.map { $0 + 1 } ?? 0
    }
}

/// Checks whether a JPEG has its end-of-image marker.
///
/// A decoder that stops at the last row it needs never notices a missing end, and one that reaches it writes gray, so
/// the marker is searched first. Source: ITU T.81, annex B.
enum JPEGEnding {
    /// Whether an end marker follows the start of the first scan.
    ///
    /// FF D9 cannot occur within entropy-coded data, so it ends a picture. Returns true for files that are not JPEGs,
    /// which have their own checks.
    static func isWhole(_ bytes: FileBytes) -> Bool {
        guard bytes.count >= 4, FileType(bytes) == .jpeg else { return true }
        guard let start = startOfScan(bytes) else { return false }
        // Cameras append maps, previews and films; the last marker is most often near the end.
        return JPEGSegment.lastEnd(in: bytes, from: start) != nil
    }

    /// Appends an end marker.
    static func ended(_ bytes: [UInt8]) -> [UInt8] { bytes + JPEGSegment.endOfImage }

    /// Returns the offset of the first scan's entropy-coded data; nil where the headers end before it.
    private static func startOfScan(_ bytes: FileBytes) -> Int? {
        var segments = JPEGSegments(bytes)
        // What cannot be read is missing: the check of the file reports it.
        while let segment = (try? segments.next()) ?? nil {
            if segment.marker == 0xDA { return segment.end }
        }
        return nil
    }
}

/// The metadata blocks of a JPEG, selected as libvips selects them.
///
/// Source: libvips, jpeg2vips.c, read_jpeg_header.
struct JPEGMetadata {
    /// The first EXIF block, with its name.
    private(set) var exif: [UInt8]?
    /// The color profile, joined from its parts.
    private(set) var profile: [UInt8]?

    /// - Parameter assumed: the profile of a color picture that has none.
    init(_ header: JPEGHeader, of file: OpenFile, assuming assumed: [UInt8]? = nil) throws(FileError) {
        var parts: [Int: ArraySlice<UInt8>] = [:]
        for segment in header.segments where segment.marker == 0xE1 && exif == nil || segment.marker == 0xE2 {
            let range = (segment.range.lowerBound + 4)..<segment.range.upperBound
            // What is neither may be long, and in a remote file.
            let name = try file.bytes(range.prefix(4).startIndex..<range.prefix(4).endIndex)
            guard name == Array((segment.marker == 0xE1 ? "Exif" : "ICC_").utf8) else { continue }
            let body = try file.bytes(range)
            if segment.marker == 0xE1, body.count > 4, body.starts(with: "Exif".utf8) { exif = body }
            if segment.marker == 0xE2, body.count > 14, body.starts(with: "ICC_PROFILE".utf8) {
                // Parts are numbered from 1.
                let number = Int(body[12])
                if (1...100).contains(number) { parts[number] = body.dropFirst(14) }
            }
        }
        guard parts[1] != nil else {
            if header.components.count == 3 { profile = assumed }
            return
        }
        profile = parts.sorted { $0.key < $1.key }.flatMap(\.value)
    }
}
