import ArgumentParser
import CBuild
import Vips

/// What `viewport --version` reports: version, commit, libvips and the traits that are built in.
enum Version {
    static let number = "0.2.0"

    /// "viewport 0.2.0 (commit abc1234567), libvips 8.14.1, with CommandLine, Library, Server".
    ///
    /// Loading libvips takes time, so only `--version` does it, without its plug-ins.
    static var text: String {
        guard CommandLine.arguments.contains("--version") else { return number }
        VipsLibrary.leaveOutPlugins()
        let libvips = (try? VipsLibrary.version()).map { "libvips \($0)" } ?? "libvips not found"
        return "viewport \(number)\(commit), \(libvips), with \(traits.joined(separator: ", "))"
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
