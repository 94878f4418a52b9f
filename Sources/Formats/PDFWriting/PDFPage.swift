package import ViewportGeometry

/// A PDF document of one page: rectangles, images and words in the order in which they are added.
///
/// Coordinates are points of 1/72 inch from the top-left corner of the page; *y* grows downwards. Equal pages give equal
/// bytes. Source: ISO 32000-1 (PDF 1.7).
package struct PDFPage: Sendable {
    private let size: Size<ViewSpace>
    private var content: [UInt8] = []
    private var images: [PDFImage] = []
    /// The opacities that were used, each once.
    private var opacities: [String] = []
    private var words = PDFWords()
    private var structure = PDFStructure()
    /// The title of the document, if any.
    package var title: String?
    /// The program that made it, if it is stated.
    package var producer: String?
    /// The profile of sRGB, which says what the numbers of colors mean; nil leaves that to readers.
    package var profile: [UInt8]?

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

    /// Adds a part of the page, and says what it is.
    ///
    /// - Parameters:
    ///   - frame: where it is.
    ///   - body: adds its rectangles, images and words.
    package mutating func add(
        _ role: Role, in frame: Rect<ViewSpace>, _ body: (inout PDFPage) throws -> Void
    ) rethrows {
        write(structure.begin(role, in: frame))
        try body(&self)
        write("EMC\n")
    }

    /// Adds words that are not seen, because a picture below shows them.
    ///
    /// - Parameters:
    ///   - rect: the place of the words in their line, as high as the line.
    ///   - isRightToLeft: whether the first character is the rightmost.
    package mutating func addWords(_ text: String, in rect: Rect<ViewSpace>, isRightToLeft: Bool) {
        guard !text.isEmpty, rect.width > 0, rect.height > 0 else { return }
        let stretch = rect.width / (PDFWords.width * Double(text.count)) * (isRightToLeft ? -1 : 1)
        let matrix = PDFNumber.list([
            stretch, 0, 0, -rect.height, isRightToLeft ? rect.maxX : rect.minX,
            rect.minY + PDFWords.ascent * rect.height,
        ])
        write("BT \(matrix) Tm \(words.operators(text))ET\n")
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
        file.write(pages, "<< /Type /Pages /Kids [\(page) 0 R] /Count 1 >>")
        let numbers = images.map { file.add($0) }
        let names = numbers.enumerated().map { "/Im\($0.offset) \($0.element) 0 R" }
        let states = opacities.enumerated().map { "/A\($0.offset) << /ca \($0.element) >>" }
        file.write(
            page,
            "<< /Type /Page /Parent \(pages) 0 R /MediaBox [0 0 \(PDFNumber.list([width, height]))]"
                + (unit > 1 ? " /UserUnit \(PDFNumber.text(unit))" : "")
                + " /Resources << /XObject << \(names.joined(separator: " ")) >>"
                + " /ExtGState << \(states.joined(separator: " ")) >>\(words.write(to: &file)) >>"
                + (structure.isEmpty ? "" : " /StructParents 0 /Tabs /S") + " /Contents \(contents) 0 R >>")
        // From points below the top-left corner to units above the bottom-left one.
        let matrix = PDFNumber.list([1 / unit, 0, 0, -1 / unit, 0, height])
        file.write(contents, "<< ", stream: Array("\(matrix) cm\n".utf8) + content)
        file.write(
            catalog, "<< /Type /Catalog /Pages \(pages) 0 R\(statements(page, unit, height, &file)) >>")
        let information = information(in: &file)
        return file.finished(root: catalog, information: information)
    }

    /// Returns the entries of the catalog that say what the document is.
    private func statements(_ page: Int, _ unit: Double, _ height: Double, _ file: inout PDFFile) -> String {
        var text = title == nil ? "" : " /ViewerPreferences << /DisplayDocTitle true >>"
        if let profile {
            let number = file.reserve()
            file.write(number, "<< /N 3 ", stream: profile)
            text +=
                " /OutputIntents [<< /Type /OutputIntent /S /GTS_PDFA1"
                + " /OutputConditionIdentifier (sRGB IEC61966-2.1) /RegistryName (http://www.color.org)"
                + " /Info (sRGB IEC61966-2.1) /DestOutputProfile \(number) 0 R >>]"
        }
        guard !structure.isEmpty else { return text }
        let root = structure.write(to: &file, page: page) { rect in
            [rect.minX / unit, height - rect.maxY / unit, rect.maxX / unit, height - rect.minY / unit]
        }
        return text + " /MarkInfo << /Marked true >> /StructTreeRoot \(root) 0 R"
    }

    /// Writes title and producer; returns nil where there are none.
    private func information(in file: inout PDFFile) -> Int? {
        let entries = [("Title", title), ("Producer", producer)].compactMap { name, text in
            text.map { "/\(name) \(PDFText.string($0))" }
        }
        guard !entries.isEmpty else { return nil }
        let number = file.reserve()
        file.write(number, "<< \(entries.joined(separator: " ")) >>")
        return number
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
