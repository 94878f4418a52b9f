internal import Basics
package import ViewportGeometry

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A Deep Zoom descriptor (`.dzi`) of a tile pyramid.
///
/// Tiles are named `NAME_files/{level}/{column}_{row}.{format}`; in names, level 0 is the smallest, of one pixel.
/// Source: Microsoft's Deep Zoom file format (2008) and `vips dzsave`.
package struct DeepZoomDescriptor: Hashable, Sendable {
    package var size: PixelSize<UprightGrid>
    package var tileSize: Int
    package var overlap: Int
    /// The file name extension of the tiles, without a dot.
    package var format: String

    package init(size: PixelSize<UprightGrid>, tileSize: Int, overlap: Int, format: String) {
        self.size = size
        self.tileSize = tileSize
        self.overlap = overlap
        self.format = format
    }

    /// The levels and their tiles.
    package var pyramid: TiledPyramid {
        TiledPyramid(size: size, tileSize: tileSize, overlap: overlap, depth: .onePixel)
    }

    /// The number of levels.
    private var levelCount: Int {
        let longest = max(size.width, size.height)
        return longest <= 1 ? 1 : Int.bitWidth - (longest - 1).leadingZeroBitCount + 1
    }

    /// Returns the path of a tile relative to the folder `NAME_files`.
    package func path(_ key: TilePosition) -> String {
        "\(levelCount - 1 &- key.level)/\(key.column)_\(key.row).\(format)"
    }

    /// Returns the tile at a path relative to the folder `NAME_files`; nil if the pyramid has no such tile.
    package func key(_ path: String) -> TilePosition? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasSuffix(".\(format)") else { return nil }
        let position = parts[1].dropLast(format.utf8.count + 1).split(
            separator: "_", omittingEmptySubsequences: false)
        guard position.count == 2, let level = Int(digits: parts[0]), let column = Int(digits: position[0]),
            let row = Int(digits: position[1])
        else { return nil }
        let key = TilePosition(level: levelCount - 1 - level, column: column, row: row)
        return pyramid.rect(key) != nil && self.path(key) == path ? key : nil
    }
}

extension DeepZoomDescriptor {
    /// The longest side that a descriptor may have, in pixels.
    static let longestSide = Int(Int32.max)

    /// The text of a `.dzi` file, as `vips dzsave` writes it.
    package var text: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <Image xmlns="http://schemas.microsoft.com/deepzoom/2008"
          Format="\(format)"
          Overlap="\(overlap)"
          TileSize="\(tileSize)"
          >
          <Size\u{20}
            Height="\(size.height)"
            Width="\(size.width)"
          />
        </Image>

        """
    }
}

extension UInt8 {
    var isLetterOrDigit: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}

/// An error in the text of a descriptor (`.dzi`, `ImageProperties.xml`, `info.json`).
public enum DescriptorError: Error, Hashable, Sendable {
    /// The text is not valid XML or JSON from this byte on.
    case syntax(offset: Int)
    /// A required member, attribute or element is missing.
    case missing(String)
    /// A member or an attribute has an invalid value.
    case badValue(name: String, value: String)
}

extension DescriptorError: LocalizedError, CustomStringConvertible {
    /// The cause in one sentence.
    public var description: String {
        switch self {
        case .syntax(let offset): "the XML is incomplete or invalid at byte \(offset)"
        case .missing(let name): "\(name) is missing"
        case .badValue(let name, let value): "\(name) cannot be \"\(value)\""
        }
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension Int {
    /// Parses one to ten digits, without a sign or spaces.
    init?(digits text: some StringProtocol) {
        guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        self.init(text)
    }
}

extension JSONValue {
    /// Parses a descriptor.
    init(describing text: String) throws(DescriptorError) {
        do throws(JSONSyntaxError) {
            try self.init(parsing: text)
        } catch {
            throw .syntax(offset: error.offset)
        }
    }

    /// Returns a member that is a positive integer; nil if it is missing.
    func positive(_ name: String) throws(DescriptorError) -> Int? {
        guard let value = self[name] else { return nil }
        guard case .int(let number) = value, (1...DeepZoomDescriptor.longestSide).contains(number) else {
            throw .badValue(name: name, value: value.text())
        }
        return number
    }

    /// Returns a required member.
    func require(_ name: String) throws(DescriptorError) -> JSONValue {
        guard let value = self[name] else { throw .missing(name) }
        return value
    }
}
