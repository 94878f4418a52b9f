internal import Containers
internal import Files
internal import JPEGCoding
internal import JPEGIndexing
internal import Pictures
internal import ViewportGeometry

/// The JPEGs that are the strips or tiles of a page of a TIFF, checked for data that ends early.
///
/// libtiff and libvips fill the rest of such a part with gray, and only warn.
struct TIFFJPEGs: Sendable {
    private let parts: TIFFParts
    /// A JPEG that contains only tables; empty where each part has its own.
    private let tables: [UInt8]

    /// The longest tables.
    private static let mostTables = 1 << 20

    /// Returns nil for pages of other compressions, and those whose parts cannot be found.
    init?(_ page: SelectedPage, of file: OpenFile) {
        guard page.directory.int(259) == 7, let parts = TIFFParts(of: file, at: page.place) else {
            return nil
        }
        let tables = page.directory.range(347).flatMap { range in
            range.count <= Self.mostTables ? try? file.bytes(range) : nil
        }
        (self.parts, self.tables) = (parts, tables ?? [])
    }

    /// Throws where the data of a part of a rectangle ends early.
    func check(_ rect: PixelRect<StoredGrid>, of file: OpenFile) throws(RenderingError) {
        guard !rect.isEmpty else { return }
        let width = parts.tile?.width ?? parts.size.width
        let columns = (rect.x / width)..<((rect.maxX - 1) / width + 1)
        let rows = (rect.y / parts.rowsPerPart)..<((rect.maxY - 1) / parts.rowsPerPart + 1)
        let places = try RenderingError.naming(
            file.path,
            { () throws(FileError) in try parts.places(columns: columns, rows: rows, in: file) })
        // What is left out has its own check.
        for (index, place) in (places ?? []).enumerated() {
            let isWhole = try RenderingError.naming(file.path) { () throws(FileError) in
                try endsWell(place, of: file)
            }
            guard isWhole else {
                let (row, column) = index.quotientAndRemainder(dividingBy: columns.count)
                throw RenderingError(damage(column + columns.lowerBound, row + rows.lowerBound), of: file)
            }
        }
    }

    private func damage(_ column: Int, _ row: Int) -> FileDamage {
        guard parts.tile == nil else {
            let number = row % parts.rows * parts.columns + column + 1
            return FileDamage(
                text: "the data of tile \(FileGap.grouped(number)) ends early", isShowable: true)
        }
        let top = row % parts.rows * parts.rowsPerPart
        let bottom = min(top + parts.rowsPerPart, parts.size.height)
        return FileDamage(
            text: "the data of rows \(FileGap.grouped(top + 1)) to \(FileGap.grouped(bottom)) ends early",
            isShowable: true)
    }

    /// Returns false for a JPEG without an end marker that lacks data, too.
    private func endsWell(_ place: Range<Int>, of file: OpenFile) throws(FileError) -> Bool {
        // Few parts have bytes behind the marker.
        guard try file.bytes(place.suffix(2)) != JPEGSegment.endOfImage else { return true }
        let data = try file.bytes(place)
        guard let last = data.lastIndex(where: { $0 != 0 }) else { return true }
        let used = data[...last]
        if used.suffix(2) == JPEGSegment.endOfImage[...] { return true }
        guard used.starts(with: JPEGSegment.startOfImage) else { return true }
        let whole =
            JPEGSegment.startOfImage + tables.dropFirst(2).dropLast(2) + used.dropFirst(2)
            + JPEGSegment.endOfImage
        // What this decoder does not take at all is left to libvips.
        return [1, 3, 4].allSatisfy { bands in
            guard let decoder = try? JPEGDecoder(),
                (try? decoder.decode(whole, denominator: 1, bands: bands, isStrict: false)) != nil
            else { return true }
            return (try? decoder.decode(whole, denominator: 1, bands: bands)) != nil
        }
    }
}
