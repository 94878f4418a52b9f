internal import Basics
package import Containers

/// XMP and IPTC of a JPEG, each of which may lie in several segments.
///
/// The packet that is too long for one segment has a second part, which further segments hold in pieces. Source: XMP
/// part 3, section 1.1.3.1.
package struct JPEGWords {
    /// The names of the segments.
    package static let packetName = "http://ns.adobe.com/xap/1.0/\0"
    package static let extensionName = "http://ns.adobe.com/xmp/extension/\0"

    /// The bytes of what may lie in several segments that are read of a remote file: longer packets hold maps of depths.
    private static let mostRemote = 1 << 17

    private var packets: [FileBytes] = []
    private var pieces: [Piece] = []
    private var parts: [FileBytes] = []

    /// A piece of the second part of a packet.
    private struct Piece {
        /// The digest of the second part, which the first one states: 32 hexadecimal digits.
        let digest: String
        let total: Int
        let offset: Int
        let bytes: FileBytes

        init?(_ bytes: FileBytes) {
            guard let digest = bytes.slice(0, Self.headSize - 8)?.text, let total = bytes.uint32(at: 32),
                let offset = bytes.uint32(at: 36)
            else { return nil }
            (self.digest, self.total, self.offset) = (digest.uppercased(), total, offset)
            self.bytes = bytes.extracting(Self.headSize...)
        }

        static let headSize = 40
    }

    package init() {}

    /// Takes the body of a segment; returns false for segments that are about something else.
    package mutating func take(_ marker: UInt8, _ body: FileBytes) -> Bool {
        switch marker {
        case 0xE1 where body.has(Self.packetName):
            packets.append(body.extracting(Self.packetName.utf8.count...))
        case 0xE1 where body.has(Self.extensionName):
            if let piece = Piece(body.extracting(Self.extensionName.utf8.count...)) { pieces.append(piece) }
        case 0xED where body.has(PhotoshopResources.name):
            parts.append(body.extracting(PhotoshopResources.name.utf8.count...))
        default: return false
        }
        return true
    }

    /// The packet with its second part, and with further packets; nil where there is none.
    package var packet: FileBytes? {
        guard let first = packets.first else { return nil }
        guard packets.count > 1 || !pieces.isEmpty else { return first }
        let stated = XMPPacket(first).first("xmpNote:HasExtendedXMP")?.uppercased()
        let others = packets.dropFirst().map(\.array) + [stated.flatMap(secondPart)].compactMap(\.self)
        return FileBytes(XMPPacket.joined(first.array, others))
    }

    /// Photoshop's resources, which may be divided anywhere; nil where there are none.
    package var resources: FileBytes? {
        guard let first = parts.first, parts.count > 1 else { return parts.first }
        // What is about words is near their start.
        var left = first.isRemote ? Self.mostRemote / 2 : .max
        let needed = parts.prefix { part in
            defer { left -= part.count }
            return left >= part.count
        }
        return FileBytes(needed.flatMap(\.array))
    }

    /// Returns the second part of a packet; nil where a piece of it is missing.
    private func secondPart(_ digest: String) -> [UInt8]? {
        var part: [UInt8] = []
        let own = pieces.filter { $0.digest == digest }.sorted { $0.offset < $1.offset }
        guard let first = own.first,
            first.total <= (first.bytes.isRemote ? Self.mostRemote : SidecarFault.mostBytes)
        else { return nil }
        let total = first.total
        for piece in own where piece.offset + piece.bytes.count > part.count {
            guard piece.offset == part.count, piece.total == total else { return nil }
            part += piece.bytes.array
        }
        return part.count == total ? part : nil
    }
}
