internal import Files
internal import ImageMetadata
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
            return rows == height ? .jpegEnd : .details(FileDamage.missingRows(rows..<height))
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
    private(set) var count = 0
    private let width: Int
    private let height: Int
    private let components: Int
    /// Whether the scans cover every bit of every coefficient.
    private let isComplete: Bool

    /// Returns nil where there is no frame header.
    init?(_ bytes: FileBytes) {
        var frame: [UInt8]?
        var isProgressive = false
        // For each component the coefficients that are complete to the last bit.
        var completed: [UInt8: Set<UInt8>] = [:]
        var at = 2
        while at + 4 <= bytes.count {
            let marker = bytes[at + 1]
            guard bytes[at] == 0xFF, marker >= 0xC0, marker != 0xFF, !(0xD0...0xD9).contains(marker) else {
                at += 1
                continue
            }
            let end = at + 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
            guard end <= bytes.count else { break }
            let body = bytes.extracting((at + 4)..<max(end, at + 4)).array
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker), body.count >= 6 {
                frame = body
                isProgressive = [0xC2, 0xCA].contains(marker)
            }
            if marker == 0xDA, let parts = body.first.map(Int.init), body.count >= 4 + 2 * parts {
                count += 1
                let band = body.suffix(3).map { $0 }
                let isLast = !isProgressive || band[2] & 15 == 0
                for part in 0..<parts where isLast && band[0] <= band[1] && band[1] < 64 {
                    completed[body[1 + 2 * part], default: []].formUnion(band[0]...band[1])
                }
            }
            at = max(end, at + 2)
        }
        guard let frame else { return nil }
        height = Int(frame[1]) << 8 | Int(frame[2])
        width = Int(frame[3]) << 8 | Int(frame[4])
        components = Int(frame[5])
        isComplete = completed.count == components && completed.values.allSatisfy { $0.count == 64 }
    }

    /// Returns what is missing of the file, which is decoded as if it had an end marker.
    func damage(_ file: OpenFile) -> FileDamage {
        let early = FileDamage.details(
            count == 1 ? "its data ends early" : "it ends in pass \(count): details are missing")
        // Decoding takes memory for all samples: files that are too large are only reported as ending early.
        let samples = width * height * components
        guard components == 1 || components == 3, samples <= 3 * OpenOptions.defaultWholeLimit,
            file.count <= Self.longest,
            let ended = (try? file.contents()).map(JPEGEnding.ended)
        else { return early }
        // TurboJPEG cannot select a scale for so few pixels.
        let denominator = min(width, height) < 64 ? 1 : 8
        if (try? JPEGDecoder().decode(ended, denominator: denominator, bands: components)) != nil {
            return isComplete ? .jpegEnd : .details("it ends after pass \(count): details are missing")
        }
        guard count == 1 else { return early }
        let decoded = try? JPEGDecoder().decode(
            ended, denominator: denominator, bands: components, isStrict: false)
        guard let decoded else { return early }
        let first = decoded.rowsAboveGray * denominator
        return first < height ? .details(FileDamage.missingRows(first..<height)) : early
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
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return true }
        guard let start = startOfScan(bytes) else { return false }
        // Cameras append maps, previews and films; the last marker is most often near the end.
        var at = bytes.count - 2
        while at >= start {
            if bytes[at] == 0xFF, bytes[at + 1] == 0xD9 { return true }
            at -= 1
        }
        return false
    }

    /// Appends an end marker.
    static func ended(_ bytes: [UInt8]) -> [UInt8] { bytes + [0xFF, 0xD9] }

    /// Returns the offset of the first scan's entropy-coded data; nil where the headers end before it.
    private static func startOfScan(_ bytes: FileBytes) -> Int? {
        var at = 2
        while at + 4 <= bytes.count {
            let marker = bytes[at + 1]
            switch (bytes[at], marker) {
            case (0xFF, 0xFF): at += 1
            case (0xFF, 0x00), (0xFF, 0x01), (0xFF, 0xD0...0xD8): at += 2
            case (0xFF, _):
                let end = at + 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
                if marker == 0xDA { return end }
                at = end
            default: at += 1
            }
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
            let body = try file.bytes((segment.range.lowerBound + 4)..<segment.range.upperBound)
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
