internal import Basics
internal import Containers
internal import Foundation
package import ViewportGeometry
package import Vips

extension VipsImage {
    /// Writes a file with an EXIF orientation.
    package func save(
        _ path: String, oriented orientation: Orientation, _ arguments: [String: VipsArgument] = [:]
    ) throws {
        let savers = ["jpg": "jpegsave", "png": "pngsave", "tif": "tiffsave", "webp": "webpsave"]
        let ending = path.split(separator: ".").last.map(String.init) ?? ""
        try withOrientation(orientation).save(path, with: savers[ending] ?? "", arguments)
        guard ending == "png" else { return }
        // libvips' PNG writer omits the orientation, so an eXIf chunk is inserted after IHDR.
        var file = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let tag = TIFFValue(tag: 0x0112, type: 3, [orientation.rawValue], .big)
        file.insert(
            contentsOf: PNGChunk.bytes("eXIf", TIFFWriter(.big).block([tag])), at: PNGChunk.headerEnd)
        try Data(file).write(to: URL(fileURLWithPath: path))
    }
}
