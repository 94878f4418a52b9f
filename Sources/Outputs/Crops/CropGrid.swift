package import Basics
package import Batches
internal import Files
package import ImageReading
package import ViewportGeometry

/// All tiles of images, which overlap and join to the images without a seam; the same as `viewport.GridCrops` of Python.
///
/// Tiles lie in rows from the top. The last ones of a row or column end at the edge of the image, so that all are whole; an image that
/// is smaller than a tile is filled up.
package struct CropGrid: Equatable, Sendable {
    /// An image and its tiles.
    package struct Picture: Equatable, Sendable {
        /// Its item's number.
        package let item: Int
        package let path: String
        package let size: PixelSize<UprightGrid>
        /// The number of its first tile among those of all images.
        package let first: Int
        /// The left columns, and the upper rows of its tiles.
        package let lefts: [Int]
        package let tops: [Int]

        package var count: Int { lefts.count * tops.count }
    }

    /// A tile by its number.
    package struct Tile: Equatable, Sendable {
        package let picture: Int
        package let x: Int
        package let y: Int
    }

    /// The size of the tiles in pixels.
    package let size: PixelSize<OutputGrid>
    /// The pixels that neighbors share at least; less than a side of a tile.
    package let overlap: Int
    package let pictures: [Picture]
    /// The number of all tiles.
    package let count: Int

    /// - Parameter images: item, path and size of each image.
    package init(
        size: PixelSize<OutputGrid>, overlap: Int,
        _ images: [(item: Int, path: String, size: PixelSize<UprightGrid>)]
    ) {
        precondition(overlap >= 0 && overlap < min(size.width, size.height))
        (self.size, self.overlap) = (size, overlap)
        var (pictures, first): ([Picture], Int) = ([], 0)
        for image in images {
            let picture = Picture(
                item: image.item, path: image.path, size: image.size, first: first,
                lefts: Self.starts(image.size.width, of: size.width, overlap: overlap),
                tops: Self.starts(image.size.height, of: size.height, overlap: overlap))
            pictures.append(picture)
            first += picture.count
        }
        (self.pictures, count) = (pictures, first)
    }

    /// Opens all images for their sizes.
    ///
    /// - Returns: the grid, and a sentence for each image that cannot be opened, which has no tiles.
    package static func of(
        _ items: [BatchItem], size: PixelSize<OutputGrid>, overlap: Int, threads: Int,
        open: @escaping @Sendable (BatchItem) throws -> ImageFile
    ) throws -> (grid: CropGrid, faults: [String]) {
        var images: [(Int, String, PixelSize<UprightGrid>)] = []
        var faults: [String] = []
        try OrderedWork.run(items.count, threads: threads) { index in
            Result { (index, items[index].path, try open(items[index]).uprightSize) }
        } use: { image in
            do {
                images.append(try image.get())
            } catch {
                faults.append("\(error)")
            }
        }
        return (CropGrid(size: size, overlap: overlap, images), faults)
    }

    /// Where tiles begin along a side of an image.
    static func starts(_ length: Int, of side: Int, overlap: Int) -> [Int] {
        let last = max(length - side, 0)
        return Array(stride(from: 0, to: last, by: side - overlap)) + [last]
    }

    /// The tile of a number.
    package subscript(number: Int) -> Tile {
        var (low, high) = (0, pictures.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if pictures[middle].first <= number { low = middle } else { high = middle }
        }
        let picture = pictures[low]
        let (row, column) = (number - picture.first).quotientAndRemainder(dividingBy: picture.lefts.count)
        return Tile(picture: low, x: picture.lefts[column], y: picture.tops[row])
    }

    /// How much pixels count along a side of a tile: 1 in the middle, and less towards its edges, where others overlap.
    package func weights(_ side: Int) -> [Double] {
        (0..<side).map { min(1, Double(min($0, side - 1 - $0) + 1) / Double(overlap + 1)) }
    }

    /// What decides the places, in the recipe of an archive.
    var text: String {
        "\(overlap) " + pictures.map { "\($0.size)" }.joined(separator: " ")
    }
}

extension CropGrid {
    /// The JSON beside archives, from which `viewport stitch` knows the places of tiles.
    package func document(recipe: String) -> JSONValue {
        .object([
            "recipe": .string(recipe), "size": .array([.int(size.width), .int(size.height)]),
            "overlap": .int(overlap), "count": .int(count),
            "images": .array(
                pictures.map { picture in
                    .object([
                        "path": .string(picture.path),
                        "size": .array([.int(picture.size.width), .int(picture.size.height)]),
                        "first": .int(picture.first), "columns": .int(picture.lefts.count),
                        "rows": .int(picture.tops.count),
                    ])
                }),
        ])
    }

    /// Reads such a document; nil where it is none, or its numbers contradict each other.
    package init?(_ document: JSONValue) {
        func pair(_ value: JSONValue?) -> (Int, Int)? {
            let numbers = value?.array?.compactMap(\.int) ?? []
            // Sides that libvips can write.
            return numbers.count == 2 && numbers.allSatisfy { (1...10_000_000).contains($0) }
                ? (numbers[0], numbers[1]) : nil
        }
        guard let (width, height) = pair(document["size"]), max(width, height) <= 65_535,
            let overlap = document["overlap"]?.int, overlap >= 0, overlap < min(width, height),
            let listed = document["images"]?.array, !listed.isEmpty
        else { return nil }
        var images: [(Int, String, PixelSize<UprightGrid>)] = []
        for (index, image) in listed.enumerated() {
            guard let path = image["path"]?.string, let (width, height) = pair(image["size"]) else {
                return nil
            }
            images.append((index, path, PixelSize(width: width, height: height)))
        }
        self.init(size: PixelSize(width: width, height: height), overlap: overlap, images)
        guard document["count"]?.int == count else { return nil }
        for (picture, image) in zip(pictures, listed) {
            guard image["first"]?.int == picture.first, image["columns"]?.int == picture.lefts.count,
                image["rows"]?.int == picture.tops.count
            else { return nil }
        }
    }
}
