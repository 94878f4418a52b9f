/// The identifier of an image at a server: the name of its file, and the page of one that has several, as in "scan.tif;2".
package struct PageIdentifier: Hashable, Sendable {
    package let name: String
    /// From 0.
    package let page: Int

    /// Splits an identifier; a ";" that is not followed by digits belongs to the name.
    package init(_ identifier: String) {
        let whole = (identifier, 0)
        guard let mark = identifier.utf8.lastIndex(of: UInt8(ascii: ";")) else {
            (name, page) = whole
            return
        }
        let digits = identifier[identifier.utf8.index(after: mark)...]
        let isPage = (1...6).contains(digits.utf8.count) && digits.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        (name, page) = isPage ? (String(identifier[..<mark]), Int(digits) ?? 0) : whole
    }

    /// What follows the name of a file in the identifier of one of its pages: nothing for the first.
    package static func mark(ofPage page: Int) -> String { page == 0 ? "" : ";\(page)" }
}
