#if CommandLine
import CBuild
import Vips

/// What `viewport --version` reports: version, commit, the libvips that runs, and the traits that are built in.
enum Version {
    static let number = VIEWPORT_VERSION

    /// "viewport 0.2.0 (commit abc1234567), libvips 8.14.1, with CommandLine, Library, Server".
    ///
    /// Loads libvips, which takes longer than everything else at a start: only for those who ask.
    static var text: String {
        "viewport \(number)\(commit), \(libvips), with \(traits.joined(separator: ", "))"
    }

    private static var libvips: String {
        guard let version = VipsLibrary.loadedVersion else { return "libvips is not installed" }
        return "libvips \(version)"
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
