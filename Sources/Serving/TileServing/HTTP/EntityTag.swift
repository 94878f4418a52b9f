#if Server
internal import Digests
private import Files
internal import HTTPTypes

/// An image and all inputs of its encoded bytes: the key of caches.
package struct RenderIdentity: Hashable, Sendable {
    /// One of them has the path of the image: they are compared by their bytes.
    fileprivate let parts: [FilePath]

    package init(_ parts: String...) {
        self.parts = parts.map { FilePath($0) }
    }
}

/// A strong entity tag, for caches of clients.
///
/// Source: RFC 9110, sections 8.8.3 and 13.
package struct EntityTag: Hashable, Sendable {
    /// 32 hexadecimal digits in quotation marks.
    package let text: String

    /// Creates the tag of bytes from all of their inputs.
    package init(_ parts: String...) {
        self.init(parts)
    }

    package init(_ identity: RenderIdentity) {
        self.init(identity.parts.map(\.text))
    }

    private init(_ parts: [String]) {
        var hash = SHA256()
        for part in parts {
            // The length separates "a", "bc" from "ab", "c".
            hash.update(Array("\(part.utf8.count):\(part)".utf8).span)
        }
        text = "\"\(hash.finalize().hexadecimal(first: 16))\""
    }

    /// Returns whether `If-None-Match` of a request contains the tag.
    package func matches(_ request: RouteRequest) -> Bool {
        guard let known = request[.ifNoneMatch] else { return false }
        return known == "*"
            || known.split(separator: ",").contains { tag in
                var tag = tag[...]
                while tag.first == " " { tag.removeFirst() }
                while tag.last == " " { tag.removeLast() }
                return (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == text
            }
    }
}

/// The date format of HTTP.
///
/// Source: RFC 9110, section 5.6.7; Howard Hinnant, chrono-compatible low-level date algorithms.
enum HTTPDate {
    /// Returns a date such as "Sun, 06 Nov 1994 08:49:37 GMT" for seconds since 1970.
    static func text(_ seconds: Int) -> String {
        let days = Int((Double(seconds) / 86400).rounded(.down))
        let time = seconds - days * 86400
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * part + 2) / 5 + 1
        let month = part < 10 ? part + 3 : part - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let weekday = ((days + 4) % 7 + 7) % 7
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        return "\(weekdays[weekday]), \(twoDigits(day)) \(months[month - 1]) \(year) "
            + "\(twoDigits(time / 3600)):\(twoDigits(time / 60 % 60)):\(twoDigits(time % 60)) GMT"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
#endif
