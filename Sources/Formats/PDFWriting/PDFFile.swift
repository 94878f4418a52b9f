/// The objects of a document and their offsets.
struct PDFFile {
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
    ///
    /// - Parameter information: the number of what is said of the document, if anything.
    func finished(root: Int, information: Int? = nil) -> [UInt8] {
        var table = "xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n"
        for offset in offsets {
            let digits = String(offset)
            table += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
        }
        let more = information.map { " /Info \($0) 0 R" } ?? ""
        table += "trailer\n<< /Size \(offsets.count + 1) /Root \(root) 0 R\(more) >>\n"
        return bytes + Array((table + "startxref\n\(bytes.count)\n%%EOF\n").utf8)
    }
}

/// Numbers as PDF writes them: without exponents.
enum PDFNumber {
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
