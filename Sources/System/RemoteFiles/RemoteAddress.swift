package import Basics
internal import Files

/// The address of a file behind `http://`, `https://` or `s3://`.
package struct RemoteAddress: Hashable, Sendable {
    /// The URL that is requested, without credentials.
    package let url: String
    /// The name in messages: no credentials and no query, which may be signed.
    package let name: String
    /// Identifies the file in caches: as `name`, with a hash of the query without its signature.
    package let identity: String
    /// User and password of the URL.
    let login: Login?
    /// The signature of requests to an object store; nil for others.
    let signing: S3Signing?

    struct Login: Hashable, Sendable {
        var user: String
        var password: String
    }

    /// Whether a text begins with the scheme of a URL that can be read.
    package static func isRemote(_ text: String) -> Bool {
        ["http://", "https://", "s3://"].contains { text.lowercasedASCII(first: $0.utf8.count) == $0 }
    }

    /// Parses an address.
    ///
    /// - Throws: `InvalidText` with a reason that repeats nothing of the text.
    package init(_ text: String) throws(InvalidText) {
        guard let colon = text.range(of: "://") else { throw InvalidText("it has no scheme") }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard ["http", "https", "s3"].contains(scheme) else {
            throw InvalidText(
                "URLs of the scheme \(Self.plain(scheme)) are not read: use https, http or s3")
        }
        // By bytes: a combining mark is no part of the slash before it.
        let rest = text[colon.upperBound...].utf8.prefix { $0 != UInt8(ascii: "#") }
        let authority = Substring(rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") })
        let path = Substring(rest[authority.endIndex...].prefix { $0 != UInt8(ascii: "?") })
        let query = Substring(rest[path.endIndex...].dropFirst())
        let at = authority.lastIndex(of: "@")
        let host = at.map { authority[authority.index(after: $0)...] } ?? authority[...]
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }) else {
            throw InvalidText("its host is missing or invalid")
        }
        if scheme == "s3" {
            guard at == nil, path.utf8.count > 1 else {
                throw InvalidText("it needs the form s3://BUCKET/KEY")
            }
            let location = S3Settings.shared.location(
                bucket: String(host), key: String(Substring(path.utf8.dropFirst())))
            (url, signing, login) = (location.url, location.signing, nil)
            name = "s3://\(host)\(path)"
            identity = "\(name) \(location.endpoint)"
            return
        }
        login = at.map { at in
            let parts = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return Login(
                user: Self.decoded(parts[0]), password: parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
        signing = nil
        let place = "\(scheme)://\(host.lowercased())\(Self.encoded(path.isEmpty ? "/" : path))"
        url = query.isEmpty ? place : "\(place)?\(Self.encoded(query))"
        name = query.isEmpty ? place : place + "?…"
        let parameters = Self.unsigned(query)
        identity =
            parameters.isEmpty ? place : "\(place)?\(FNV1a.hash(parameters.utf8).hexadecimal)"
    }

    /// An address next to this one, with a suffix at the end of its path.
    ///
    /// The query is kept, except for a signature, which holds for the file alone: nil where there is one.
    package func sibling(_ suffix: String) -> RemoteAddress? {
        let parts = url.split(separator: "?", maxSplits: 1)
        let query = parts.count > 1 ? parts[1] : ""
        guard Self.unsigned(query) == query else { return nil }
        return RemoteAddress(self, path: parts[0] + suffix, query: query, suffix: suffix)
    }

    /// The address that a header `Link` names as the sidecar of this file; nil for other links.
    ///
    /// Source: RFC 8288, 3.
    func linked(_ field: String) -> RemoteAddress? {
        for link in field.split(separator: ",") {
            guard let open = link.firstIndex(of: "<"), let close = link[open...].firstIndex(of: ">"),
                link[close...].replacing("\"", with: "").split(separator: ";").contains(where: {
                    $0.filter { $0 != " " } == "rel=viewport-index"
                })
            else { continue }
            let target = String(link[link.index(after: open)..<close])
            if Self.isRemote(target) { return target.hasPrefix("s3:") ? nil : try? RemoteAddress(target) }
            let path = url.prefix { $0 != "?" }
            let host = path.prefix { $0 != ":" }.count + 3
            let root = path.dropFirst(host).firstIndex(of: "/") ?? path.endIndex
            let base = target.hasPrefix("/") ? path[..<root] : path[...(path.lastIndex(of: "/") ?? root)]
            return RemoteAddress(self, url: base + target)
        }
        return nil
    }

    /// Another file of the same server, read with the same credentials.
    private init(_ other: RemoteAddress, url: String) {
        self.url = Self.encoded(url[...])
        name = url.contains("?") ? url.prefix { $0 != "?" } + "?…" : url
        identity = url
        (login, signing) = (other.login, other.signing)
    }

    private init(_ other: RemoteAddress, path: some StringProtocol, query: Substring, suffix: String) {
        url = query.isEmpty ? String(path) : "\(path)?\(query)"
        name = other.name.hasSuffix("?…") ? other.name.dropLast(2) + suffix + "?…" : other.name + suffix
        identity = "\(other.identity) \(suffix)"
        (login, signing) = (other.login, other.signing)
    }

    /// The end of the path, without its percent encoding, as a name for files.
    package var fileName: String {
        let path = name.hasSuffix("?…") ? name.dropLast(2) : name[...]
        let last = Self.decoded(FilePath(path).name.text[...])
        let name = last.replacing("/", with: "_").replacing("\0", with: "_")
        return name.isEmpty || name.allSatisfy { $0 == "." } ? "image" : name
    }

    /// The name of the folder that the path ends in; that of the host where it has none.
    package var folderName: String {
        let parts = FilePath(name).names.dropFirst()
        return parts.last.map { Self.decoded($0.text[...]) } ?? "remote"
    }

    /// What messages call a URL that cannot be parsed: it may have credentials.
    package static let unnamed = "the URL"

    /// Returns an argument as messages and reports show it: a URL without credentials, a path as it is.
    package static func shown(_ argument: String) -> String {
        guard isRemote(argument) else { return argument }
        return (try? RemoteAddress(argument))?.name ?? unnamed
    }

    /// The parameters of a query that do not belong to a signature, in their order.
    private static func unsigned(_ query: Substring) -> String {
        let signatures: Set<String> = [
            "signature", "expires", "awsaccesskeyid", "key-pair-id", "policy", "googleaccessid", "sig", "se",
            "sp",
            "sv", "sr", "st", "spr", "skoid", "sktid", "skt", "ske", "sks", "skv", "token", "access_token",
        ]
        return query.split(separator: "&").filter { parameter in
            let name = parameter.prefix { $0 != "=" }.lowercased()
            return !signatures.contains(name) && !name.hasPrefix("x-amz-") && !name.hasPrefix("x-goog-")
        }.joined(separator: "&")
    }

    /// Encodes what must not be in a URL; what is encoded already stays.
    private static func encoded(_ text: Substring) -> String {
        text.utf8.map { byte in
            byte > 0x20 && byte < 0x7F && byte != 0x5C
                ? String(UnicodeScalar(byte)) : "%" + [byte].hexadecimal.uppercased()
        }.joined()
    }

    /// Replaces percent encoding by its bytes.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 0x25, rest.count >= 2, let high = hexadecimalDigit(rest[rest.startIndex]),
                let low = hexadecimalDigit(rest[rest.startIndex + 1])
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A short word for messages.
    private static func plain(_ scheme: String) -> String {
        scheme.count <= 12 && scheme.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? scheme : "it has"
    }
}

extension RemoteAddress: CustomStringConvertible {
    /// The name, without credentials.
    package var description: String { name }
}

extension String {
    /// The first characters in lower case.
    fileprivate func lowercasedASCII(first count: Int) -> String {
        String(decoding: utf8.prefix(count), as: UTF8.self).lowercased()
    }

    /// The position of a text.
    fileprivate func range(of other: String) -> Range<String.Index>? { firstRange(of: other) }
}
