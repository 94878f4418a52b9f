import Files
import JPEGIndexing
import Sidecars
import ViewportGeometry

// The two kinds of JPEGs of which parts are cut. The module for baseline JPEGs is compiled without the second one.

/// The header of a JPEG.
enum Header {
    case baseline(JPEGHeader)
    #if PROGRESSIVE
    case progressive(ProgressiveHeader)
    #endif

    /// Reads it from the parts of the file in its sidecar; nil for other images.
    init?(_ directory: SidecarDirectory) {
        let file = Pieces(of: directory, [], [])
        switch directory.kind {
        case .baselineJPEG:
            guard let header = try? JPEGHeader(file) else { return nil }
            self = .baseline(header)
        #if PROGRESSIVE
        case .progressiveJPEG:
            let header = try? ProgressiveHeader(file) { start in
                directory.segments.first { $0.position >= start }?.position
            }
            guard let header else { return nil }
            self = .progressive(header)
        #endif
        default:
            return nil
        }
    }
}

/// Reads parts of a JPEG through its index.
enum Reader {
    case baseline(JPEGRegionReader)
    #if PROGRESSIVE
    case progressive(ProgressiveRegionReader)
    #endif

    init(_ header: Header, index: [UInt8], _ identity: FileFingerprint) throws(JPEGIndexError) {
        switch header {
        case .baseline(let header):
            let index = try JPEGIndex(saved: index, for: identity, header: header)
            self = .baseline(try JPEGRegionReader(header: header, index: index))
        #if PROGRESSIVE
        case .progressive(let header):
            let index = try ProgressiveIndex(saved: index, for: identity, header: header)
            self = .progressive(try ProgressiveRegionReader(header: header, index: index))
        #endif
        }
    }

    func byteRanges(
        of rect: PixelRect<ReducedGrid>, fileSize: Int
    ) throws(JPEGIndexError) -> [Range<Int>] {
        switch self {
        case .baseline(let reader): try reader.byteRanges(of: rect, at: .full, fileSize: fileSize)
        #if PROGRESSIVE
        case .progressive(let reader): try reader.byteRanges(of: rect, at: .full, fileSize: fileSize)
        #endif
        }
    }

    func region(
        _ rect: PixelRect<ReducedGrid>, of file: Pieces, keeping: (JPEGHeader.Segment) -> Bool
    ) throws(JPEGIndexError) -> JPEGRegion {
        switch self {
        case .baseline(let reader): try reader.region(rect, at: .full, of: file, keeping: keeping)
        #if PROGRESSIVE
        case .progressive(let reader): try reader.region(rect, at: .full, of: file, keeping: keeping)
        #endif
        }
    }
}

/// The parts of a file that are there; the others are zero.
///
/// Readers load some bytes around those that they need, which do not matter.
final class Pieces: RandomAccessBytes {
    let count: Int
    private let ranges: [Range<Int>]
    private let bytes: [UInt8]

    /// - Parameter bytes: Those of the ranges, one behind the other.
    init(_ ranges: [Range<Int>], _ bytes: [UInt8], count: Int) {
        self.ranges = ranges
        self.bytes = bytes
        self.count = count
    }

    /// Some ranges of an image, and what its sidecar has of it.
    convenience init(of directory: SidecarDirectory, _ ranges: [Range<Int>], _ bytes: [UInt8]) {
        let segments = directory.segments
        self.init(
            segments.map { $0.position..<($0.position + $0.bytes.count) } + ranges,
            segments.flatMap { $0.bytes } + bytes, count: directory.identity.size)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        for index in buffer.indices { buffer[index] = 0 }
        let wanted = position..<(position + buffer.count)
        var start = 0
        for range in ranges {
            let part = range.clamped(to: wanted)
            let offset = start + part.lowerBound - range.lowerBound
            start += range.count
            guard !part.isEmpty else { continue }
            guard offset + part.count <= bytes.count else { throw .changed }
            for index in 0..<part.count { buffer[part.lowerBound - position + index] = bytes[offset + index] }
        }
    }
}
