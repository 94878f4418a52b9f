#if Server
internal import Basics

/// A tile server for maps, by the template of its addresses: "https://example.org/{z}/{x}/{y}.png".
package struct MapTiles: Hashable, Sendable {
    /// The template, in which the page replaces {z}, {x} and {y}.
    package let template: String
    /// Whom the map credits; empty for nobody.
    package var attribution = ""

    /// Nil unless it is an address of HTTP, or a path of this host, with the three placeholders.
    package init?(_ template: String) {
        let isSafe = template.utf8.allSatisfy { byte in
            // What ends a source in a policy, or an address.
            (0x21...0x7E).contains(byte) && !"\"'<>;,\\`#".utf8.contains(byte)
        }
        guard isSafe, template.utf8.count <= 2000,
            ["{z}", "{x}", "{y}"].allSatisfy({ template.firstRange(of: $0) != nil })
        else { return nil }
        self.template = template
        guard !(template.hasPrefix("/") && !template.hasPrefix("//")) else { return }
        guard let origin, origin.utf8.allSatisfy({ !"{}@*?".utf8.contains($0) }) else { return nil }
    }

    /// The scheme, host and port of its pictures; nil if they are on this host.
    package var origin: String? {
        guard let scheme = ["http://", "https://"].first(where: template.hasPrefix) else { return nil }
        let host = template.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        return host.isEmpty ? nil : scheme + host
    }
}
#endif
