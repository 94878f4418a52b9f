#if Server
internal import Basics
internal import HTTPTypes
internal import ViewerPages

/// The pages of a list that is shown some items at a time; the parameter `page` of an address selects one, from 1.
package struct ListPages {
    /// The number of the page.
    package let number: Int
    /// The number of pages, at least 1.
    package let count: Int
    /// The positions of the items of the page; the last page may have fewer.
    package let range: Range<Int>

    /// - Parameters:
    ///   - request: the request for a page.
    ///   - items: the number of all items.
    ///   - length: the number of items on a page.
    ///   - whole: what has the items, "list".
    /// - Throws: `RouteError` if there is no such page.
    package init(
        _ request: RouteRequest, of items: Int, length: Int, in whole: String = "list"
    ) throws(RouteError) {
        count = max(1, (items + length - 1) / length)
        guard let number = Int(strict: request.value("page") ?? "1"), (1...count).contains(number) else {
            throw RouteError(.notFound, "the \(whole) has \(count) \(count == 1 ? "page" : "pages")")
        }
        self.number = number
        range = (number - 1) * length..<number * length
    }

    /// ", page 2 of 3"; empty if there is one page.
    package var position: String { count > 1 ? ", page \(number) of \(count)" : "" }

    /// Links to the previous and the next page.
    ///
    /// - Parameter address: returns the address of a page, which is escaped here.
    package func links(_ address: (Int) -> String) -> String {
        [(number - 1, "prev", "Previous"), (number + 1, "next", "Next")]
            .filter { page, _, _ in (1...count).contains(page) }
            .map { page, relation, title in
                "<a rel=\"\(relation)\" href=\"\(PageTemplate.escaped(address(page)))\">\(title)</a>"
            }.joined(separator: " ")
    }
}
#endif
