#if CommandLine
#if !Server || !Library
import ArgumentParser

/// A command that is not built in because a trait of the package was off.
struct MissingPart: ExitCoded, CustomStringConvertible {
    let name: String

    static let server = MissingPart(name: "its server")
    static let library = MissingPart(name: "its photo library")

    var exit: Exit { .unavailable }

    var description: String {
        "this viewport was built without \(name); `samples/install` in its source builds and installs all of it"
    }
}
#endif

#if !Server
/// `viewport serve` of a program without the server.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve images and photo libraries to browsers and IIIF viewers.",
        discussion: "Not built in: \(MissingPart.server)",
        examples: [
            "viewport serve photos --open": "Show the images of a folder in a browser",
            "viewport serve photos --port 9000": "Listen to another port",
        ])

    @Argument(parsing: .allUnrecognized)
    var arguments: [String] = []

    func run() throws { throw MissingPart.server }
}
#endif

#if !Library
/// `viewport library` of a program without photo libraries.
struct LibraryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library", abstract: "Arrange the photos and videos of a folder.",
        discussion: "Not built in: \(MissingPart.library)",
        examples: [
            "viewport library init photos": "Make a library of a folder",
            "viewport library list photos --group-by day": "List its assets by day",
        ])

    @Argument(parsing: .allUnrecognized)
    var arguments: [String] = []

    func run() throws { throw MissingPart.library }
}
#endif
#endif
