package import ImageMetadata
package import ViewportGeometry

/// How the metadata of a file is adapted to a picture that was made of it: in one place for all blocks, formats and commands.
package struct PictureChange: Sendable {
    /// The stored size of the new picture.
    package var size: PixelSize<StoredGrid>
    /// The orientation that the new picture states.
    package var orientation: Orientation
    package var panorama: PanoramaChange
    /// Where positions lie in the new picture; nil if that is not known.
    package var map: PictureMap?
    /// Whether the colors are sRGB.
    package var isSRGB: Bool
    /// The resolution of the new picture; nil where the file states none, and where that of the file stays.
    package var resolution: Resolution?

    /// Returns EXIF of the new picture; nil if the block is none.
    ///
    /// - Parameter block: from "Exif\0\0" or the byte-order mark on.
    package func exif(_ block: [UInt8]) -> [UInt8]? {
        var exif = ExifBlock(block)
        exif?.describe(self)
        return exif?.bytes
    }

    /// Returns XMP of the new picture, which has no gain map; nil if it has positions that cannot be read.
    package func xmp(_ packet: [UInt8]) -> [UInt8]? {
        guard var packet = XMPPacket.moved(packet, by: map) else { return nil }
        packet = panorama.made(in: XMPPacket.withoutGainMap(packet))
        if isSRGB { packet = XMPPacket.withoutProfileName(packet) }
        var values = [
            ("tiff:Orientation", "\(orientation.rawValue)"), ("tiff:ImageWidth", "\(size.width)"),
            ("tiff:ImageLength", "\(size.height)"), ("exif:PixelXDimension", "\(size.width)"),
            ("exif:PixelYDimension", "\(size.height)"),
        ]
        if isSRGB { values.append(("exif:ColorSpace", "1")) }
        if let (across, down, unit) = resolution?.tiff {
            values += [
                ("tiff:XResolution", "\(across.0)/\(across.1)"), ("tiff:YResolution", "\(down.0)/\(down.1)"),
                ("tiff:ResolutionUnit", "\(unit)"),
            ]
        }
        return values.reduce(packet) { Self.replaced($0, $1.0, $1.1) }
    }

    /// Replaces the number or the fraction in `name="6"` and in `<name>6/1</`.
    private static func replaced(_ packet: [UInt8], _ name: String, _ value: String) -> [UInt8] {
        let name = Array(name.utf8)
        var result: [UInt8] = []
        var at = 0
        while at < packet.count {
            guard packet[at] == name[0], packet[at...].starts(with: name) else {
                result.append(packet[at])
                at += 1
                continue
            }
            let start = packet[(at + name.count)...].drop { [0x20, 0x3D, 0x22, 0x27, 0x3E].contains($0) }
            // Digits, with the point and the stroke of fractions.
            let digits = start.prefix { (0x2E...0x39).contains($0) }
            result += packet[at..<start.startIndex]
            if start.startIndex > at + name.count, !digits.isEmpty {
                result += Array(value.utf8)
                at = digits.endIndex
            } else {
                at = start.startIndex
            }
        }
        return result
    }
}

extension ImageFile {
    /// Returns what becomes of the metadata of this file in an upright picture of a part of it.
    ///
    /// - Parameters:
    ///   - rect: the part of the upright and turned image that the picture shows; nil where it is turned by another angle.
    ///   - isSRGB: whether the colors of the picture are sRGB.
    package func change(
        showing rect: Rect<ImageSpace>?, as size: PixelSize<OutputGrid>, isSRGB: Bool
    ) -> PictureChange {
        let new = PixelSize<StoredGrid>(width: size.width, height: size.height)
        let panorama = panoramaChange(
            showing: options.turn == .up ? rect : nil,
            size: PixelSize(width: size.width, height: size.height))
        var change = PictureChange(
            size: new, orientation: .up, panorama: panorama, map: nil, isSRGB: isSRGB)
        guard let rect, rect.width > 0, rect.height > 0 else { return change }
        var map = map(to: new, turned: true)
        let whole = uprightSize.imageSize
        map.cut(
            to: PictureMap.Area(
                rect.minX / whole.width, rect.minY / whole.height, rect.maxX / whole.width,
                rect.maxY / whole.height))
        change.map = map
        change.resolution = resolution(
            across: Double(size.width) / rect.width, down: Double(size.height) / rect.height)
        return change
    }

    /// Returns the resolution of an upright picture of this file that has more or fewer pixels.
    private func resolution(across: Double, down: Double) -> Resolution? {
        uprightResolution?.scaled(across: across, down: down)
    }

    /// The resolution that the file states for its first page, upright.
    package var uprightResolution: Resolution? {
        guard page == 0, rawPreview == nil, let stated = metadata(.all)?.resolution else { return nil }
        return orientation.transposes ? stated.transposed : stated
    }

    /// Returns what becomes of the metadata of this file in a copy of some of its stored pixels, which are not turned.
    package func change(copying stored: PixelRect<StoredGrid>) -> PictureChange {
        let upright = orientation.upright(stored, in: storedSize)
        let panorama = panoramaChange(
            showing: Rect(
                x: Double(upright.x), y: Double(upright.y), width: Double(upright.width),
                height: Double(upright.height)), size: upright.size)
        var map = map(to: stored.size, turned: false)
        let (width, height) = (Double(storedSize.width), Double(storedSize.height))
        map.cut(
            to: PictureMap.Area(
                Double(stored.x) / width, Double(stored.y) / height, Double(stored.maxX) / width,
                Double(stored.maxY) / height))
        return PictureChange(
            size: stored.size, orientation: orientation, panorama: panorama, map: map, isSRGB: false)
    }

    /// Returns the map of the whole picture, as the metadata of the file describes it.
    private func map(to size: PixelSize<StoredGrid>, turned: Bool) -> PictureMap {
        let metadata = metadata(.exif)
        let (stored, own) = (metadata?.storedSize ?? storedSize, metadata?.orientation ?? fileOrientation)
        var map = PictureMap(stored, own, to: size)
        // Decoders of some formats turn by themselves what the metadata states.
        let isTurnedByDecoder = own != fileOrientation
        if turned { map.turn(isTurnedByDecoder ? own.followed(by: options.turn) : orientation) }
        return map
    }
}
