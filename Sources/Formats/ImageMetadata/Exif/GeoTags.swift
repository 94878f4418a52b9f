internal import Basics
package import Containers

/// Where the pixels of a picture lie on a map, and which of their values stands for no data: the tags of GeoTIFF and GDAL.
///
/// Source: OGC 19-008r4 (GeoTIFF 1.1), 7.1 and 7.2; GDAL, "GTiff -- GeoTIFF File Format".
package struct GeoTags: Equatable, Sendable {
    /// The size of a pixel on the map.
    private var scale: [Double]
    /// Points of the picture and of the map, six numbers each.
    private var tiepoints: [Double]
    /// The matrix from the picture to the map, row by row.
    private var matrix: [Double]
    /// What the coordinates are: copied as they are.
    private var keys: [TIFFValue]
    /// The value for no data, as GDAL writes it.
    package var noData: String?
    /// Whether whole numbers are the centers of pixels rather than their corners.
    private let isOfCenters: Bool

    private enum Tag {
        static let scale = 33550, tiepoints = 33922, matrix = 34264
        static let directory = 34735, doubles = 34736, texts = 34737, noData = 42113
    }

    /// Returns nil where the directory states none.
    package init?(_ directory: TIFFDirectory) {
        func doubles(_ tag: Int) -> [Double] {
            guard let entry = directory.entry(UInt16(tag)), entry.type == 12,
                let bytes = directory.bytes(UInt16(tag))?.array
            else { return [] }
            let values = stride(from: 0, to: bytes.count, by: 8).compactMap {
                bytes.bits(8, at: $0, directory.order).map(Double.init(bitPattern:))
            }
            return values.allSatisfy(\.isFinite) ? values : []
        }
        scale = doubles(Tag.scale)
        tiepoints = doubles(Tag.tiepoints)
        matrix = doubles(Tag.matrix)
        if scale.count != 3 || scale[0] == 0 || scale[1] == 0 { scale = [] }
        if tiepoints.count % 6 != 0 { tiepoints = [] }
        if matrix.count != 16 { matrix = [] }
        let numbers = directory.entry(UInt16(Tag.directory)).flatMap { entry -> [Int]? in
            guard entry.type == 3, let bytes = directory.bytes(UInt16(Tag.directory))?.array else {
                return nil
            }
            return stride(from: 0, to: bytes.count, by: 2).compactMap {
                bytes.uint16(at: $0, directory.order)
            }
        }
        keys = numbers.map { [TIFFValue(tag: Tag.directory, type: 3, $0, .little)] } ?? []
        // GTRasterTypeGeoKey is RasterPixelIsPoint.
        isOfCenters = stride(from: 4, to: (numbers?.count ?? 0) - 3, by: 4).contains {
            numbers?[$0] == 1025 && numbers?[$0 + 3] == 2
        }
        let parameters = doubles(Tag.doubles)
        if !parameters.isEmpty { keys.append(Self.value(Tag.doubles, parameters)) }
        if let texts = directory.bytes(UInt16(Tag.texts))?.array, !texts.isEmpty {
            keys.append(TIFFValue(tag: Tag.texts, type: 2, count: texts.count, bytes: texts))
        }
        noData = directory.string(UInt16(Tag.noData))
        if !isPlaced, noData == nil { return nil }
    }

    /// Whether it says where pixels lie.
    package var isPlaced: Bool { !(keys.isEmpty && scale.isEmpty && tiepoints.isEmpty && matrix.isEmpty) }

    private static func value(_ tag: Int, _ numbers: [Double]) -> TIFFValue {
        var writer = ByteWriter(.little)
        for number in numbers { writer.append(contentsOf: number.bitPattern.bytes(.little)) }
        return TIFFValue(tag: tag, type: 12, count: numbers.count, bytes: writer.bytes)
    }

    /// The tags of the picture itself, little-endian and ascending.
    package var values: [TIFFValue] {
        let places = [(Tag.scale, scale), (Tag.tiepoints, tiepoints), (Tag.matrix, matrix)]
        let all = places.filter { !$0.1.isEmpty }.map { Self.value($0.0, $0.1) } + keys + noDataValues
        return all.sorted { $0.tag < $1.tag }
    }

    /// The tag of the value for no data, which smaller versions of the picture have, too; empty where there is none.
    package var noDataValues: [TIFFValue] {
        guard let noData else { return [] }
        let bytes = Array(noData.utf8) + [0]
        return [TIFFValue(tag: Tag.noData, type: 2, count: bytes.count, bytes: bytes)]
    }

    /// The point of a picture that is at a point of another one, which was made of it: corners of pixels are whole numbers.
    package struct PixelMap: Sendable {
        package var x: (constant: Double, across: Double, down: Double)
        package var y: (constant: Double, across: Double, down: Double)

        package init(
            x: (constant: Double, across: Double, down: Double),
            y: (constant: Double, across: Double, down: Double)
        ) {
            (self.x, self.y) = (x, y)
        }

        /// The same for the centers of pixels.
        fileprivate var ofCenters: PixelMap {
            var map = self
            map.x.constant += (x.across + x.down - 1) / 2
            map.y.constant += (y.across + y.down - 1) / 2
            return map
        }

        /// Whether rows stay rows, from left to right, and columns from top to bottom.
        fileprivate var isUpright: Bool { x.down == 0 && y.across == 0 && x.across > 0 && y.down > 0 }
    }

    /// Returns the tags of a picture that was made of this one.
    package func moved(by map: PixelMap) -> GeoTags {
        let map = isOfCenters ? map.ofCenters : map
        var moved = self
        let area = map.x.across * map.y.down - map.x.down * map.y.across
        guard area != 0 else { return self }
        if !matrix.isEmpty { moved.matrix = Self.product(matrix, map) }
        if map.isUpright, !scale.isEmpty {
            (moved.scale[0], moved.scale[1]) = (scale[0] * map.x.across, scale[1] * map.y.down)
        } else if !scale.isEmpty, tiepoints.count >= 6 {
            // A turn has no scale of columns and rows.
            (moved.scale, moved.tiepoints) = ([], [])
            moved.matrix = Self.product(ofScale, map)
            return moved
        }
        for index in stride(from: 0, to: tiepoints.count, by: 6) {
            let (x, y) = (tiepoints[index] - map.x.constant, tiepoints[index + 1] - map.y.constant)
            moved.tiepoints[index] = (x * map.y.down - y * map.x.down) / area
            moved.tiepoints[index + 1] = (y * map.x.across - x * map.y.across) / area
        }
        return moved
    }

    /// The matrix that the scale and the first tie point stand for.
    private var ofScale: [Double] {
        [
            scale[0], 0, 0, tiepoints[3] - tiepoints[0] * scale[0],
            0, -scale[1], 0, tiepoints[4] + tiepoints[1] * scale[1],
            0, 0, scale[2], tiepoints[5] - tiepoints[2] * scale[2], 0, 0, 0, 1,
        ]
    }

    private static func product(_ matrix: [Double], _ map: PixelMap) -> [Double] {
        var result = matrix
        for row in stride(from: 0, to: 16, by: 4) {
            let (a, b) = (matrix[row], matrix[row + 1])
            result[row] = a * map.x.across + b * map.y.across
            result[row + 1] = a * map.x.down + b * map.y.down
            result[row + 3] = a * map.x.constant + b * map.y.constant + matrix[row + 3]
        }
        return result
    }
}
