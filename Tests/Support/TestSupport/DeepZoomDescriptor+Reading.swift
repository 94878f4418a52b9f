package import TilePyramid
internal import ViewportGeometry

extension DeepZoomDescriptor {
    /// Reads the attributes of a `.dzi` file; nil if one is missing.
    package init?(reading text: String) {
        func attribute(_ name: String) -> Substring? {
            text.firstRange(of: "\(name)=\"").map { text[$0.upperBound...].prefix { $0 != "\"" } }
        }
        func number(_ name: String) -> Int? { attribute(name).flatMap { Int($0) } }
        guard let width = number("Width"), let height = number("Height"), let tileSize = number("TileSize"),
            let overlap = number("Overlap"), let format = attribute("Format")
        else { return nil }
        self.init(
            size: PixelSize(width: width, height: height), tileSize: tileSize, overlap: overlap,
            format: String(format))
    }
}
