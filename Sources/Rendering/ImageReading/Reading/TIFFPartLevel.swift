internal import Containers
internal import Files
internal import Pictures
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// A page of a TIFF, of which only the strips or tiles of a rectangle are read, and decoded by libvips.
struct TIFFPartLevel: LevelReader {
    let file: LoaderFile
    let parts: TIFFParts
    /// The page without samples.
    let header: LoaderLevel
    /// Whether parts are read alone also where most of them are needed.
    var readsAll = false
    /// Reads the page from a copy of the file.
    let loader: @Sendable () throws(RenderingError) -> LoaderLevel

    var level: PyramidLevel { header.level }
    var pixels: SourcePixelFormat { header.pixels }

    /// The bytes of pixels that are decoded together, unless a row of parts has more.
    private static let mostPixelBytes = 1 << 22
    /// The bytes of parts that are requested together.
    private static let mostAnnounced = 1 << 23

    /// Some rows of parts that are decoded together.
    private struct Band {
        var rows: Range<Int>
        var places: [Range<Int>]
    }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        guard !rect.isEmpty else { return }
        let width = parts.tile?.width ?? parts.size.width
        let columns = (rect.x / width)..<((rect.maxX - 1) / width + 1)
        let rows = (rect.y / parts.rowsPerPart)..<((rect.maxY - 1) / parts.rowsPerPart + 1)
        try header.checkMemory(rect)
        try file.file.checkedRows {
            try header.jpegs?.check(rect, of: file.file)
            guard let bands = try bands(columns, rows) else { return try loader().read(rect, row: row) }
            try read(rect, columns, bands, row)
        }
    }

    /// Returns the parts of the rectangle; nil where the file is read as a whole: if parts are left out, or most of it is
    /// needed, which one answer of a server brings faster than many.
    private func bands(_ columns: Range<Int>, _ rows: Range<Int>) throws -> [Band]? {
        guard !file.file.isCopied,
            let places = try RenderingError.naming(
                file.file.path,
                { () throws(FileError) in
                    try parts.places(columns: columns, rows: rows, in: file.file)
                })
        else { return nil }
        let needed = places.reduce(0) { $0 + $1.count }
        guard readsAll || needed <= file.file.count / 2 || !file.canBeCopied else { return nil }
        // A part is decoded from memory.
        guard places.allSatisfy({ $0.count <= header.blocks.budget }) else { return nil }
        let rowBytes = parts.rect(columns: columns, rows: 0..<1).size.area * pixels.bytesPerPixel
        let height = max(1, Self.mostPixelBytes / max(1, rowBytes))
        return stride(from: 0, to: rows.count, by: height).map { start in
            let end = min(start + height, rows.count)
            let bandPlaces = (0..<parts.planes).flatMap { plane in
                let first = plane * rows.count
                return places[((first + start) * columns.count)..<((first + end) * columns.count)]
            }
            return Band(rows: (rows.lowerBound + start)..<(rows.lowerBound + end), places: bandPlaces)
        }
    }

    private func read(
        _ rect: PixelRect<StoredGrid>, _ columns: Range<Int>, _ bands: [Band], _ row: (RawSpan) throws -> Void
    ) throws {
        var announced = 0
        for (index, band) in bands.enumerated() {
            guard !Task.isCancelled else { throw CancellationError() }
            if index == announced { announced = announce(bands, from: index) }
            let data = try RenderingError.naming(file.file.path) { () throws(FileError) in
                var data: [[UInt8]] = []
                for place in band.places { data.append(try file.file.bytes(place)) }
                return data
            }
            let covered = parts.rect(columns: columns, rows: band.rows)
            let reader = try decoder(parts.file(columns: columns, rows: band.rows, data))
            let (top, bottom) = (max(rect.y, covered.y), min(rect.maxY, covered.maxY))
            let part = PixelRect<StoredGrid>(
                x: rect.x - covered.x, y: top - covered.y, width: rect.width, height: bottom - top)
            try reader.readRows(part, row)
        }
    }

    /// Opens a TIFF of some parts.
    private func decoder(_ tiff: [UInt8]) throws(RenderingError) -> LoaderLevel {
        let isSequential = parts.tile == nil
        let severity = TIFFStrictness.severity(of: TIFFBlock(tiff: FileBytes(tiff))?.main)
        var arguments: [String: VipsArgument] = ["fail_on": .name(severity)]
        if isSequential { arguments["access"] = .name("sequential") }
        do {
            let image = try VipsImage.load(bytes: tiff, with: "VipsForeignLoadTiffBuffer", arguments)
            return LoaderLevel(
                file: file.file, level: level, image: try image.readable(), isSequential: isSequential)
        } catch {
            throw .decoding(file.file, log: error.log)
        }
    }

    /// Requests the parts of some bands of a remote file together, and returns the first that is left.
    private func announce(_ bands: [Band], from start: Int) -> Int {
        guard file.file.isRemote else { return bands.count }
        var (end, count) = (start, 0)
        var places: [Range<Int>] = []
        while end < bands.count, end == start || count < Self.mostAnnounced {
            places += bands[end].places
            count += bands[end].places.reduce(0) { $0 + $1.count }
            end += 1
        }
        file.file.willRead(places)
        return end
    }
}
