/// The names that file systems take: they end at 255 bytes.
package enum FileName {
    private static let limit = 255

    package static func fits(_ name: String) -> Bool { PathText.bytes(name).count <= limit }

    /// As much of a name or path as leaves room for what follows, cut between characters.
    package static func cut(_ path: String, before ending: String) -> String {
        var cut = path
        while !fits(OutputFile.name(of: cut) + ending), !OutputFile.name(of: cut).isEmpty { cut.removeLast() }
        return cut
    }
}
