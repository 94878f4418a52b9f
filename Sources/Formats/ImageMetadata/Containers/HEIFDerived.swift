internal import Basics
package import Containers
package import Files
package import ViewportGeometry

/// A picture of others, one painted over the other ("iovl").
///
/// Source: ISO/IEC 23008-12, section 6.6.2.2.
package struct HEIFOverlay: Sendable {
    /// The color where no picture is: red, green, blue and alpha of 16 bits.
    package let fill: [Int]
    package let size: PixelSize<StoredGrid>
    /// The pictures from the lowest, with the places of their corners, which may be outside.
    package let layers: [(id: Int, x: Int, y: Int)]
}

extension HEIFItems {
    /// Returns the description of an item of the type "iovl"; nil if it is damaged.
    package func overlay(of item: HEIFItem, in bytes: FileBytes) -> HEIFOverlay? {
        guard item.type == "iovl", item.data.count == 1, let block = bytes.slice(item.data[0]),
            block.uint8(at: 0) == 0, let flags = block.uint8(at: 1)
        else { return nil }
        let wide = flags & 1 == 0 ? 2 : 4
        let fill = (0..<4).compactMap { block.uint16(at: 2 + 2 * $0) }
        guard fill.count == 4, let width = block.unsigned(wide, at: 10),
            let height = block.unsigned(wide, at: 10 + wide), width > 0, height > 0
        else { return nil }
        func signed(_ at: Int) -> Int? {
            block.unsigned(wide, at: at).map {
                wide == 2 ? Int(Int16(truncatingIfNeeded: $0)) : Int(Int32(truncatingIfNeeded: $0))
            }
        }
        var layers: [(id: Int, x: Int, y: Int)] = []
        for (index, id) in item.references("dimg").enumerated() {
            let at = 10 + 2 * wide + 2 * wide * index
            guard let x = signed(at), let y = signed(at + wide) else { return nil }
            layers.append((id, x, y))
        }
        return HEIFOverlay(fill: fill, size: PixelSize(width: width, height: height), layers: layers)
    }

    /// Whether the turns of a grid are stated of each of its cells as well, and mean the turn of the whole.
    ///
    /// avifenc 0.11 writes them so; its own decoder turns the whole picture only. Turns of cells alone are theirs.
    package func repeatsTurns(_ grid: HEIFItem) -> Bool {
        let turn = grid.orientation
        let cells = grid.references("dimg")
        return turn != .up && !cells.isEmpty && cells.allSatisfy { items[$0]?.orientation == turn }
    }

    /// Returns the coded item from which a picture gets its kind of samples; nil if there is none.
    package func firstCoded(of item: HEIFItem) -> HEIFItem? {
        var item = item
        // A chain is short, and a circle has no end.
        for _ in 0..<Self.mostDerivations {
            guard item.isDerived else { return item }
            guard let next = item.references("dimg").first.flatMap({ items[$0] }) else { return nil }
            item = next
        }
        return nil
    }

    /// The most derivations of a picture from others that are derived.
    package static let mostDerivations = 4

    /// Returns the size of a coded picture by its stream, else by the file.
    package func size(of item: HEIFItem, in source: any RandomAccessBytes) -> PixelSize<StoredGrid>? {
        HEIFCodedSize.of(item, in: source) ?? item.codedSize
    }

    /// Whether decoders read a coded picture otherwise than it is meant: its size is not that of its stream, or follows a turn,
    /// or they do not know the brands of the file.
    package func isMisread(
        _ picture: HEIFItem, _ alpha: HEIFItem?, in source: any RandomAccessBytes
    ) -> Bool {
        [picture, alpha].contains { item in
            guard let item else { return false }
            return item.hasEarlyTurn || item.codedSize != size(of: item, in: source)
        } || !FileType.hasUsualImageBrand(FileBytes(source))
            // Pictures of others without data of their own make libheif 1.15 refuse the file.
            || items.values.contains { $0.type == "iden" }
    }

    /// Returns a property without which a picture, or the first one that it is made of, must not be shown, and that is not
    /// supported.
    package func unsupportedProperty(of picture: HEIFItem) -> FourCC? {
        [picture, firstCoded(of: picture)].lazy.compactMap { item in
            item?.properties.first { $0.isEssential && !Self.supported.contains($0.type) }?.type
        }.first
    }

    /// Configurations of decoders, and properties that the decoders or this package apply.
    private static let supported: Set<FourCC> = [
        "hvcC", "av1C", "avcC", "vvcC", "evcC", "lhvC", "jpgC", "j2kH", "uncC", "cmpd", "cmpC", "icef",
        "tols", "oinf",
        "ispe", "pixi", "pasp", "rloc", "auxC", "clap", "irot", "imir", "lsel", "a1op", "a1lx", "colr",
        "clli", "mdcv",
        "cclv", "amve", "ndwt", "udes", "altt", "crtt", "mdft",
    ]

    /// The alpha of a picture; nil if it has none.
    package func alpha(of picture: HEIFItem) -> HEIFItem? {
        items(referring: "auxl", to: picture.id).first { $0.isAlpha }
    }
}

extension HEIFItem {
    /// Whether it is made of other items.
    package var isDerived: Bool { ["grid", "iden", "iovl"].contains(type) }

    /// The part of the coded pixels to show; nil without a clean aperture.
    package var aperture: CleanAperture? {
        for case .cleanAperture(let aperture) in properties.map(\.value) { return aperture }
        return nil
    }

    /// Its properties with those that change pixels behind those that describe the item, in the order of the file.
    ///
    /// Decoders swap the sides of the size by a turn that they read before it.
    package var orderedProperties: [HEIFProperty] {
        properties.filter { !$0.isTransformation } + properties.filter(\.isTransformation)
    }

    /// Whether a property that changes pixels is before the size.
    package var hasEarlyTurn: Bool {
        guard let size = properties.firstIndex(where: { $0.type == "ispe" }) else { return false }
        return properties[..<size].contains(where: \.isTransformation)
    }
}

extension HEIFProperty {
    /// Whether it changes the pixels.
    package var isTransformation: Bool { ["irot", "imir", "clap"].contains(type) }
}

extension CleanAperture {
    /// Returns the part of a picture, in whole pixels; nil where it is not inside.
    ///
    /// Source: ISO/IEC 14496-12, section 12.1.4.3.
    package func rect(in size: PixelSize<StoredGrid>) -> PixelRect<StoredGrid>? {
        func start(_ side: Int, _ length: (Int, Int), _ center: (Int, Int)) -> Int? {
            // The distance of both centers, half the side of the picture and half the length of the part.
            let start =
                Double(center.0) / Double(center.1) + Double(side) / 2 - Double(length.0) / Double(length.1)
                / 2
            return start.isFinite && abs(start) < 1e9 ? Int((start + 1e-6).rounded(.down)) : nil
        }
        guard let x = start(size.width, width, self.x), let y = start(size.height, height, self.y), x >= 0,
            y >= 0, self.size.width > 0, self.size.height > 0, x + self.size.width <= size.width,
            y + self.size.height <= size.height
        else { return nil }
        return PixelRect(x: x, y: y, width: self.size.width, height: self.size.height)
    }
}
