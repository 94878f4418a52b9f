import ArgumentParser
import Basics
import Thumbnails

/// `viewport thumbnail verify`: whether the thumbnails are still what the results say.
struct VerifyResults: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read every thumbnail again and compare its bytes with its result.",
        discussion: "The exit code is 3 where something is missing or has other bytes.")

    @Argument(help: "File of results; - is standard input.")
    var results: String

    @Flag(help: "One line of JSON for each problem.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func run() throws {
        let verification = try ResultVerification(results)
        for problem in verification.problems {
            if json { print(problem.json) } else { StandardError.write("viewport: \(problem)\n") }
        }
        StandardError.note("\(verification.checked) thumbnails read, \(verification.problems.count) problems")
        guard verification.problems.isEmpty else { throw ExitCode(Exit.someFailed.rawValue) }
    }
}
