import ArgumentParser
import Foundation
import TestSupport
import Testing
import ViewportRendering
import Vips

@testable import viewport

@Suite("Help")
struct HelpTests {
    private static let program = BuiltProgram("viewport")

    /// The help of a command such as "viewport library list".
    struct Described: Sendable, CustomTestStringConvertible {
        var name: String
        var abstract: String
        var discussion: String
        var isTopic: Bool

        var testDescription: String { name }

        /// The lines of its examples.
        var examples: [String] {
            guard let list = discussion.range(of: "EXAMPLES:\n") else { return [] }
            return discussion[list.upperBound...].split(separator: "\n").map { String($0.drop { $0 == " " }) }
                .filter { !$0.hasPrefix("#") }
        }
    }

    /// All commands of the tree.
    static let commands = described(ViewportCommand.self, below: [])

    private static func described(
        _ command: any ParsableCommand.Type, below names: [String]
    ) -> [Described] {
        let names = names + [command._commandName]
        let configuration = command.configuration
        let isTopic = ViewportCommand.helpTopics.contains { $0 == command }
        let own = Described(
            name: names.joined(separator: " "), abstract: configuration.abstract,
            discussion: configuration.discussion, isTopic: isTopic)
        return [own] + configuration.subcommands.flatMap { described($0, below: names) }
    }

    /// Returns the arguments of the first `viewport` in a shell command, up to a pipe or a redirection.
    private static func arguments(of line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var quote: Character?
        for character in line + " " {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else if character == " ", quote == nil {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        let rest = words.drop { $0 != "viewport" }.dropFirst()
        return Array(rest.prefix { !["|", ">", ">>", "<", "&&", "2>"].contains($0) })
    }

    @Test("states the purpose of each command in one short sentence", arguments: commands)
    func abstract(_ command: Described) {
        #expect(
            command.abstract.hasSuffix(".") && !command.abstract.hasSuffix("..")
                && command.abstract.count <= 80)
        #expect(!command.abstract.contains("\n") && !command.abstract.contains(". "))
    }

    @Test("has two examples or more of each command, which it can parse", arguments: commands)
    func examples(_ command: Described) throws {
        guard !command.isTopic else { return }
        let examples = command.examples
        #expect(examples.count >= 2, "\(command.name)")
        for line in examples {
            #expect(line.contains(command.name == "viewport" ? "viewport " : "viewport"), "\(line)")
            #expect(line.count < 78, "\(line) is too long for a line of help")
            let arguments = Self.arguments(of: line)
            #expect(!arguments.isEmpty, "\(line)")
            do {
                _ = try ViewportCommand.parse(arguments)
            } catch {
                #expect(
                    ViewportCommand.exitCode(for: error) == .success,
                    "\(line): \(ViewportCommand.message(for: error))")
            }
        }
    }

    @Test("shows an example of the command itself", arguments: commands)
    func ownExamples(_ command: Described) {
        guard !command.isTopic else { return }
        // The name of a default subcommand may be omitted.
        let name = command.name.replacing(" make", with: "").replacing("places list", with: "places")
            .replacing("albums list", with: "albums")
        #expect(command.examples.allSatisfy { $0.contains(name) }, "\(command.examples)")
    }

    @Test("groups the commands by job")
    func groups() async throws {
        let help = try await Self.program.run(["help"]).text
        for group in [
            "BIG IMAGE", "THUMBNAIL", "PAGE", "PHOTO LIBRARY", "SERVER", "GESTURE", "CACHE", "HELP TOPIC",
        ] {
            #expect(help.contains("\n\(group) SUBCOMMANDS:\n"), "\(group)")
        }
        #expect(!help.contains("\nSUBCOMMANDS:"))
    }

    @Test("lists every format that is written, and no other")
    func formats() async throws {
        #expect(
            FormatsTopic.rows.compactMap(\.written).sorted { $0.rawValue < $1.rawValue }
                == PictureFormat.allCases.sorted { $0.rawValue < $1.rawValue })
        for arguments in [["help", "formats"], ["formats"]] {
            let result = try await Self.program.run(arguments)
            #expect(result.code == 0 && result.errors.isEmpty)
            for row in FormatsTopic.rows {
                #expect(result.text.contains("\n\(row.format) "), "\(row.format)")
            }
        }
    }

    @Test("lists every exit code, and no other")
    func exitCodes() async throws {
        let result = try await Self.program.run(["help", "exit-codes"])
        let codes = result.text.matches(of: /(?m)^ +(\d+)  \w/).compactMap { Int($0.output.1) }
        #expect(result.code == 0)
        #expect(codes == [0] + Exit.allCases.map { Int($0.rawValue) } + [129, 130, 141, 143])
    }

    @Test("can be generated as completion scripts and as JSON")
    func generated() async throws {
        let output = try await Self.program.run(["--experimental-dump-help"]).output
        let dump = try #require(try JSONSerialization.jsonObject(with: output) as? [String: Any])
        let root = try #require(dump["command"] as? [String: Any])
        let names = (root["subcommands"] as? [[String: Any]] ?? []).compactMap {
            $0["commandName"] as? String
        }
        #expect(Set(names).isSuperset(of: ["render", "library", "serve", "formats", "exit-codes"]))
        for shell in ["bash", "zsh", "fish"] {
            let script = try await Self.program.run(["--generate-completion-script", shell])
            #expect(script.code == 0 && script.text.contains("exit-codes"), "\(shell)")
        }
    }

    @Test("names version, commit, libvips and features for --version")
    func version() async throws {
        let result = try await Self.program.run(["--version"])
        #expect(result.code == 0 && result.errors.isEmpty)
        let pattern =
            /viewport \d+\.\d+\.\d+( \(commit [0-9a-f]{10}\))?, libvips \d+\.\d+\.\d+, with CommandLine(, Library)?(, Server)?\n/
        #expect(result.text.wholeMatch(of: pattern) != nil, "\(result.text)")
        // Both processes load the same library, whatever they were built with.
        #expect(result.text.contains(", libvips \(try VipsLibrary.version()), "), "\(result.text)")
        let doctor = try await Self.program.run(["doctor"])
        #expect(doctor.text.hasPrefix("ok    libvips is \(try VipsLibrary.version())\n"), "\(doctor.text)")
    }
}
