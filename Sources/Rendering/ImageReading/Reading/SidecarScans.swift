internal import JPEGIndexing
internal import RemoteFiles
internal import Sidecars

extension ProgressiveJPEGSource {
    /// Returns the source with the scans that a sidecar has; nil where it has none.
    func knowing(_ directory: SidecarDirectory) -> Self? {
        guard directory.kind == .progressiveJPEG else { return nil }
        // The image without its compressed data, which is zeros.
        let image = SuppliedBytes(
            count: directory.identity.size, isRemote: false, capacity: 0, announce: { _ in },
            supply: { directory.bytes(in: $0) })
        let header = try? ProgressiveHeader(image) { start in
            directory.segments.first { $0.position >= start }?.position
        }
        return header.map(knowing)
    }
}

extension SidecarDirectory {
    /// Returns the bytes of a range of the image, as far as they are in the segments; zeros elsewhere.
    fileprivate func bytes(in range: Range<Int>) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        for segment in segments {
            let place = segment.position..<(segment.position + segment.bytes.count)
            let part = place.clamped(to: range)
            guard !part.isEmpty else { continue }
            let first = part.lowerBound - range.lowerBound
            let from = part.lowerBound - place.lowerBound
            bytes.replaceSubrange(
                first..<(first + part.count), with: segment.bytes[from..<(from + part.count)])
        }
        return bytes
    }
}
