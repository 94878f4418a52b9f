#if !Server || !Library
import ArgumentParser

/// A part that this program was built without, because a trait of the package was off.
struct MissingPart: ExitCoded, CustomStringConvertible {
    let name: String

    static let server = MissingPart(name: "its server")
    static let library = MissingPart(name: "its photo library")

    var exit: Exit { .unavailable }

    var description: String {
        "this viewport was built without \(name); build it with "
            + "`swift build -c release --product viewport --enable-all-traits`"
    }
}
#endif

#if !Server
/// `viewport serve` without a server.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Show images in browsers, and serve parts of them to viewers.",
        discussion: "Not in this program: \(MissingPart.server)")

    @Argument(parsing: .allUnrecognized)
    var arguments: [String] = []

    func run() throws { throw MissingPart.server }
}
#endif

#if !Library
/// `viewport library` without libraries.
struct LibraryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library", abstract: "Arrange the photos and videos of a folder.",
        discussion: "Not in this program: \(MissingPart.library)")

    @Argument(parsing: .allUnrecognized)
    var arguments: [String] = []

    func run() throws { throw MissingPart.library }
}
#endif
