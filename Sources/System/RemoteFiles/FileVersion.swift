internal import Basics
internal import Files

/// What identifies a version of a file, as far as answers state it: tag and time of the last modification.
struct FileVersion: Sendable {
    private(set) var etag: String?
    private(set) var modified: String?
    /// The seconds by which the first answer is younger than the file, where these are too few for the time to tell
    /// versions apart; nil for files that had not just been written.
    let age: Int?

    /// Source: RFC 9110, 8.8.2.2.
    static let leastAge = 2

    /// - Parameter size: The size of the file, which is a part of some tags.
    init(_ head: ResponseHead, size: Int?) {
        (etag, modified) = (head.fields["etag"], head.fields["last-modified"])
        let now = head.fields["date"].flatMap(HTTPDate.seconds) ?? ProcessEnvironment.now / 1_000_000_000
        let written = modified.flatMap(HTTPDate.seconds) ?? etag.flatMap { Self.seconds(of: $0, size: size) }
        age = written.map { max(0, now - $0) }.flatMap { $0 < Self.leastAge ? $0 : nil }
    }

    /// Whether an answer is of this version: whatever both state is the same.
    ///
    /// A tag may lose its mark as a weak one: Apache's does after the first second.
    func allows(_ head: ResponseHead) -> Bool {
        if let etag, let other = head.fields["etag"], Self.opaque(etag) != Self.opaque(other) { return false }
        guard let modified, let other = head.fields["last-modified"], modified != other else { return true }
        guard let time = HTTPDate.seconds(modified) else { return false }
        return time == HTTPDate.seconds(other)
    }

    /// Remembers what the first answer did not state.
    mutating func complete(by head: ResponseHead) {
        etag = etag ?? head.fields["etag"]
        modified = modified ?? head.fields["last-modified"]
    }

    /// The header that makes a server refuse another version.
    var condition: String? {
        // Weak tags are never equal in this comparison: RFC 9110, 13.1.1.
        if let etag, !etag.hasPrefix("W/") { return "If-Match: \(etag)" }
        return etag == nil ? modified.map { "If-Unmodified-Since: \($0)" } : nil
    }

    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }

    /// The seconds since 1970 in a tag of seconds and size, both hexadecimal, as nginx and others make it.
    private static func seconds(of tag: String, size: Int?) -> Int? {
        let parts = opaque(tag).split(separator: "-").map { Int($0.filter { $0 != "\"" }, radix: 16) }
        guard parts.count == 2, let size, parts.contains(size) else { return nil }
        return parts.compactMap(\.self).first { $0 != size && (1 << 28..<1 << 33).contains($0) }
    }
}
