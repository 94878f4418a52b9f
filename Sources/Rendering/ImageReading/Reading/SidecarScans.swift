internal import Files
internal import JPEGIndexing
internal import Sidecars

extension ProgressiveJPEGSource {
    /// Returns the source with the scans that a sidecar has; nil where it has none.
    func knowing(_ directory: SidecarDirectory) -> Self? {
        guard directory.kind == .progressiveJPEG else { return nil }
        let header = try? ProgressiveHeader(SidecarSegments(directory)) { start in
            directory.segments.first { $0.position >= start }?.position
        }
        return header.map(knowing)
    }
}

/// An image without its compressed data, which is zeros.
private final class SidecarSegments: RandomAccessBytes {
    private let directory: SidecarDirectory

    init(_ directory: SidecarDirectory) { self.directory = directory }

    var count: Int { directory.identity.size }

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        guard position >= 0, buffer.count <= count - position else { throw .changed }
        // The caller's buffer, which outlives the call.
        unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
        for segment in directory.segments {
            let range = segment.position..<(segment.position + segment.bytes.count)
            let part = range.clamped(to: position..<(position + buffer.count))
            guard !part.isEmpty else { continue }
            let bytes = segment.bytes[
                (part.lowerBound - range.lowerBound)..<(part.upperBound - range.lowerBound)]
            // Inside of the buffer, by the intersection.
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[(part.lowerBound - position)...])
                .copyBytes(from: bytes)
        }
    }
}
