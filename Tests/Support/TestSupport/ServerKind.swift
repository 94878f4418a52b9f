internal import Foundation

/// How a kind of web server answers requests for ranges: a row of `Tests/servers.json`, which the tests of all readers use.
package struct ServerKind: Decodable, Sendable, CustomStringConvertible {
    package let name: String
    /// What it makes of several ranges: `each` of them is a part, those that touch are `joined`, or it sends the `first` or
    /// `last` one only.
    private let several: Several?
    /// The status with which it answers several ranges instead.
    private let refusal: Int?
    /// The most ranges of a request; beyond it sends the whole file.
    private let most: Int?
    /// The most parts of an answer; the others are left out.
    private let mostParts: Int?
    /// The status for one range that covers the whole file.
    private let coveringRange: Int?
    /// The status for a range that goes beyond the end of the file.
    private let rangeBeyondEnd: Int?
    /// Whether it states the end of a range as it was requested.
    private let statesEnd: End?
    /// The number of requests after which it sends the whole file.
    private let wholeAfter: Int?
    /// The number of answers whose tag is marked as weak.
    private let weakTags: Int?
    private let noTag: Bool?
    /// A field that names it, by which readers know that it sends one range at a time.
    package let named: [String: String]?
    private let contentEncoding: String?
    private let boundary: String?
    private let leadsWithBoundary: Bool?
    private let lineEnd: String?
    /// The most requests for about a hundred parts of a file, and the same of pages, which join less.
    package let requests: Int
    package let pageRequests: Int

    private enum Several: String, Decodable { case each, joined, first, last }
    private enum End: String, Decodable { case requested }

    package var description: String { name }

    /// All kinds.
    package static let all: [ServerKind] = {
        let file = PackageFolder.url("Tests/servers.json")
        do {
            return try JSONDecoder().decode([ServerKind].self, from: Data(contentsOf: file))
        } catch {
            fatalError("\(file.path): \(error)")
        }
    }()

    /// Returns the answer to a request for a file.
    ///
    /// - Parameter number: The requests before.
    package func answer(
        _ bytes: [UInt8], _ request: HTTPTestRequest, number: Int, tag: String = "\"1-2f3\""
    ) -> HTTPTestResponse {
        var fields = [("Accept-Ranges", "bytes")]
        if noTag != true { fields.append(("ETag", number < weakTags ?? 0 ? "W/\(tag)" : tag)) }
        for (field, value) in named ?? [:] { fields.append((field, value)) }
        if let contentEncoding { fields.append(("Content-Encoding", contentEncoding)) }
        let whole = HTTPTestResponse(200, fields, bytes)
        guard let asked = request.ranges(of: .max), number < wholeAfter ?? .max else { return whole }
        if let rangeBeyondEnd, asked.contains(where: { $0.upperBound != .max && $0.upperBound > bytes.count })
        {
            return HTTPTestResponse(rangeBeyondEnd)
        }
        if asked.count > 1, let refusal { return refusal == 200 ? whole : HTTPTestResponse(refusal) }
        guard asked.count <= most ?? .max else { return whole }
        let stated = statesEnd == .requested ? asked : asked.map { $0.clamped(to: 0..<bytes.count) }
        var parts = asked.map { $0.clamped(to: 0..<bytes.count) }
        guard !parts.contains(where: \.isEmpty) else {
            return HTTPTestResponse(416, [("Content-Range", "bytes */\(bytes.count)")])
        }
        switch several ?? .each {
        case .each: break
        case .first: parts = [parts[0]]
        case .last: parts = [parts[parts.count - 1]]
        case .joined: parts = Self.joined(parts)
        }
        parts = Array(parts.prefix(mostParts ?? .max))
        if parts == [0..<bytes.count], let coveringRange {
            return HTTPTestResponse(coveringRange, fields, bytes)
        }
        func field(_ range: Range<Int>) -> String {
            let end = stated.first { $0.lowerBound == range.lowerBound && $0.upperBound > range.upperBound }
            return "bytes \(range.lowerBound)-\((end ?? range).upperBound - 1)/\(bytes.count)"
        }
        if parts.count == 1 {
            return HTTPTestResponse(
                206, fields + [("Content-Range", field(parts[0]))], Array(bytes[parts[0]]))
        }
        let (line, boundary) = (lineEnd ?? "\r\n", boundary ?? "limit")
        let mark = "--" + boundary.replacingOccurrences(of: "\"", with: "")
        var body = leadsWithBoundary == true ? [] : Array(line.utf8)
        for range in parts {
            body +=
                "\(mark)\(line)Content-Type: image/jpeg\(line)Content-Range: \(field(range))\(line)\(line)"
                .utf8
            body += bytes[range] + Array(line.utf8)
        }
        body += "\(mark)--\(line)".utf8
        fields.append(("Content-Type", "multipart/byteranges; boundary=\(boundary)"))
        return HTTPTestResponse(206, fields, body)
    }

    /// The ranges in order, joined where they touch or hardly anything is between two.
    private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { result, range in
            if let last = result.last, range.lowerBound - last.upperBound < 80 {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
    }
}
