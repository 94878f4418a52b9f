#if CommandLine
#if Library
import ArgumentParser
import AssetRendering
import Basics
import PhotoCatalog
import ViewportRendering

/// `viewport library doctor`: tells what is wrong with a library and what helps.
struct LibraryDoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Tell what is wrong with a library, and which command helps.",
        discussion: """
            Compares the folders with the catalog: files that are missing, changed, new or
            unreadable, files that are cut or that an import has found to be damaged, sidecars
            that are broken or have no photo, files in the trash that no operation knows, and
            operations that were killed. Also counts photos without a date or a position, which
            are no faults. --checksums reads every file, too, and --decode looks for damage
            inside of every picture. Nothing is changed. Exit code 3: there are faults. Exit
            code 65: the catalog is damaged.
            """,
        examples: [
            "viewport library doctor photos": "Look for what is wrong",
            "viewport library doctor photos --checksums --json":
                "Also read all files; one line of JSON per finding",
            "viewport library doctor photos --decode": "Find pictures that show only in part",
        ])

    @OptionGroup var library: LibraryArguments

    @Flag(help: "Also compare the bytes of all files with their checksums.")
    var checksums = false

    @Flag(help: "Also decode all pictures, to find those that are damaged inside.")
    var decode = false

    @Flag(help: "Print all paths; by default the first ten of each finding.")
    var all = false

    @Flag(help: "Print one line of JSON per finding.")
    var json = false

    func run() async throws {
        let library = try await library.open()
        let readsFiles = checksums
        let images = decode ? AssetImages(of: library) : nil
        let findings = try await InterruptibleWork.run("examining") { line in
            try await library.examine(readsFiles: readsFiles, decoding: images.map(Self.decoder)) {
                line.show($0)
            }
        }
        for finding in findings {
            if json { print(finding.json(self.library)) } else { show(finding) }
        }
        if findings.isEmpty, !json { say("nothing is wrong") }
        if findings.contains(where: { $0.kind == .catalog }) { throw ExitCode(Exit.badInput.rawValue) }
        if findings.contains(where: \.isFault) { throw ExitCode(3) }
    }

    /// Returns what decodes a picture at its full size; other errors than damage, such as too many pixels, are no finding.
    private static func decoder(_ images: AssetImages) -> @Sendable (Asset) async -> String? {
        { asset in
            do {
                for try await _ in images.fullResolutionImage(of: asset) {}
                return nil
            } catch let error as RenderingError {
                switch error {
                case .damaged(_, let detail), .truncated(_, let detail): return detail
                default: return nil
                }
            } catch {
                return nil
            }
        }
    }

    private func show(_ finding: LibraryFinding) {
        let mark = finding.isFault ? "FAIL" : "note"
        print("\(mark)  \(finding.sentence); \(finding.advice(library))")
        let lines =
            finding.paths.isEmpty
            ? finding.reasons
            : finding.paths.enumerated().map { index, path in
                index < finding.reasons.count ? "\(path): \(finding.reasons[index])" : path
            }
        let shown = all ? lines.count : 10
        for line in lines.prefix(shown) { print("      \(line)") }
        if lines.count > shown { print("      and \(lines.count - shown) more; --all shows them") }
    }
}

extension LibraryFinding {
    fileprivate func json(_ library: LibraryArguments) -> JSONValue {
        .object([
            "kind": .string(kind.rawValue), "good": .bool(!isFault), "count": .int(count),
            "finding": .string(sentence), "advice": .string(advice(library)),
            "command": .string(command(library)), "paths": .array(paths.map(JSONValue.string)),
            "reasons": .array(reasons.map(JSONValue.string)),
        ])
    }

    fileprivate var sentence: String {
        func number(_ one: String, _ many: String) -> String { "\(count) \(count == 1 ? one : many)" }
        return switch kind {
        case .catalog: "the catalog has " + number("fault", "faults")
        case .missing: number("file is", "files are") + " gone"
        case .changed: number("file was", "files were") + " written since indexing"
        case .new: number("file is", "files are") + " not in the catalog"
        case .unreadable: number("file", "files") + " cannot be read"
        case .damaged: number("file has", "files have") + " lost bytes"
        case .incomplete: number("file is", "files are") + " cut or damaged"
        case .brokenSidecars: number("sidecar", "sidecars") + " cannot be read"
        case .sidecars: number("sidecar belongs", "sidecars belong") + " to no photo"
        case .trash: number("file", "files") + " in the trash cannot be restored by undo"
        case .unfinished: number("operation was", "operations were") + " killed"
        case .undated: number("photo or video has", "photos and videos have") + " no date"
        case .unlocated: number("photo or video has", "photos and videos have") + " no position"
        }
    }

    /// What to do, with the command.
    fileprivate func advice(_ library: LibraryArguments) -> String {
        let helping = "`\(command(library))`"
        return switch kind {
        case .catalog: "rebuild it with \(helping)"
        case .missing: "restore them, or remove them from the catalog with \(helping)"
        case .changed, .new: "read them with \(helping)"
        case .unreadable: "restore them from a backup, then run \(helping)"
        case .damaged: "restore them from a backup, then run \(helping)"
        case .incomplete:
            "copy them again from their sources; of files that were imported, \(helping) names these"
        case .brokenSidecars: "repair or remove them, then run \(helping)"
        case .sidecars: "move them to their photos, or remove them; \(helping) then reads them"
        case .trash: "move them back by hand, or remove all that is in the trash with \(helping)"
        case .unfinished: "undo it with \(helping), or run the same command again"
        case .undated: "list them with \(helping) and date them with `library edit --date`"
        case .unlocated:
            "list them with \(helping) and locate them with `library index --gpx` or `library edit --location`"
        }
    }

    private func command(_ library: LibraryArguments) -> String {
        let root = library.argument
        return switch kind {
        case .catalog: "viewport library verify \(root) --repair"
        case .missing, .changed, .new, .brokenSidecars, .sidecars, .unreadable:
            "viewport library index \(root)"
        case .damaged: "viewport library verify \(root)"
        case .incomplete: "viewport library imports \(root)"
        case .trash: "viewport library trash \(root) --empty --yes"
        case .unfinished: "viewport library undo \(root)"
        case .undated: "viewport library list \(root) --where is:undated"
        case .unlocated: "viewport library list \(root) --where -is:located"
        }
    }
}

extension LibraryArguments {
    /// The library and its catalog as arguments of a shell command.
    fileprivate var argument: String {
        root.shellQuoted + (catalog.map { " --catalog \($0.shellQuoted)" } ?? "")
    }
}

extension String {
    /// The text as an argument of a shell command.
    var shellQuoted: String {
        let isPlain =
            !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+".contains($0)) }
        return isPlain ? self : "'\(replacing("'", with: "'\\''"))'"
    }
}
#endif
#endif
