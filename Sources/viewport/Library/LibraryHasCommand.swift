#if CommandLine
#if Library
import ArgumentParser
import Basics
import Files
import PhotoCatalog

/// `viewport library has`: tells whether the library has all files of sources, so that they can be deleted.
struct LibraryHasCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "has",
        abstract: "Tell whether all files of a card or an export are in the library.",
        discussion: """
            Compares every file of the sources by its bytes, also hidden ones and those that
            are no photos, with the files of the library, which are read again from the disk.
            What systems and network storage keep beside photos is counted and not compared,
            except with --all-files.
            A file is in the library, is there only in another form, or is missing. Another
            form is what an import has brought and other programs have changed since; the
            sidecar of a Takeout whose values were written; an edited copy of a file that is
            there; or a photo or video of the same second, camera and name. Exit code 3: the
            bytes of some photos or videos are not in the library, or a folder, link or archive
            could not be looked into; with --all-files, the bytes of any file. What a camera
            keeps for itself is marked "camera". Nothing is changed; the catalog remembers the
            checksums of the sources, if it can be written.
            """,
        examples: [
            "viewport library has photos /media/card": "Before a card is formatted",
            "viewport library has photos takeout-*.zip --json": "Print one line of JSON per file",
        ])

    @OptionGroup var library: LibraryArguments

    @Argument(help: "Folders, files and ZIP archives outside of the library.", completion: .file())
    var sources: [String]

    @Flag(help: "Do not read files of the library that have the size and time of the catalog.")
    var trustCatalog = false

    @Option(
        help: ArgumentHelp(
            "Maximum size of an entry of a ZIP archive, instead of 1,000 times its packed size.",
            valueName: "size"))
    var maxEntry: ByteCount?

    @Flag(
        help: """
            Exit code 3 also for files that are no photos or videos; compare also what systems and network storage \
            keep beside photos.
            """)
    var allFiles = false

    @Flag(help: "Also print the files that are in the library, with their paths there.")
    var all = false

    @Flag(help: "Print one line of JSON per file, and one for the result.")
    var json = false

    func validate() throws {
        try require(
            "--max-entry", maxEntry, in: ByteCount(argument: "1")!..., example: ByteCount(argument: "8G")!)
    }

    func run() async throws {
        let library = try await library.open(before: sources)
        let (sources, trusts, limit, json, all) = (sources, trustCatalog, maxEntry?.bytes, json, all)
        let scope: EntryScope = allFiles ? .everything : .hidden
        let report = try await InterruptibleWork.run("comparing") { line in
            try await library.check(
                sources, trustsCatalog: trusts, entryLimit: limit, scope: scope, progress: { line.show($0) },
                each: { finding in
                    if json {
                        print(finding.json)
                    } else if let line = finding.line(showsAll: all) {
                        print(line)
                    }
                })
        }
        let sentence = report.sentence(sources: sources.count) + report.leftSentence
        if json {
            print(json: [
                "files": .int(report.files), "present": .int(report.present),
                "otherForms": .int(report.otherForms), "missing": .int(report.missing),
                "left": .int(report.left),
                "complete": .bool(report.isComplete), "mediaComplete": .bool(report.hasAllMedia),
                "trusted": .bool(!report.wasRead),
                "sentence": .string(sentence),
            ])
        } else {
            print(sentence)
        }
        if allFiles ? !report.isComplete : !report.hasAllMedia { throw ExitCode(3) }
    }
}

extension SourceReport.Finding {
    fileprivate var json: JSONValue {
        var (path, rule): (FilePath?, SourceReport.Rule?)
        let word: String
        switch state {
        case .present(let at): (word, path) = ("present", at)
        case .otherForm(let of, let by): (word, path, rule) = ("otherForm", of, by)
        case .missing: word = "missing"
        }
        return .object([
            "source": .string(source.text), "state": .string(word),
            "path": JSONValue(path) { .string($0.text) }, "bytes": .int(bytes),
            "media": .bool(kind == .media),
            "kind": .string(kind.rawValue),
            "by": JSONValue(rule) { .string($0.rawValue) },
            "reason": JSONValue(state.reason, JSONValue.string),
        ])
    }

    fileprivate func line(showsAll: Bool) -> String? {
        switch state {
        case .present(let path): showsAll ? "there    \(source) = \(path)" : nil
        case .otherForm: "other    \(source): \(state.reason ?? "")"
        case .missing:
            "\(kind == .camera ? "camera " : "missing")  \(source): \(state.reason ?? "")"
        }
    }
}

extension SourceReport {
    fileprivate func sentence(sources: Int) -> String {
        let count = Self.grouped(files)
        if files == 0 { return "The \(sources == 1 ? "source has" : "sources have") no files." }
        if hasAllMedia, !isComplete { return othersSentence }
        guard isComplete else {
            let parts = [
                (missing, "missing"), (missingMedia, "of these photos or videos"),
                (otherForms, "only in another form"),
            ].filter { $0.0 > 0 }.map { "\(Self.grouped($0.0)) \($0.1)" }
            let left = files - present
            return "\(Self.grouped(left)) of \(count) files \(left == 1 ? "is" : "are") not in the library: "
                + parts.joined(separator: ", ") + "."
        }
        let subject = files == 1 ? "The file is" : "All \(count) files are"
        return "\(subject) in the library"
            + (wasRead
                ? ": the \(sources == 1 ? "source" : "sources") can be deleted."
                : " by its catalog, which was trusted: the library's files were not read again.")
    }

    /// States what was not looked at; empty if everything was.
    fileprivate var leftSentence: String {
        guard left > 0 else { return "" }
        return
            " \(left == 1 ? "One file or folder" : "\(Self.grouped(left)) files and folders") that systems keep beside photos "
            + "\(left == 1 ? "was" : "were") not looked at; --all-files compares them."
    }

    /// Names the other files that are missing: "2 other files are not: .hidden.thm, AUTPRINT.MRK" and so on.
    private var othersSentence: String {
        let (left, count) = (files - present, Self.grouped(files - present))
        let verb = left == 1 ? "file is" : "files are"
        let more = missing - others.count
        var names = others.map { PathText.shown($0.name.text) }
        if more > 0 { names.append("and \(Self.grouped(more)) more") }
        if otherForms > 0 { names.append("\(Self.grouped(otherForms)) only in another form") }
        let media = wasRead ? "in the library" : "in the library by its catalog, which was trusted"
        return
            (self.media == 0
            ? "There are no photos and films; \(count) \(verb) not in the library"
            : "All photos and films are \(media); \(count) other \(verb) not")
            + ": \(names.joined(separator: ", "))."
    }

    /// "2,314".
    private static func grouped(_ number: Int) -> String {
        let digits = Array("\(number)")
        return digits.enumerated().map { index, digit in
            index > 0 && (digits.count - index) % 3 == 0 ? ",\(digit)" : "\(digit)"
        }.joined()
    }
}
#endif
#endif
