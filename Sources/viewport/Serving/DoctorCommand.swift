import ArgumentParser
import Basics
import Files
import TileServing
import ViewportRendering
import Vips

/// `viewport doctor`: whether this machine, and a server, have what is needed.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check loaders, formats, cache and fonts here, and what a running server answers.",
        discussion: "The exit code is 3 where something is not as it should be.")

    @Argument(help: "Server, or an image of one: http://127.0.0.1:8080/iiif/3/IMAGE.")
    var url: String?

    @Option(help: "Secret that the server asks for.")
    var token: String?

    @Flag(help: "One line of JSON for each finding.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        if let url, HTTPProbe.parse(url) == nil {
            throw ValidationError(
                refusing: url, of: "<url>", because: "no address",
                give: "the address of a server or of an image",
                example: "http://127.0.0.1:8080/")
        }
    }

    func run() async throws {
        var findings = try here()
        if let (probe, path) = url.flatMap(HTTPProbe.parse) {
            findings += await Conformance(probe, token: token).findings(path)
        }
        for finding in findings {
            if json {
                print(
                    JSONValue.object([
                        ("good", .bool(finding.isGood)), ("finding", .string(finding.sentence)),
                    ])
                )
            } else {
                print((finding.isGood ? "ok    " : "FAIL  ") + finding.sentence)
            }
        }
        if findings.contains(where: { !$0.isGood }) { throw ExitCode(3) }
    }

    private func here() throws -> [Conformance.Finding] {
        let report = MachineReport(cache: try CacheSettings.folder())
        return report.findings.map { Conformance.Finding(isGood: $0.isGood, sentence: $0.sentence) }
    }
}
