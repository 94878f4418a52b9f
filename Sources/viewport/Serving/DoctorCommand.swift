#if CommandLine
import ArgumentParser
import Basics
import Containers
import Files
internal import RenderCaching
import ViewportRendering
import Vips

#if Server
import TileServing
#endif

/// `viewport doctor`: checks of this machine and of a running server.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check this machine's loaders, formats, cache and fonts, and a running server.",
        discussion: "The exit code is 3 if a check fails.",
        examples: [
            "viewport doctor": "Check this machine",
            "viewport doctor http://127.0.0.1:8080/iiif/3/photo.jpg":
                "Also check a server and one of its images",
        ])

    @Argument(help: "URL of a server, or of an image such as http://127.0.0.1:8080/iiif/3/IMAGE.")
    var url: String?

    @Option(help: "Token of the server.")
    var token: String?

    @Flag(help: "Print one line of JSON per check.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        #if Server
        if let url, HTTPProbe.parse(url) == nil {
            throw ValidationError(
                refusing: url, of: "<url>", because: "not an http URL",
                give: "the URL of a server or of an image",
                example: "http://127.0.0.1:8080/")
        }
        #endif
    }

    func run() async throws {
        var findings = MachineReport(cache: try CacheSettings.folder()).findings
        #if Server
        if let (probe, path) = url.flatMap(HTTPProbe.parse) {
            TileServer.limitEventLoops()
            let checks = await ConformanceCheck(probe, token: token).findings(path)
            findings += checks.map { check in
                (check.passes, check.message + (check.isUnreachable ? "; start viewport serve" : ""))
            }
        }
        #else
        guard url == nil else { throw MissingPart.server }
        #endif
        for finding in findings {
            if json {
                print(json: ["good": .bool(finding.passes), "finding": .string(finding.message)])
            } else {
                print((finding.passes ? "ok    " : "FAIL  ") + finding.message)
            }
        }
        if findings.contains(where: { !$0.passes }) { throw ExitCode(3) }
    }
}

/// Checks that this machine has what the program needs.
struct MachineReport {
    let cache: CacheFolder

    var findings: [(passes: Bool, message: String)] {
        [libvips, loaders, formats, processors, folder, fonts] + missingParts
    }

    private var missingParts: [(Bool, String)] {
        var parts: [(Bool, String)] = []
        #if !Server
        parts.append((true, "\(MissingPart.server)"))
        #endif
        #if !Library
        parts.append((true, "\(MissingPart.library)"))
        #endif
        return parts
    }

    private var libvips: (Bool, String) {
        do {
            return (true, "libvips is \(try VipsLibrary.version())")
        } catch {
            return (false, "libvips cannot be loaded (\(error.log)); install libvips42")
        }
    }

    private var loaders: (Bool, String) {
        let known = FileType.all.filter { ImageFormat($0) != .other }
        let there = known.filter { $0.operation.map(VipsLibrary.hasOperation) ?? false }.map(\.title)
        let missing = known.map(\.title).filter { !there.contains($0) }
        let isGood = ["JPEG", "PNG", "TIFF"].allSatisfy(there.contains)
        return (
            isGood,
            "reads \(there.joined(separator: ", "))"
                + (missing.isEmpty ? "" : "; not \(missing.joined(separator: ", "))")
        )
    }

    private var formats: (Bool, String) {
        let installed = PictureFormat.installed.map(\.rawValue)
        return (installed.contains("jpg"), "writes \(installed.joined(separator: ", "))")
    }

    /// Control groups and affinity may leave fewer than the machine has.
    private var processors: (Bool, String) {
        (true, "works on \(Processors.count == 1 ? "1 processor" : "\(Processors.count) processors")")
    }

    private var folder: (Bool, String) {
        do throws(FileError) {
            try Folder.make(cache.path)
            try OutputFile.check("\(cache.path)/doctor")
        } catch {
            return (
                false, "\(cache.path): the cache is not writable; set XDG_CACHE_HOME to another folder"
            )
        }
        let free = Folder.freeBytes(at: cache.path) ?? 0
        let used = cache.items().reduce(0) { $0 + $1.bytes }
        let text =
            "\(cache.path): the cache has \(used >> 20) MB of at most \(cache.capacity >> 20), and \(free >> 20) MB are free"
        return (free > 1 << 28, free > 1 << 28 ? text : text + "; free disk space")
    }

    /// Text in SVGs and PDFs is drawn with the fonts of the machine.
    private var fonts: (Bool, String) {
        let folders = ["/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts"]
        let isThere = folders.contains { !Folder.names(in: $0).isEmpty }
        return (
            true,
            isThere
                ? "fonts are installed"
                : "no fonts are installed: text in SVGs will be missing; install fonts-dejavu-core"
        )
    }
}
#endif
