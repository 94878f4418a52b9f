internal import Basics
package import Batches
package import ImageReading
internal import Resampling
internal import ViewportGeometry
internal import Vips

/// The type and the number of the samples of a pixel.
package struct ValueForm: Hashable, Sendable, CustomStringConvertible {
    private let layout: SampleLayout

    /// Reads the form of an image's stored samples.
    package init(_ file: ImageFile) throws { layout = try StoredSamples(file).layout }

    /// The type and the channels: "16 bits, 3 channels".
    package var description: String {
        let type = layout.type == .float32 ? "floats" : "\(8 * layout.type.bytes) bits"
        return "\(type), \(layout.bands.counted("channel"))"
    }

    /// Returns a sentence that names the first image with other values than the first one; nil if all agree.
    ///
    /// Images that cannot be opened are left to the run, which names them.
    package static func disagreement(
        _ items: [BatchItem], threads: Int, open: @escaping @Sendable (BatchItem) throws -> ImageFile
    ) throws -> String? {
        var first: (path: String, form: ValueForm)?
        var (index, other): (Int, String?) = (0, nil)
        try OrderedWork.run(items.count, threads: threads) { index in
            (try? open(items[index])).flatMap { try? ValueForm($0) }
        } use: { form in
            defer { index += 1 }
            guard let form, other == nil else { return }
            if let first, first.form != form {
                other =
                    "\(items[index].path): has \(form), and \(first.path) \(first.form); values of one archive have one type and as many channels"
            }
            if first == nil { first = (items[index].path, form) }
        }
        return other
    }
}

/// The stored samples of a crop, upright, rows from the top.
struct CropValues {
    private let size: PixelSize<OutputGrid>
    private let layout: SampleLayout
    private let bytes: [UInt8]

    /// - Throws: `InvalidText` for a place that would have to be scaled; what is outside of the image is zero.
    init(_ place: CropPlace, of file: ImageFile, _ size: PixelSize<OutputGrid>) throws {
        let numbers = place.numbers
        guard numbers.allSatisfy({ $0 == $0.rounded() && abs($0) < 1e9 }),
            numbers[2] == Double(size.width), numbers[3] == Double(size.height)
        else {
            throw InvalidText(
                "\(file.path): values are not scaled: the rectangle must have whole numbers and the size of the crops"
            )
        }
        let samples = try StoredSamples(file)
        self.size = size
        layout = samples.layout
        bytes = try samples.bytes(
            PixelRect(x: Int(numbers[0]), y: Int(numbers[1]), width: size.width, height: size.height))
    }

    /// The file of `numpy.save`: rows, columns, and channels if there are several.
    var npy: [UInt8] {
        let type: NPYHeader.Kind =
            switch layout.type {
            case .uint8: .uint(1)
            case .uint16: .uint(2)
            case .float32: .float(4)
            }
        let shape = [size.height, size.width] + (layout.bands > 1 ? [layout.bands] : [])
        return NPYHeader(type, shape).bytes + bytes
    }

    /// A TIFF without compression.
    func tiff() throws -> [UInt8] {
        let format: SampleFormat =
            switch layout.type {
            case .uint8: .uint8
            case .uint16: .uint16
            case .float32: .float32
            }
        return try VipsImage.pixels(
            bytes, width: size.width, height: size.height, bands: layout.bands, format: format,
            interpretation: layout.bands < 3 ? "b-w" : "multiband"
        ).saved(with: "tiffsave_buffer", [:])
    }
}
