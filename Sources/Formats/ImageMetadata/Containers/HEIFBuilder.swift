internal import Basics
internal import Containers

/// Writes HEIF files of one primary item, the first one, and of items that belong to it.
///
/// Source: ISO/IEC 14496-12, section 8.11; ISO/IEC 23008-12, section 6.
struct HEIFBuilder {
    struct Entry {
        let type: FourCC
        /// The media type of an item of the type "mime".
        var contentType: String?
        fileprivate(set) var links: [(number: Int, isEssential: Bool)] = []
        var data: [UInt8]
        /// The numbers of items, from 1.
        var references: [(type: FourCC, targets: [Int])] = []

        init(type: FourCC, contentType: String? = nil, data: [UInt8]) {
            (self.type, self.contentType, self.data) = (type, contentType, data)
        }
    }

    var entries: [Entry] = []
    private var properties: [[UInt8]] = []
    private var propertyNumbers: [[UInt8]: Int] = [:]

    /// Gives an item a property, a whole box; equal ones are stored once.
    mutating func link(_ entry: inout Entry, to property: [UInt8], isEssential: Bool) {
        let number = propertyNumbers[property] ?? properties.count + 1
        if number > properties.count {
            properties.append(property)
            propertyNumbers[property] = number
        }
        entry.links.append((number, isEssential))
    }

    /// States that the last item is alpha.
    mutating func linkAlpha() {
        let type = Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8)
        var entry = entries.removeLast()
        link(&entry, to: Box.bytes("auxC", [0, 0, 0, 0], type), isEssential: false)
        entries.append(entry)
    }

    /// The whole file.
    ///
    /// - Throws: `unusable` where it has too many items or properties.
    var bytes: [UInt8] {
        get throws(HEIFPart.Problem) {
            guard entries.count < 1 << 15, properties.count < 1 << 15 else { throw .unusable }
            let start = FileType.imageBrands(isAVIF: entries.contains { $0.type == "av01" })
            // Offsets have a fixed size, so the length of the boxes does not depend on them.
            let offset = start.count + meta(dataAt: 0).count + 8
            return start + meta(dataAt: offset) + Box.bytes("mdat", Array(entries.map(\.data).joined()))
        }
    }

    private func meta(dataAt start: Int) -> [UInt8] {
        var locations: [UInt8] = []
        var types: [UInt8] = []
        var links: [UInt8] = []
        var references: [UInt8] = []
        var offset = start
        for (index, entry) in entries.enumerated() {
            let id = UInt16(index + 1).bytes(.big)
            locations +=
                id + [0, 0, 0, 1] + UInt32(offset).bytes(.big) + UInt32(entry.data.count).bytes(.big)
            offset += entry.data.count
            // All but the first one are parts of it.
            types += Box.bytes(
                "infe", [2, 0, 0, index == 0 ? 0 : 1], id, [0, 0], entry.type.bytes, [0],
                entry.contentType.map { Array($0.utf8) + [0] } ?? [])
            links += id + [UInt8(min(entry.links.count, 255))]
            for link in entry.links.prefix(255) {
                links += UInt16(link.number | (link.isEssential ? 0x8000 : 0)).bytes(.big)
            }
            for reference in entry.references {
                references += Box.bytes(
                    reference.type, id, UInt16(reference.targets.count).bytes(.big),
                    reference.targets.flatMap { UInt16($0).bytes(.big) })
            }
        }
        let count = UInt16(entries.count).bytes(.big)
        return Box.bytes(
            "meta", [0, 0, 0, 0],
            Box.bytes(
                "hdlr", [0, 0, 0, 0, 0, 0, 0, 0], FourCC("pict").bytes, [UInt8](repeating: 0, count: 13)),
            Box.bytes("pitm", [0, 0, 0, 0, 0, 1]),
            Box.bytes("iloc", [0, 0, 0, 0, 0x44, 0], count, locations),
            Box.bytes("iinf", [0, 0, 0, 0], count, types),
            references.isEmpty ? [] : Box.bytes("iref", [0, 0, 0, 0], references),
            Box.bytes(
                "iprp", Box.bytes("ipco", Array(properties.joined())),
                Box.bytes("ipma", [0, 0, 0, 1], UInt32(entries.count).bytes(.big), links)))
    }
}
