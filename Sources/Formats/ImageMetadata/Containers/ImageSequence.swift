internal import Basics
package import Containers
internal import Files
package import ViewportGeometry

/// The frames of a sequence of pictures, such as an animated AVIF.
///
/// Source: ISO/IEC 14496-12, section 8; ISO/IEC 23008-12, section 7.
package struct ImageSequence: Sendable {
    /// The name of the coding of its frames.
    package var codingName: String {
        let names: [FourCC: String] = [
            "av01": "AV1", "hvc1": "HEVC", "hev1": "HEVC", "lhv1": "HEVC", "lhe1": "HEVC", "avc1": "AVC",
            "avc3": "AVC",
            "jpeg": "JPEG", "mjpg": "JPEG",
        ]
        return names[frames.coding] ?? "\(frames.coding)"
    }

    /// One track: the frames, or their alpha.
    package struct Track: Sendable {
        /// The coding of its samples, such as "av01".
        package let coding: FourCC
        package let size: PixelSize<StoredGrid>
        /// The ranges of the frames' data in the file.
        package let samples: [Range<Int>]
        /// The meaning of its samples, if stated.
        package let colors: CodedColors?
        /// The range of its ICC profile.
        package let profile: Range<Int>?
        fileprivate let durations: [Int]
        fileprivate let timescale: Int
    }

    package let frames: Track
    package let alpha: Track?
    /// The times of the frames in milliseconds.
    package let delays: [Int]
    /// The number of times it plays; 0 for an endless loop.
    package let loop: Int

    private static let mostFrames = 1 << 14

    /// Reads the box "moov"; nil for files without a track of at least two pictures.
    package init?(_ bytes: FileBytes) {
        var tracks: [(handler: FourCC, track: Track, loop: Int)] = []
        do throws(FileError) {
            guard let movie = try BoxList.first("moov", in: 0..<bytes.count, of: bytes) else { return nil }
            var boxes = BoxList(bytes, in: movie)
            while let box = try boxes.next(), tracks.count < 16 {
                guard box.type == "trak", let read = try Self.track(bytes, box.content) else { continue }
                tracks.append(read)
            }
        } catch {
            return nil
        }
        guard let main = tracks.first(where: { $0.handler == "pict" }), main.track.samples.count > 1 else {
            return nil
        }
        frames = main.track
        loop = main.loop
        alpha =
            tracks.first { $0.handler == "auxv" && $0.track.samples.count == main.track.samples.count }?.track
        let scale = max(1, frames.timescale)
        delays = frames.durations.map { min($0, 1 << 40) * 1000 / scale }
    }

    private static func track(
        _ bytes: FileBytes, _ range: Range<Int>
    ) throws(FileError) -> (handler: FourCC, track: Track, loop: Int)? {
        guard let media = try BoxList.first("mdia", in: range, of: bytes),
            let handler = try BoxList.first("hdlr", in: media, of: bytes),
            let kind = bytes.fourCC(at: handler.lowerBound + 8), ["pict", "auxv"].contains(kind),
            let header = try BoxList.first("mdhd", in: media, of: bytes),
            let table = try BoxList.first("minf", "stbl", in: media, of: bytes),
            let entries = try BoxList.first("stsd", in: table, of: bytes),
            let coding = bytes.fourCC(at: entries.lowerBound + 12),
            let width = bytes.uint16(at: entries.lowerBound + 8 + 32),
            let height = bytes.uint16(at: entries.lowerBound + 8 + 34), width > 0, height > 0,
            let samples = try samples(bytes, table)
        else { return nil }
        let isLong = bytes.uint8(at: header.lowerBound) == 1
        let scale = bytes.uint32(at: header.lowerBound + (isLong ? 20 : 12)) ?? 1
        var (colors, profile): (CodedColors?, Range<Int>?)
        // A visual sample entry has 86 bytes before its boxes.
        var boxes = BoxList(
            bytes, in: (entries.lowerBound + 8 + 86)..<max(entries.lowerBound + 94, entries.upperBound))
        while let box = try boxes.next() {
            switch HEIFProperty(box, in: bytes).value {
            case .colors(let stated): colors = colors ?? stated
            case .profile(let range): profile = profile ?? range
            default: break
            }
        }
        return (
            kind,
            Track(
                coding: coding, size: PixelSize(width: width, height: height), samples: samples,
                colors: colors, profile: profile,
                durations: try durations(bytes, table, count: samples.count), timescale: scale),
            try repeats(bytes, range) ? 0 : 1
        )
    }

    /// Whether the edits of a track repeat.
    private static func repeats(_ bytes: FileBytes, _ range: Range<Int>) throws(FileError) -> Bool {
        guard let edits = try BoxList.first("edts", "elst", in: range, of: bytes) else { return true }
        return bytes.uint24(at: edits.lowerBound + 1).map { $0 & 1 == 1 } ?? true
    }

    /// The ranges of samples, by the chunks that they are in.
    private static func samples(_ bytes: FileBytes, _ table: Range<Int>) throws(FileError) -> [Range<Int>]? {
        guard let sizes = try BoxList.first("stsz", in: table, of: bytes)?.lowerBound,
            let common = bytes.uint32(at: sizes + 4), let count = bytes.uint32(at: sizes + 8),
            (1...mostFrames).contains(count),
            let runs = try BoxList.first("stsc", in: table, of: bytes)?.lowerBound,
            let runCount = bytes.uint32(at: runs + 4), (1...mostFrames).contains(runCount)
        else { return nil }
        let short = try BoxList.first("stco", in: table, of: bytes)
        let long = try BoxList.first("co64", in: table, of: bytes)
        guard let chunks = (short ?? long)?.lowerBound, let chunkCount = bytes.uint32(at: chunks + 4) else {
            return nil
        }
        var samples: [Range<Int>] = []
        var run = 0
        for chunk in 0..<min(chunkCount, mostFrames) where samples.count < count {
            if run + 1 < runCount, let next = bytes.uint32(at: runs + 8 + 12 * (run + 1)), next == chunk + 1 {
                run += 1
            }
            guard let perChunk = bytes.uint32(at: runs + 8 + 12 * run + 4),
                var at = short != nil
                    ? bytes.uint32(at: chunks + 8 + 4 * chunk) : bytes.uint64(at: chunks + 8 + 8 * chunk)
            else { return nil }
            for _ in 0..<min(perChunk, count - samples.count) {
                guard let size = common > 0 ? common : bytes.uint32(at: sizes + 12 + 4 * samples.count),
                    size > 0, at <= bytes.count, size <= bytes.count - at
                else { return nil }
                samples.append(at..<(at + size))
                at += size
            }
        }
        return samples.count == count ? samples : nil
    }

    private static func durations(
        _ bytes: FileBytes, _ table: Range<Int>, count: Int
    ) throws(FileError) -> [Int] {
        var durations: [Int] = []
        if let times = try BoxList.first("stts", in: table, of: bytes)?.lowerBound,
            let runs = bytes.uint32(at: times + 4)
        {
            for run in 0..<min(runs, count) {
                guard let length = bytes.uint32(at: times + 8 + 8 * run),
                    let duration = bytes.uint32(at: times + 12 + 8 * run)
                else { break }
                durations += [Int](repeating: duration, count: min(length, count - durations.count))
            }
        }
        return durations + [Int](repeating: durations.last ?? 0, count: count - durations.count)
    }
}
