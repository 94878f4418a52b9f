#if CommandLine
import CBuild
import Vips

/// What `viewport --version` reports: version, commit, libvips' headers and the traits that are built in.
enum Version {
    static let number = VIEWPORT_VERSION

    /// "viewport 0.2.0 (commit abc1234567), for libvips 8.14.1, with CommandLine, Library, Server".
    ///
    /// The version of the installed libvips needs libvips loaded, which triples the time; `viewport doctor` shows it.
    static var text: String {
        "viewport \(number)\(commit), for libvips \(VipsLibrary.headerVersion), with \(traits.joined(separator: ", "))"
    }

    private static var commit: String {
        guard viewport_build_commit() != 0 else { return "" }
        let digits = String(viewport_build_commit(), radix: 16)
        let padding = String(repeating: "0", count: 10 - digits.count)
        return " (commit \(padding)\(digits))"
    }

    private static var traits: [String] {
        var traits = ["CommandLine"]
        #if Library
        traits.append("Library")
        #endif
        #if Server
        traits.append("Server")
        #endif
        return traits
    }
}
#endif
