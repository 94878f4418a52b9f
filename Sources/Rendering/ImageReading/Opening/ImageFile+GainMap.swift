internal import Containers
internal import Files
public import ImageMetadata
package import Pictures
internal import ViewportGeometry

extension ImageFile {
    /// The gain map of the file, found by its structure without decoding it; nil where the file has none, or where it
    /// cannot be read: the picture can be shown without it.
    public var gainMap: GainMap? {
        format == .jpeg || format == .heif ? GainMap(FileBytes(opened)) : nil
    }

    /// Returns the gain map of the file; nil where it has none.
    ///
    /// - Throws: `RenderingError` where the file cannot be read; `CancellationError`.
    package func readGainMap() throws -> GainMap? {
        var map: GainMap?
        try opened.checkedRows { map = gainMap }
        return map
    }

    /// Opens the picture of a gain map of this file, turned as this file is.
    package func picture(of map: GainMap) throws(RenderingError) -> ImageFile {
        var options = OpenOptions()
        options.threads = self.options.threads
        switch map.place {
        case .jpeg(let range):
            options.appliesOrientation = false
            options.turn = orientation
            return try Self.open(OpenFile(range, of: opened), options)
        case .item(let id):
            options.appliesOrientation = self.options.appliesOrientation
            options.turn = self.options.turn
            return try Self.open(part(id, &options), options)
        }
    }

    /// Returns a HEIF file in memory with one item of this one.
    ///
    /// - Parameter options: gets the turn of the picture where the item has none of its own.
    private func part(_ id: Int, _ options: inout OpenOptions) throws(RenderingError) -> OpenFile {
        let bytes = FileBytes(opened)
        let read = try opened.checked { () throws(RenderingError) in HEIFItems(bytes) }
        guard let items = read, let item = items[id] else {
            throw .gainMap(file: path, reason: "its item is missing")
        }
        if item.orientation == .up, options.appliesOrientation,
            let main = items.primary.flatMap({ items[$0] })
        {
            options.turn = main.orientation.followed(by: options.turn)
        }
        do throws(HEIFPart.Problem) {
            let part: [UInt8]
            if let grid = items.grid(of: item, in: bytes), let size = items[grid.tiles[0]]?.codedSize {
                part = try HEIFPart.tiles(
                    rows: 0..<grid.rows, columns: 0..<grid.columns, of: grid, alpha: nil, tileSize: size,
                    items: items, in: opened)
            } else {
                part = try HEIFPart.picture(item, colors: nil, of: items, in: opened)
            }
            do throws(FileError) {
                return try OpenFile(bytes: part, name: path)
            } catch {
                throw HEIFPart.Problem.file(error)
            }
        } catch {
            switch error {
            case .unusable: throw .gainMap(file: path, reason: "its item is damaged")
            case .file(let error): throw RenderingError(error, file: path)
            }
        }
    }
}
