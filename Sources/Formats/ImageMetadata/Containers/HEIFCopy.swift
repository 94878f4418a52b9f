internal import Basics
internal import Containers

/// Copies of HEIF and AVIF files of one picture, with other colors and metadata.
package enum HEIFCopy {
    /// Returns a file with the same picture and other colors; nil where it has another structure than one picture and its
    /// alpha.
    ///
    /// - Parameters:
    ///   - primaries: the meaning of the samples by ITU-T H.273; matrix and range stay.
    ///   - profile: an ICC profile, which holds where both are there.
    package static func of(
        _ file: [UInt8], primaries: Int, transfer: Int, profile: [UInt8]?
    ) -> [UInt8]? {
        guard let items = HEIFItems(FileBytes(file)), let picture = items.primary.flatMap({ items[$0] })
        else {
            return nil
        }
        var colors = picture.colors ?? CodedColors(primaries: 2, transfer: 2, matrix: 6, isFullRange: true)
        (colors.primaries, colors.transfer) = (primaries, transfer)
        var boxes = [colors.box]
        if let profile { boxes.append(Box.bytes("colr", Array("prof".utf8) + profile)) }
        return try? HEIFBuilder(items, picture, of: file, colors: boxes).bytes
    }

    /// Returns a file with the same picture and colors, and with blocks of metadata; nil where it has another structure
    /// than one picture and its alpha.
    ///
    /// - Parameter exif: a block from the byte-order mark on.
    package static func of(_ file: [UInt8], exif: [UInt8]?, xmp: [UInt8]?) -> [UInt8]? {
        guard let items = HEIFItems(FileBytes(file)), let picture = items.primary.flatMap({ items[$0] })
        else {
            return nil
        }
        var builder = HEIFBuilder(items, picture, of: file, colors: nil)
        // The offset of the byte-order mark comes first.
        if let exif { builder.add(describing: .init(type: "Exif", data: [0, 0, 0, 0] + exif)) }
        if let xmp {
            builder.add(describing: .init(type: "mime", contentType: "application/rdf+xml", data: xmp))
        }
        return try? builder.bytes
    }
}

extension HEIFBuilder {
    /// A file of a picture with its alpha.
    fileprivate init(_ items: HEIFItems, _ picture: HEIFItem, of file: [UInt8], colors: [[UInt8]]?) {
        add(picture, of: file, colors: colors)
        for alpha in items.items(referring: "auxl", to: picture.id) where alpha.isAlpha {
            add(alpha, of: file, colors: nil)
            entries[entries.count - 1].references.append(("auxl", [1]))
            if picture.references("prem").contains(alpha.id) {
                entries[0].references.append(("prem", [entries.count]))
            }
        }
    }

    /// Adds an item with its data and properties.
    ///
    /// - Parameter colors: boxes in the place of its own; nil to keep these.
    private mutating func add(_ item: HEIFItem, of file: [UInt8], colors: [[UInt8]]?) {
        var entry = Entry(type: item.type, data: item.data.flatMap { file[$0] })
        for property in item.properties where property.type != "colr" || colors == nil {
            link(&entry, to: Array(file[property.box]), isEssential: property.isEssential)
        }
        for box in colors ?? [] { link(&entry, to: box, isEssential: false) }
        entries.append(entry)
    }

    /// Adds an item that describes the first one.
    fileprivate mutating func add(describing entry: Entry) {
        var entry = entry
        entry.references.append(("cdsc", [1]))
        entries.append(entry)
    }
}

extension CodedColors {
    /// The box "colr" that states them.
    var box: [UInt8] {
        Box.bytes(
            "colr",
            Array("nclx".utf8) + primaries.bytes(.big, size: 2) + transfer.bytes(.big, size: 2)
                + matrix.bytes(.big, size: 2) + [isFullRange ? 0x80 : 0])
    }
}
