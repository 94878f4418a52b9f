package import ViewportGeometry

/// A PDF document of one page: rectangles and images in the order in which they are added.
///
/// Coordinates are points of 1/72 inch from the top-left corner of the page; *y* grows downwards. Equal pages give equal
/// bytes. Source: ISO 32000-1 (PDF 1.7).
package struct PDFPage: Sendable {
    private let size: Size<ViewSpace>
    private var content: [UInt8] = []
    private var images: [PDFImage] = []
    /// The opacities that were used, each once.
    private var opacities: [String] = []

    /// Creates an empty page.
    ///
    /// - Precondition: the size is finite and not empty.
    package init(size: Size<ViewSpace>) {
        precondition(size.isFinite && !size.isEmpty)
        self.size = size
    }

    /// Fills a rectangle with an sRGB color of components from 0 to 1.
    package mutating func fill(
        _ rect: Rect<ViewSpace>, red: Double, green: Double, blue: Double, opacity: Double = 1
    ) {
        write("q \(setting(opacity))\(PDFNumber.list([red, green, blue])) rg \(Self.rectangle(rect)) f Q\n")
    }

    /// Draws an image that fills a rectangle.
    package mutating func draw(_ image: PDFImage, in rect: Rect<ViewSpace>) {
        // Images are a unit square whose first row is at the top.
        let matrix = PDFNumber.list([rect.width, 0, 0, -rect.height, rect.minX, rect.maxY])
        write("q \(matrix) cm /Im\(images.count) Do Q\n")
        images.append(image)
    }

    private mutating func write(_ text: String) { content += Array(text.utf8) }

    private static func rectangle(_ rect: Rect<ViewSpace>) -> String {
        PDFNumber.list([rect.minX, rect.minY, rect.width, rect.height]) + " re"
    }

    /// Returns the operator that sets an opacity; empty for an opaque color.
    private mutating func setting(_ opacity: Double) -> String {
        guard opacity < 1 else { return "" }
        let text = PDFNumber.text(max(0, opacity))
        if !opacities.contains(text) { opacities.append(text) }
        return "/A\(opacities.firstIndex(of: text)!) gs "
    }

    // MARK: The file

    /// Returns the document.
    package var file: [UInt8] {
        var file = PDFFile()
        let (catalog, pages, page, contents) = (
            file.reserve(), file.reserve(), file.reserve(), file.reserve()
        )
        // Readers limit the sides of pages to 200 inches; a larger unit allows more.
        let unit = max(1, (max(size.width, size.height) / 14_400).rounded(.up))
        let (width, height) = (size.width / unit, size.height / unit)
        file.write(catalog, "<< /Type /Catalog /Pages \(pages) 0 R >>")
        file.write(pages, "<< /Type /Pages /Kids [\(page) 0 R] /Count 1 >>")
        let numbers = images.map { file.add($0) }
        let names = numbers.enumerated().map { "/Im\($0.offset) \($0.element) 0 R" }
        let states = opacities.enumerated().map { "/A\($0.offset) << /ca \($0.element) >>" }
        file.write(
            page,
            "<< /Type /Page /Parent \(pages) 0 R /MediaBox [0 0 \(PDFNumber.list([width, height]))]"
                + (unit > 1 ? " /UserUnit \(PDFNumber.text(unit))" : "")
                + " /Resources << /XObject << \(names.joined(separator: " ")) >>"
                + " /ExtGState << \(states.joined(separator: " ")) >> >> /Contents \(contents) 0 R >>")
        // From points below the top-left corner to units above the bottom-left one.
        let matrix = PDFNumber.list([1 / unit, 0, 0, -1 / unit, 0, height])
        file.write(contents, "<< ", stream: Array("\(matrix) cm\n".utf8) + content)
        return file.finished(root: catalog)
    }
}

/// An image of a PDF: its colors and, where it is not opaque, its opacity.
package struct PDFImage: Sendable {
    /// Samples of 8 bits.
    package struct Plane: Sendable {
        /// The compression of the samples.
        package enum Coding: Sendable {
            /// A baseline or progressive JPEG.
            case jpeg
            /// A zlib stream of rows with a PNG filter each.
            case deflatedRows
            /// None.
            case plain
        }

        package var width: Int
        package var height: Int
        /// 1 for gray, 3 for sRGB.
        package var channels: Int
        package var coding: Coding
        package var bytes: [UInt8]

        package init(width: Int, height: Int, channels: Int, _ coding: Coding, _ bytes: [UInt8]) {
            (self.width, self.height, self.channels) = (width, height, channels)
            (self.coding, self.bytes) = (coding, bytes)
        }
    }

    package var colors: Plane
    /// Gray samples, 255 where the image is opaque; the size may differ from that of the colors.
    package var opacity: Plane?

    package init(_ colors: Plane, opacity: Plane? = nil) {
        self.colors = colors
        self.opacity = opacity
    }
}

/// The objects of a document and their offsets.
private struct PDFFile {
    private var bytes = Array("%PDF-1.7\n".utf8) + [0x25, 0xE2, 0xE3, 0xCF, 0xD3, 0x0A]
    /// The offset of each object; object numbers count from 1.
    private var offsets: [Int] = []

    /// Returns the number of an object that is written later.
    mutating func reserve() -> Int {
        offsets.append(0)
        return offsets.count
    }

    /// Writes an object; `dictionary` is open if a stream follows.
    mutating func write(_ number: Int, _ dictionary: String, stream: [UInt8]? = nil) {
        offsets[number - 1] = bytes.count
        bytes += Array("\(number) 0 obj\n\(dictionary)".utf8)
        if let stream {
            bytes += Array("/Length \(stream.count) >>\nstream\n".utf8) + stream + Array("\nendstream".utf8)
        }
        bytes += Array("\nendobj\n".utf8)
    }

    /// Adds an image and returns its number.
    mutating func add(_ image: PDFImage) -> Int {
        let mask = image.opacity.map { add($0, "") }
        return add(image.colors, mask.map { "/SMask \($0) 0 R " } ?? "")
    }

    private mutating func add(_ plane: PDFImage.Plane, _ more: String) -> Int {
        let number = reserve()
        let filter =
            switch plane.coding {
            case .jpeg: "/Filter /DCTDecode "
            case .deflatedRows:
                "/Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors \(plane.channels) "
                    + "/BitsPerComponent 8 /Columns \(plane.width) >> "
            case .plain: ""
            }
        write(
            number,
            "<< /Type /XObject /Subtype /Image /Width \(plane.width) /Height \(plane.height) "
                + "/ColorSpace /Device\(plane.channels == 1 ? "Gray" : "RGB") /BitsPerComponent 8 "
                + filter + more, stream: plane.bytes)
        return number
    }

    /// Appends the table of offsets.
    func finished(root: Int) -> [UInt8] {
        var table = "xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n"
        for offset in offsets {
            let digits = String(offset)
            table += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
        }
        table += "trailer\n<< /Size \(offsets.count + 1) /Root \(root) 0 R >>\n"
        return bytes + Array((table + "startxref\n\(bytes.count)\n%%EOF\n").utf8)
    }
}

/// Numbers as PDF writes them: without exponents.
private enum PDFNumber {
    static func list(_ values: [Double]) -> String { values.map(text).joined(separator: " ") }

    /// Returns a number to a millionth; 0 if it is not finite.
    static func text(_ value: Double) -> String {
        guard value.isFinite else { return "0" }
        let millionths = Int((min(max(value, -1e9), 1e9) * 1e6).rounded())
        let (whole, part) = millionths.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = "\(1_000_000 + part)".dropFirst().reversed().drop { $0 == "0" }.reversed()
        return (millionths < 0 ? "-" : "") + "\(whole)" + (digits.isEmpty ? "" : "." + String(digits))
    }
}
