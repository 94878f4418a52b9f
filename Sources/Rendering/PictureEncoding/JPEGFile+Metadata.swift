internal import Basics
internal import Containers
internal import Digests
internal import ImageMetadata
internal import ImageReading
internal import ViewportGeometry

extension JPEGFile.Segment {
    var isExif: Bool { marker == 0xE1 && begins(with: "Exif\0") }
    /// Whether it is an XMP packet, or a part of one that is too long for a segment.
    var isXMP: Bool {
        marker == 0xE1 && (begins(with: JPEGWords.packetName) || begins(with: JPEGWords.extensionName))
    }
    var isPhotoshop: Bool { marker == 0xED && begins(with: PhotoshopResources.name) }

    init(exif: [UInt8]) { self.init(marker: 0xE1, body: Array("Exif\0\0".utf8) + exif) }

    init(photoshop resources: [UInt8]) {
        self.init(marker: 0xED, body: Array(PhotoshopResources.name.utf8) + resources)
    }
    /// Whether it is about further pictures in the file, which are not copied: their index, or a gain map.
    var isOfMorePictures: Bool {
        marker == 0xE2 && (begins(with: "MPF\0") || begins(with: GainMapValues.isoName))
    }
}

extension JPEGFile {
    /// Adapts metadata to the new picture: sets size and orientation, and removes the preview of the old one.
    ///
    /// Only the first block of EXIF is kept, which is the one that counts.
    mutating func describe(_ change: PictureChange) {
        segments.removeAll(where: \.isOfMorePictures)
        let first = segments.firstIndex(where: \.isExif)
        for (index, segment) in segments.enumerated().reversed() {
            if segment.isExif {
                if index != first {
                    segments.remove(at: index)
                } else if let exif = change.exif(segment.body) {
                    segments[index] = Segment(exif: exif)
                }
            } else if segment.isPhotoshop {
                segments[index] = Segment(
                    photoshop: PhotoshopResources.withoutPreview(
                        Array(segment.body.dropFirst(PhotoshopResources.name.utf8.count)),
                        keepsPositions: change.map?.isWhole == true, resolution: change.resolution))
            }
        }
        replaceXMP(change.xmp)
    }

    /// Replaces the packet of XMP, also one in several segments, which stays in its place.
    ///
    /// - Parameter change: returns the new packet; nil removes it.
    private mutating func replaceXMP(_ change: ([UInt8]) -> [UInt8]?) {
        var words = JPEGWords()
        for segment in segments where segment.isXMP {
            _ = words.take(segment.marker, FileBytes(segment.body))
        }
        guard let place = segments.firstIndex(where: \.isXMP), let packet = words.packet else { return }
        segments.removeAll(where: \.isXMP)
        if let changed = change(packet.array) { segments.insert(contentsOf: Segment.xmp(changed), at: place) }
    }
}

extension JPEGFile.Segment {
    /// Returns the segments of a packet; the longest properties of one that is too long for a segment go into further ones.
    ///
    /// A packet without long properties is not divided: its one segment is too long. Source: XMP part 3, section 1.1.3.1.
    static func xmp(_ packet: [UInt8]) -> [Self] {
        let name = Array(JPEGWords.packetName.utf8)
        let longest = JPEGSegment.longestBody - name.count
        guard packet.count > longest, let divided = XMPPacket.divided(packet, longest: longest) else {
            return [Self(marker: 0xE1, body: name + packet)]
        }
        let second = divided.second
        let digest = MD5.hash(second.span).hexadecimal.uppercased()
        let head =
            Array(JPEGWords.extensionName.utf8) + Array(digest.utf8) + second.count.bytes(.big, size: 4)
        let piece = JPEGSegment.longestBody - head.count - 4
        return [Self(marker: 0xE1, body: name + divided.first(digest: digest))]
            + stride(from: 0, to: second.count, by: piece).map { start in
                Self(
                    marker: 0xE1,
                    body: head + start.bytes(.big, size: 4)
                        + second[start..<min(start + piece, second.count)])
            }
    }
}
