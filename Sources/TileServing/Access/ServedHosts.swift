internal import Files

/// The names that the server answers to.
///
/// A page of another site can make its own name lead to this machine and then read what the server answers
/// (DNS rebinding). Its name in `Host` gives it away; an address in `Host` cannot be led elsewhere.
struct ServedHosts: Sendable {
    /// Nil where every name is right.
    private let names: Set<String>?
    private let takesAddresses: Bool

    /// - Parameter machine: the machine's own name.
    init(_ settings: TileServerSettings, machine: String? = ProcessEnvironment.hostName) {
        let bound = settings.host.lowercased()
        takesAddresses = !Self.isLocal(bound)
        guard !settings.isPublic else {
            names = nil
            return
        }
        var names: Set = ["localhost", bound]
        if let base = settings.baseURL.flatMap({ Authority(ofAddress: $0) }) { names.insert(base.host) }
        if takesAddresses, let machine = machine?.lowercased() {
            let first = String(machine.prefix { $0 != "." })
            names.formUnion([machine, first, first + ".local"])
        }
        self.names = names
    }

    /// Whether only this machine can reach a server that listens there.
    static func isLocal(_ host: String) -> Bool {
        host.lowercased() == "localhost" || NetworkAddress(host)?.isLoopback == true
    }

    func contains(_ authority: Authority) -> Bool {
        guard let names, !names.contains(authority.host) else { return true }
        guard let address = authority.address else { return false }
        return takesAddresses || address.isLoopback
    }
}
