internal import Basics
package import Containers

/// Photoshop's image resources, which contain the IPTC record and a preview.
///
/// JPEG's APP13, TIFF's tag 34377 and PNG's profiles hold them. Source: Adobe Photoshop File Formats Specification,
/// "Image Resource Blocks".
package enum PhotoshopResources {
    /// The name before the resources in a JPEG.
    package static let name = "Photoshop 3.0\0"

    private struct Resource {
        let number: Int
        /// With its head and its padding, as far as it exists.
        let whole: Range<Int>
        let data: Range<Int>
    }

    private static let recordNumber = 0x0404
    /// Previews as Photoshop 4 and as later versions write them.
    private static let previewNumbers = [0x0409, 0x040C]
    /// Photoshop's own signature, and those of ImageReady and of others that write resources.
    private static let signatures: [FourCC] = ["8BIM", "MeSa", "AgHg", "PHUT", "DCSR"]

    /// Returns the resources up to the first that is damaged.
    private static func resources(_ bytes: FileBytes) -> [Resource] {
        var found: [Resource] = []
        var at = 0
        while let signature = bytes.fourCC(at: at), signatures.contains(signature),
            let number = bytes.uint16(at: at + 4), let name = bytes.uint8(at: at + 6)
        {
            // The name and the data are padded to even lengths.
            let start = at + 6 + (name + 2) / 2 * 2 + 4
            guard let length = bytes.uint32(at: start - 4), bytes.contains(length, at: start) else { break }
            let end = min(start + (length + 1) / 2 * 2, bytes.count)
            found.append(Resource(number: number, whole: at..<end, data: start..<(start + length)))
            at = end
        }
        return found
    }

    /// Returns the range of the IPTC record: that of a resource, or all of bytes that begin as a record; nil for others.
    package static func record(in bytes: FileBytes) -> Range<Int>? {
        // The marker of a data set.
        if bytes.uint8(at: 0) == 0x1C { return 0..<bytes.count }
        return resources(bytes).first { $0.number == recordNumber }?.data
    }

    /// Guides, slices, paths and their names: positions in the picture.
    private static func isPosition(_ number: Int) -> Bool {
        [0x0408, 0x041A, 0x0BB7, 0x0BB8].contains(number) || (0x07D0...0x0BB6).contains(number)
    }

    private static let resolutionNumber = 0x03ED

    /// Returns resources without previews of the picture.
    ///
    /// - Parameters:
    ///   - keepsPositions: whether positions in the picture stay, too.
    ///   - resolution: that of the new picture; nil to keep what is stated.
    package static func withoutPreview(
        _ bytes: [UInt8], keepsPositions: Bool, resolution: Resolution? = nil
    ) -> [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for resource in resources(FileBytes(bytes)) {
            let isKept =
                !previewNumbers.contains(resource.number) && (keepsPositions || !isPosition(resource.number))
            var whole = bytes[resource.whole]
            if resource.number == resolutionNumber, resource.data.count >= 16, let resolution {
                // Pixels per inch in 16.16 bits, whatever unit is displayed.
                for (place, value) in [(0, resolution.across), (8, resolution.down)] {
                    let start = resource.data.lowerBound + place
                    let number = UInt32(min(value * 0.0254 * 65536, 0xFFFF_FFFF).rounded())
                    whole.replaceSubrange(start..<(start + 4), with: number.bytes(.big))
                }
            }
            if isKept { result += whole }
            end = resource.whole.upperBound
        }
        return result + bytes[end...]
    }

    /// Returns resources that contain only an IPTC record.
    package static func resources(record: [UInt8]) -> [UInt8] {
        Array("8BIM".utf8) + recordNumber.bytes(.big, size: 2) + [0, 0] + record.count.bytes(.big, size: 4)
            + record + [UInt8](repeating: 0, count: record.count & 1)
    }
}
