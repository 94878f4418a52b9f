/// Files of boxes: HEIF and films.
package enum BoxMaker {
    /// A HEIF or AVIF file with one picture, its turn, EXIF and XMP.
    package static func heif(
        brand: String = "heic", width: Int = 640, height: Int = 480, turns: [[UInt8]] = [],
        exif: [UInt8]? = nil, xmp: String? = nil
    ) -> [UInt8] {
        let exifItem = exif.map { big(6, 4) + text("Exif\0\0") + $0 } ?? []
        let xmpItem = xmp.map { text($0) } ?? []
        let start = box("ftyp", text(brand), big(0, 4), text("mif1"))
        // The places of the items are known when the length of the boxes before them is.
        var places = [
            (number: 2, offset: 0, count: exifItem.count), (number: 3, offset: 0, count: xmpItem.count),
        ]
        let data = start.count + meta(places, width, height, turns).count + 8
        places[0].offset = data
        places[1].offset = data + exifItem.count
        return start + meta(places, width, height, turns) + box("mdat", exifItem, xmpItem)
    }

    /// A counter-clockwise turn by quarters, of HEIF.
    package static func rotation(_ quarters: UInt8) -> [UInt8] { box("irot", [quarters]) }

    /// A mirroring, of HEIF: 0 changes top and bottom, 1 left and right.
    package static func mirror(_ axis: UInt8) -> [UInt8] { box("imir", [axis]) }

    private static func meta(
        _ places: [(number: Int, offset: Int, count: Int)], _ width: Int, _ height: Int, _ turns: [[UInt8]]
    ) -> [UInt8] {
        var list: [UInt8] = []
        for place in places {
            list += big(place.number, 2) + [0, 0, 0, 1] + big(place.offset, 4) + big(place.count, 4)
        }
        let links = (0...turns.count).map { UInt8($0 + 1) }
        let size = box("ispe", big(0, 4), big(width, 4), big(height, 4))
        let properties = box(
            "iprp", box("ipco", size, Array(turns.joined())),
            box("ipma", big(0, 4), big(1, 4), big(1, 2), [UInt8(links.count)], links))
        let types = box(
            "iinf", big(0, 4), big(3, 2), item(1, "hvc1"), item(2, "Exif"),
            item(3, "mime", text("application/rdf+xml\0")))
        return box(
            "meta", big(0, 4), box("pitm", big(0, 4), big(1, 2)), types,
            box("iloc", big(0, 4), [0x44, 0], big(places.count, 2), list), properties)
    }

    private static func item(_ number: Int, _ type: String, _ rest: [UInt8] = []) -> [UInt8] {
        box("infe", [2, 0, 0, 0], big(number, 2), [0, 0], text(type), [0], rest)
    }
}
