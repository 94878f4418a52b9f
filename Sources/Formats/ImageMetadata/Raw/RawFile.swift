internal import Basics
package import Containers
package import ViewportGeometry

/// A camera raw file: the JPEGs that it embeds, and the metadata that applies to all of them.
///
/// The positions come from directories, boxes and headers; nothing searches for the bytes of a JPEG.
package struct RawFile {
    package let format: FileFormat
    /// The pixels that the data of the sensor makes, as stored; nil if the file does not state them.
    package let sensorSize: PixelSize<StoredGrid>?
    /// The orientation of IFD0, which applies to all previews.
    package let orientation: Orientation
    package let exif: Exif?
    /// The ICC profile of previews that have none of their own; nil for sRGB.
    package let profile: [UInt8]?
    /// The previews, the largest first, also those that the end of the file cuts off.
    package let previews: [EmbeddedJPEG]

    /// Reads the structure of a raw file; nil for all other files, and for a DNG without data of a sensor.
    ///
    /// - Parameter name: The file's name, whose extension distinguishes formats with the same first bytes.
    package init?(_ bytes: FileBytes, name: String) {
        guard let format = FileFormat(bytes, name: name), format.isRaw,
            !format.isPlainTIFF || TIFFBlock(file: bytes).holdsSensorData,
            let metadata = FileMetadata(bytes, name: name)
        else { return nil }
        self.format = format
        sensorSize = metadata.storedSize
        orientation = metadata.orientation
        exif = metadata.exif
        // DNG states the color space of previews in their directories.
        let isAdobeRGB =
            exif?.isAdobeRGB == true
            || format == .dng && TIFFBlock(file: bytes).directories.contains { $0.int(0xC71A) == 3 }
        profile = isAdobeRGB ? ICCProfile.adobeRGB : nil
        previews = metadata.embedded.filter(\.isPicture).sorted { $0.order > $1.order }
    }
}

extension FileFormat {
    /// Whether a file of the format begins like any TIFF.
    fileprivate var isPlainTIFF: Bool { [.nef, .arw, .dng, .pef, .srw].contains(self) }
}

/// A JPEG in a raw file.
package struct EmbeddedJPEG: Equatable, Sendable {
    /// Its bytes in the file, some of which may be past the end.
    package let range: Range<Int>
    /// The size in its own header, or else that of the structure that refers to it.
    package let size: PixelSize<StoredGrid>?
    /// The number of its bytes that exist.
    package let available: Int
    /// Whether it is a picture as decoders show it: 8 bits, lossy, gray or color.
    let isPicture: Bool

    package var isComplete: Bool { available == range.count }

    /// - Parameter stated: the size according to the structure that refers to it.
    init?(_ range: Range<Int>, stated: PixelSize<StoredGrid>?, in bytes: FileBytes) {
        guard !range.isEmpty, range.lowerBound >= 0 else { return nil }
        self.range = range
        available = max(0, min(range.upperBound, bytes.count) - range.lowerBound)
        let head = min(available, Self.longestHeader)
        let frame = head > 0 ? bytes.slice(range.lowerBound, head).flatMap(JPEGFrame.init) : nil
        size = frame?.size ?? stated
        // The header of a JPEG that is cut off may be missing.
        isPicture = frame?.isPicture ?? (available < min(range.count, Self.longestHeader))
    }

    /// Headers with all metadata are shorter.
    private static let longestHeader = 1 << 20

    /// Sorts by pixels, then by bytes.
    fileprivate var order: (Int, Int) { (size?.area ?? 0, range.count) }
}

/// The frame header of a JPEG: its size and kind.
///
/// Source: ITU-T T.81, B.2.2.
package struct JPEGFrame: Equatable, Sendable {
    package let size: PixelSize<StoredGrid>
    /// The second byte of its marker: 0xC0 baseline, 0xC2 progressive, 0xC3 lossless.
    package let marker: Int
    package let precision: Int
    package let components: Int

    /// Reads the segments from the start-of-image marker on; nil where they end or are damaged before the frame.
    package init?(_ bytes: FileBytes) {
        guard FileType(bytes) == .jpeg else { return nil }
        var segments = JPEGSegments(bytes)
        // What cannot be read is missing: the check of the file reports it.
        while let segment = (try? segments.next()) ?? nil, !segment.endsHeader {
            guard segment.isFrame else { continue }
            let at = segment.body.lowerBound
            guard let precision = bytes.uint8(at: at), let height = bytes.uint16(at: at + 1),
                let width = bytes.uint16(at: at + 3), let components = bytes.uint8(at: at + 5)
            else { return nil }
            (marker, self.precision, self.components) = (Int(segment.marker), precision, components)
            size = PixelSize(width: width, height: height)
            return
        }
        return nil
    }

    /// Whether decoders of photographs show it; the data of sensors is often stored as a lossless JPEG.
    var isPicture: Bool {
        (0xC0...0xC2).contains(marker) && precision == 8 && [1, 3].contains(components) && !size.isEmpty
    }
}

extension TIFFBlock {
    /// The first directory, its subdirectories, and the directories after it.
    var directories: [TIFFDirectory] {
        guard let main else { return [] }
        // Cameras name themselves. Pages of other files that are not on this machine take a request each.
        guard !bytes.isRemote || [0x010F, 0x014A, 0xC612].contains(where: main.has) else { return [main] }
        var all = [main] + main.ints(0x014A).compactMap { TIFFDirectory(self, at: $0) }
        var next = main.next
        for _ in 0..<4 {
            guard let offset = next, let directory = TIFFDirectory(self, at: offset) else { break }
            all.append(directory)
            next = directory.next
        }
        return all
    }

    /// Whether a directory has the data of a sensor, or a file that is cut off may have lost such a directory.
    var holdsSensorData: Bool {
        guard let main else { return false }
        return directories.contains(where: \.isOfSensor)
            || main.ints(0x014A).contains { TIFFDirectory(self, at: $0) == nil }
    }
}

extension TIFFDirectory {
    /// Whether it describes the data of a sensor: a mosaic, or linear samples before any rendering.
    ///
    /// Source: TIFF/EP; Adobe DNG 1.7, "PhotometricInterpretation".
    var isOfSensor: Bool { [32803, 34892].contains(int(0x0106)) }

    /// The size of its picture.
    var size: PixelSize<StoredGrid>? {
        guard let width = int(0x0100), let height = int(0x0101),
            (1...Int(Int32.max)).contains(width), (1...Int(Int32.max)).contains(height)
        else { return nil }
        return PixelSize(width: width, height: height)
    }

    /// The JPEG that is its only strip, if that is a picture and not the data of a sensor, a mask or a map of depths.
    var jpegStrip: Range<Int>? {
        guard [6, 7].contains(int(0x0103)), [nil, 1, 2, 6].contains(int(0x0106)), !has(0xC640),
            // Reduced pictures and alternatives to them.
            (int(0x00FE) ?? 0) & ~0x1_0001 == 0,
            case let offsets = ints(0x0111), case let lengths = ints(0x0117),
            offsets.count == 1, lengths.count == 1, lengths[0] > 0
        else { return nil }
        return offsets[0]..<(offsets[0] + lengths[0])
    }
}
