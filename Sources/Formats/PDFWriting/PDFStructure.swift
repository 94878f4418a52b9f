internal import ViewportGeometry

/// What the parts of a page are, in reading order: paragraphs, and figures with the words that stand for them.
///
/// Source: ISO 32000-1, 14.6 to 14.8.
struct PDFStructure: Sendable {
    /// A part of a page for programs that read it aloud.
    struct Element: Sendable {
        let role: PDFPage.Role
        let frame: Rect<ViewSpace>
    }

    private(set) var elements: [Element] = []

    var isEmpty: Bool { elements.isEmpty }

    /// Adds an element, and returns the operator that begins its content.
    mutating func begin(_ role: PDFPage.Role, in frame: Rect<ViewSpace>) -> String {
        guard role != .decoration else { return "/Artifact BMC\n" }
        elements.append(Element(role: role, frame: frame))
        return "/\(role.name) << /MCID \(elements.count - 1) >> BDC\n"
    }

    /// Writes the tree of elements, and returns the number of its root.
    ///
    /// - Parameter box: returns the numbers of a rectangle on the page.
    func write(to file: inout PDFFile, page: Int, box: (Rect<ViewSpace>) -> [Double]) -> Int {
        let (root, document) = (file.reserve(), file.reserve())
        let numbers = elements.map { _ in file.reserve() }
        for (index, element) in elements.enumerated() {
            var more = ""
            if case .figure(let words) = element.role {
                if let words { more += " /Alt \(PDFText.string(words))" }
                more += " /A << /O /Layout /BBox [\(PDFNumber.list(box(element.frame)))] >>"
            }
            file.write(
                numbers[index],
                "<< /Type /StructElem /S /\(element.role.name) /P \(document) 0 R /Pg \(page) 0 R /K \(index)\(more) >>"
            )
        }
        let kids = numbers.map { "\($0) 0 R" }.joined(separator: " ")
        file.write(document, "<< /Type /StructElem /S /Document /P \(root) 0 R /K [\(kids)] >>")
        file.write(
            root,
            "<< /Type /StructTreeRoot /K \(document) 0 R /ParentTree << /Nums [0 [\(kids)]] >> /ParentTreeNextKey 1 >>"
        )
        return root
    }
}

extension PDFPage {
    /// What a part of a page is.
    package enum Role: Hashable, Sendable {
        /// A text.
        case paragraph
        /// A picture, with the words that stand for it, if known.
        case figure(String?)
        /// Nothing that has to be read.
        case decoration

        fileprivate var name: String {
            switch self {
            case .paragraph: "P"
            case .figure: "Figure"
            case .decoration: "Artifact"
            }
        }
    }
}
