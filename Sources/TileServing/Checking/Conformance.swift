internal import TilePyramid
internal import ViewportGeometry

/// Checks of a running server: what viewers rely on.
package struct Conformance: Sendable {
    /// One thing that was looked at.
    package struct Finding: Sendable {
        package let isGood: Bool
        /// What was found, in one sentence.
        package let sentence: String

        package init(isGood: Bool, sentence: String) {
            self.isGood = isGood
            self.sentence = sentence
        }
    }

    private let probe: HTTPProbe
    private let token: String?

    package init(_ probe: HTTPProbe, token: String?) {
        self.probe = probe
        self.token = token
    }

    /// Looks at the server and, where the path is that of a IIIF image, at the image.
    ///
    /// - Parameter path: "/", or "/iiif/3/IMAGE" with or without "/info.json".
    package func findings(_ path: String) async -> [Finding] {
        do {
            guard path.hasPrefix("/iiif/") else { return try await server() }
            var image = path
            if image.hasSuffix("/info.json") { image.removeLast("/info.json".count) }
            return try await server() + self.image(image)
        } catch {
            return [Finding(isGood: false, sentence: "nobody answers there (\(error)); start viewport serve")]
        }
    }

    private func ask(
        _ target: String, method: String = "GET", _ headers: [(String, String)] = []
    ) async throws -> HTTPProbe.Answer {
        let proof = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        return try await probe.ask(target, method: method, headers: headers + proof)
    }

    private func server() async throws -> [Finding] {
        let health = try await ask("/health")
        let traversal = try await ask("/iiif/3/..%2F..%2Fetc%2Fpasswd/info.json")
        let unknown = try await ask("/iiif/3/no-such-image/info.json")
        let post = try await ask("/health", method: "POST")
        return [
            Finding(isGood: health.status == 200, sentence: "/health answers \(health.status)"),
            Finding(
                isGood: traversal.status == 404,
                sentence: "a path out of the folders is answered with \(traversal.status)"),
            Finding(
                isGood: unknown.status == 404, sentence: "an unknown image is answered with \(unknown.status)"
            ),
            Finding(isGood: post.status == 405, sentence: "POST is answered with \(post.status)"),
        ] + (try await access())
    }

    /// Who may read: other names of the server, pages of other origins, those who have no token.
    private func access() async throws -> [Finding] {
        let named = try await ask("/health", [("Host", "rebound.invalid")])
        let foreign = try await ask("/health", [("Origin", "http://rebound.invalid")])
        let isShared = foreign.headers["access-control-allow-origin"] != nil
        let preflight = try await probe.ask(
            "/iiif/3/any/info.json", method: "OPTIONS",
            headers: [("Origin", "http://rebound.invalid"), ("Access-Control-Request-Method", "GET")])
        let methods = preflight.headers["access-control-allow-methods"] ?? ""
        var findings = [
            Finding(
                isGood: [200, 421].contains(named.status),
                sentence: named.status == 200
                    ? "answers to every name that leads to it, as is right with --public"
                    : "another name of the server is answered with \(named.status)"),
            Finding(
                isGood: !isShared,
                sentence: isShared
                    ? "pages of other servers may read what is no image"
                    : "pages of other servers may read nothing but images"),
            Finding(
                isGood: (200..<300).contains(preflight.status) && methods.contains("GET"),
                sentence: "what browsers ask before they show a token is answered with \(preflight.status)"),
        ]
        if let token { findings += try await self.token(token) }
        return findings
    }

    private func token(_ token: String) async throws -> [Finding] {
        let without = try await probe.ask("/health")
        let wrong = try await probe.ask("/health", headers: [("Authorization", "Bearer \(token)x")])
        let lower = try await probe.ask("/health", headers: [("Authorization", "bearer \(token)")])
        let opened = try await probe.ask(
            "/health?token=\(PercentCoding.encode(token))", headers: [("Accept", "text/html")])
        let cookie = (opened.headers["set-cookie"] ?? "").split(separator: ";").first.map(String.init) ?? ""
        let isClean = !(opened.headers["location"] ?? token).contains(token) && !cookie.contains(token)
        let kept = try await probe.ask("/health", headers: [("Cookie", cookie)])
        return [
            Finding(
                isGood: without.status == 401 && wrong.status == 401,
                sentence:
                    "who has no token is answered with \(without.status), a wrong one with \(wrong.status)"),
            Finding(
                isGood: lower.status == 200,
                sentence: "the token as a bearer is answered with \(lower.status)"),
            Finding(
                isGood: opened.status == 303 && isClean && kept.status == 200,
                sentence:
                    "the token in a browser's address becomes a cookie (\(opened.status), then \(kept.status))"
            ),
        ]
    }

    private func image(_ image: String) async throws -> [Finding] {
        let bare = try await ask(image)
        let info = try await ask(image + "/info.json")
        let isOpen = info.headers["access-control-allow-origin"] == "*"
        let isPrivate = !isOpen && info.headers["cross-origin-resource-policy"] == "same-origin"
        var findings = [
            Finding(isGood: bare.status == 303, sentence: "the bare image is answered with \(bare.status)"),
            Finding(isGood: info.status == 200, sentence: "info.json is answered with \(info.status)"),
            Finding(
                isGood: isOpen || isPrivate,
                sentence: isPrivate
                    ? "only pages of this server may read it, as is right for a library"
                    : "pages of other servers may read it: \(isOpen ? "yes" : "no")"),
        ]
        guard let description = try? IIIFInformation(parsing: info.text) else {
            return findings + [Finding(isGood: false, sentence: "info.json cannot be understood")]
        }
        let size = description.size
        findings.append(
            Finding(
                isGood: true,
                sentence:
                    "info.json is of version \(description.version == .three ? "3.0" : "2.1"), level \(description.level), "
                    + "\(size.width) x \(size.height) pixels"))
        let requests: [(String, Int)] = [
            ("full/200,/0/default.jpg", 200), ("square/200,/90/default.png", 200),
            ("0,0,64,64/32,/0/gray.jpg", 200), ("pct:0,0,50,50/!100,100/!0/default.jpg", 200),
            ("full/0,/0/default.jpg", 400), ("nonsense/200,/0/default.jpg", 400),
            ("\(size.width + 1),0,10,10/10,/0/default.jpg", 400), ("full/200,/361/default.jpg", 400),
        ]
        for (request, status) in requests {
            let answer = try await ask("\(image)/\(request)")
            findings.append(
                Finding(
                    isGood: answer.status == status, sentence: "\(request) is answered with \(answer.status)")
            )
        }
        return findings + (try await caching("\(image)/full/200,/0/default.jpg"))
    }

    private func caching(_ target: String) async throws -> [Finding] {
        let first = try await ask(target)
        let head = try await ask(target, method: "HEAD")
        let tag = first.headers["etag"] ?? ""
        let again = try await ask(target, [("If-None-Match", tag)])
        return [
            Finding(
                isGood: again.status == 304, sentence: "what a client has is answered with \(again.status)"),
            Finding(
                isGood: head.status == 200 && head.headers["etag"] == tag && head.body.isEmpty,
                sentence: "HEAD is answered with \(head.status)"),
        ]
    }
}
