public import PhotoCatalog
internal import Synchronization
internal import ViewportGeometry
public import ViewportRendering

/// One picture of many assets: their thumbnails in rows under the heading of each entry, with captions.
public struct ContactSheet: Sendable {
    /// Assets under a heading.
    public struct Section: Sendable {
        public var heading: String
        public var assets: [Asset]

        public init(heading: String, assets: [Asset]) {
            self.heading = heading
            self.assets = assets
        }
    }

    public var columns: Int
    /// The long side of a thumbnail, in pixels.
    public var side: Int
    /// The most assets on one sheet: about what a picture's 65,535 rows hold.
    public static let limit = 2000

    public init(columns: Int = 6, side: Int = 192) {
        self.columns = columns
        self.side = side
    }

    /// Space between thumbnails, and the heights of captions and headings.
    private static let (gap, caption, heading) = (12, 18, 34)

    /// The sheet as a PNG, as `file` makes it.
    public func png(
        of sections: [Section], in library: PhotoLibrary
    ) async throws -> (bytes: [UInt8], failures: [IndexReport.Failure]) {
        try await file(of: sections, in: library, as: .png)
    }

    /// The sheet as a file; assets that cannot be shown leave their place empty and are named with the reason.
    ///
    /// Captions are left out where libvips has no fonts.
    public func file(
        of sections: [Section], in library: PhotoLibrary, as format: PictureFormat
    ) async throws -> (bytes: [UInt8], failures: [IndexReport.Failure]) {
        let (places, height) = layout(sections)
        var canvas = SheetCanvas(width: Self.gap + columns * (side + Self.gap), height: height)
        for (section, top) in zip(sections, places.headings) {
            canvas.write(section.heading, x: Self.gap, y: top, width: canvas.width - 2 * Self.gap, size: 15)
        }
        let images = AssetImages(of: library)
        var failures: [IndexReport.Failure] = []
        // As many at once as there are threads to decode on, and their pictures in memory.
        let assets = sections.flatMap(\.assets)
        let batch = 16
        for start in stride(from: 0, to: assets.count, by: batch) {
            try Task.checkCancellation()
            let shown = await Self.pictures(Array(assets[start...].prefix(batch)), side, images)
            for (index, (asset, result)) in shown.enumerated() {
                let place = places.cells[start + index]
                switch result {
                case .success(let picture): canvas.draw(picture, in: place, side)
                case .failure(let error):
                    failures.append(IndexReport.Failure(path: asset.path, reason: "\(error)"))
                }
                canvas.write(asset.name, x: place.x, y: place.y + side + 2, width: side, size: 10)
            }
        }
        return (try PictureEncoder(format).encode(canvas.picture), failures)
    }

    private static func pictures(
        _ assets: [Asset], _ side: Int, _ images: AssetImages
    ) async -> [(Asset, Result<Picture?, any Error>)] {
        await withTaskGroup(of: (Int, Result<Picture?, any Error>).self) { group in
            for (index, asset) in assets.enumerated() {
                group.addTask {
                    do {
                        return (
                            index,
                            .success(
                                try await images.aspectRatioThumbnail(of: asset, side: side).final()?.picture)
                        )
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var results: [(Int, Result<Picture?, any Error>)] = []
            for await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map { (assets[$0.0], $0.1) }
        }
    }

    /// Where headings and thumbnails stand, and how high the sheet is.
    private func layout(
        _ sections: [Section]
    ) -> (places: (headings: [Int], cells: [(x: Int, y: Int)]), height: Int) {
        var headings: [Int] = []
        var cells: [(x: Int, y: Int)] = []
        var y = Self.gap
        for section in sections {
            headings.append(y)
            y += Self.heading
            for (index, _) in section.assets.enumerated() {
                let (row, column) = index.quotientAndRemainder(dividingBy: columns)
                cells.append((Self.gap + column * (side + Self.gap), y + row * rowHeight))
            }
            y += (section.assets.count + columns - 1) / columns * rowHeight
        }
        return ((headings, cells), y)
    }

    private var rowHeight: Int { side + Self.caption + Self.gap }
}
