#if Server
internal import Files
internal import TilePyramid
internal import ViewportGeometry

/// Checks that a running server has what viewers rely on.
package struct ConformanceCheck: Sendable {
    /// The result of one check.
    package struct Finding: Sendable {
        package let passes: Bool
        /// The result in one sentence.
        package let message: String

        /// Whether no server responded.
        package var isUnreachable = false
    }

    private let probe: HTTPProbe
    private let token: String?

    package init(_ probe: HTTPProbe, token: String?) {
        self.probe = probe
        self.token = token
    }

    /// Checks the server and, if the path is that of a IIIF image, the image.
    ///
    /// - Parameter path: "/", or "/iiif/3/IMAGE" with or without "/info.json".
    package func findings(_ path: String) async -> [Finding] {
        do {
            guard path.hasPrefix("/iiif/") else { return try await server() }
            var image = path
            if image.hasSuffix("/info.json") { image.removeLast("/info.json".count) }
            return try await server() + self.image(image)
        } catch {
            return [
                Finding(
                    passes: false, message: "no server responds (\(NetworkReason.of(error)))",
                    isUnreachable: true)
            ]
        }
    }

    private func send(
        _ target: String, method: String = "GET", _ headers: [(String, String)] = []
    ) async throws -> HTTPProbe.Response {
        let proof = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        return try await probe.send(target, method: method, headers: headers + proof)
    }

    private func server() async throws -> [Finding] {
        let health = try await send("/health")
        let traversal = try await send("/iiif/3/..%2F..%2Fetc%2Fpasswd/info.json")
        let unknown = try await send("/iiif/3/no-such-image/info.json")
        let post = try await send("/health", method: "POST")
        return [
            Finding(passes: health.status == 200, message: "/health returns \(health.status)"),
            Finding(
                passes: traversal.status == 404,
                message: "a path outside the folders returns \(traversal.status)"),
            Finding(
                passes: unknown.status == 404, message: "an unknown image returns \(unknown.status)"
            ),
            Finding(passes: post.status == 405, message: "POST returns \(post.status)"),
        ] + (try await access())
    }

    /// Checks access under foreign host names, from other origins, and without the token.
    private func access() async throws -> [Finding] {
        let named = try await send("/health", [("Host", "rebound.invalid")])
        let foreign = try await send("/health", [("Origin", "http://rebound.invalid")])
        let isShared = foreign.headers["access-control-allow-origin"] != nil
        let preflight = try await probe.send(
            "/iiif/3/any/info.json", method: "OPTIONS",
            headers: [("Origin", "http://rebound.invalid"), ("Access-Control-Request-Method", "GET")])
        let methods = preflight.headers["access-control-allow-methods"] ?? ""
        var findings = [
            Finding(
                passes: [200, 421].contains(named.status),
                message: named.status == 200
                    ? "every host name is accepted: the server is public"
                    : "a foreign host name returns \(named.status)"),
            Finding(
                passes: !isShared,
                message: isShared
                    ? "pages of other origins can read /health"
                    : "pages of other origins can read images only"),
            Finding(
                passes: (200..<300).contains(preflight.status) && methods.contains("GET"),
                message: "a preflight request returns \(preflight.status)"),
        ]
        if let token { findings += try await self.token(token) }
        return findings
    }

    private func token(_ token: String) async throws -> [Finding] {
        let without = try await probe.send("/health")
        let wrong = try await probe.send("/health", headers: [("Authorization", "Bearer \(token)x")])
        let lower = try await probe.send("/health", headers: [("Authorization", "bearer \(token)")])
        let opened = try await probe.send(
            "/health?token=\(PercentCoding.encode(token))", headers: [("Accept", "text/html")])
        let cookie = (opened.headers["set-cookie"] ?? "").split(separator: ";").first.map(String.init) ?? ""
        let isClean = !(opened.headers["location"] ?? token).contains(token) && !cookie.contains(token)
        let kept = try await probe.send("/health", headers: [("Cookie", cookie)])
        return [
            Finding(
                passes: without.status == 401 && wrong.status == 401,
                message:
                    "a request without a token returns \(without.status), with a wrong one \(wrong.status)"),
            Finding(
                passes: lower.status == 200,
                message: "a bearer token returns \(lower.status)"),
            Finding(
                passes: opened.status == 303 && isClean && kept.status == 200,
                message:
                    "the token in a browser's URL becomes a cookie (\(opened.status), then \(kept.status))"
            ),
        ]
    }

    private func image(_ image: String) async throws -> [Finding] {
        let bare = try await send(image)
        let info = try await send(image + "/info.json")
        let isOpen = info.headers["access-control-allow-origin"] == "*"
        let isPrivate = !isOpen && info.headers["cross-origin-resource-policy"] == "same-origin"
        var findings = [
            Finding(passes: bare.status == 303, message: "the URL of the image returns \(bare.status)"),
            Finding(passes: info.status == 200, message: "info.json returns \(info.status)"),
            Finding(
                passes: isOpen || isPrivate,
                message: isPrivate
                    ? "only pages of this server can read the image: it belongs to a library"
                    : "pages of other origins can read the image: \(isOpen ? "yes" : "no")"),
        ]
        guard let description = try? IIIFInformation(parsing: info.text) else {
            return findings + [Finding(passes: false, message: "info.json is malformed")]
        }
        let size = description.size
        findings.append(
            Finding(
                passes: true,
                message:
                    "info.json is of version \(description.version == .three ? "3.0" : "2.1"), level \(description.level), "
                    + "\(size.width) x \(size.height) pixels"))
        let requests: [(String, Int)] = [
            ("full/200,/0/default.jpg", 200), ("square/200,/90/default.png", 200),
            ("0,0,64,64/32,/0/gray.jpg", 200), ("pct:0,0,50,50/!100,100/!0/default.jpg", 200),
            ("full/0,/0/default.jpg", 400), ("nonsense/200,/0/default.jpg", 400),
            ("\(size.width + 1),0,10,10/10,/0/default.jpg", 400), ("full/200,/361/default.jpg", 400),
        ]
        for (request, status) in requests {
            let response = try await send("\(image)/\(request)")
            findings.append(
                Finding(
                    passes: response.status == status,
                    message: "\(request) returns \(response.status)")
            )
        }
        return findings + (try await caching("\(image)/full/200,/0/default.jpg"))
    }

    private func caching(_ target: String) async throws -> [Finding] {
        let first = try await send(target)
        let head = try await send(target, method: "HEAD")
        let (tag, length) = (first.headers["etag"] ?? "", head.headers["content-length"])
        let again = try await send(target, [("If-None-Match", tag)])
        return [
            Finding(
                passes: again.status == 304, message: "an image that the client has returns \(again.status)"),
            Finding(
                passes: head.status == 200 && head.headers["etag"] == tag && head.body.isEmpty,
                message: "HEAD returns \(head.status)"),
            Finding(
                passes: length.map { $0 == "\(first.body.count)" } ?? true,
                message:
                    "HEAD states \(length.map { "a length of \($0)" } ?? "no length"), GET sends \(first.body.count) bytes"
            ),
        ]
    }
}
#endif
