import ArgumentParser
import Basics
import Files
import Thumbnails
import ViewportRendering

/// `viewport thumbnail`: small pictures of one photo or of a million, and what was written of them.
struct ThumbnailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbnail",
        abstract: "Make thumbnails of any number of files.",
        discussion: """
            viewport thumbnail photo.jpg                         thumbnails/photo.jpg-256.jpg
            viewport thumbnail --recursive photos --size 128 --size 1024 -o 'out/{dir}/{stem}-{size}.webp'
            viewport thumbnail --manifest list.jsonl --results results.jsonl --resume
            viewport thumbnail --manifest list.jsonl --shard 3/16 --results results-3.jsonl

            `viewport help thumbnail make` lists the options. Exit codes: 0 all well, 3 some items failed and their \
            results say why, 64 usage, 66 the manifest cannot be read, 73 something cannot be written, 75 another \
            run writes the same results, 130 and 143 stopped.
            """,
        subcommands: [MakeThumbnails.self, MergeResults.self, VerifyResults.self],
        defaultSubcommand: MakeThumbnails.self)
}

/// `viewport thumbnail make`, or just `viewport thumbnail`.
struct MakeThumbnails: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Make thumbnails; the word make may be left out.")

    @OptionGroup(title: "Which files") var batch: BatchArguments
    @OptionGroup(title: "What is made") var thumbnails: ThumbnailArguments
    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        if batch.retryFailed, !batch.resume, !thumbnails.freedesktop {
            throw ValidationError("failures are remembered with --resume or --freedesktop: add one of them")
        }
        guard isPiped || batch.paths.contains(PipedInput.name) else { return }
        guard batch.paths.count == 1, !batch.recursive, batch.shard == nil, batch.results == nil,
            !thumbnails.freedesktop
        else { throw ValidationError("- stands for one picture: name one, without the options of batches") }
        if try thumbnails.path(ofPiped: nil) == "-", thumbnails.size.count > 1 {
            throw ValidationError("standard output takes one picture: give one --size, or -o with {size}")
        }
    }

    func run() throws {
        if isPiped { return try makePiped() }
        var recipe = try thumbnails.recipe
        let jobs = batch.jobs ?? ThumbnailMaker.processors
        // One file may have all processors; more files share them.
        let isAlone = batch.manifest == nil && batch.paths.count == 1 && !batch.recursive
        if isAlone {
            recipe.threads = jobs
            // AVIF is written by a plug-in.
            if recipe.format != .avif, !recipe.allowsUntrusted {
                ViewportRuntime.leaveOutPlugins(unlessNeededFor: batch.paths[0])
            }
        } else {
            ThumbnailMaker.prepareForBatch()
        }
        let store = try thumbnails.store(retriesFailed: batch.retryFailed, inputs: batch.allFiles)
        var work = Batch(recipe, to: store, jobs: jobs)
        work.jobs = isAlone ? 1 : jobs
        work.allowedFailures = batch.allowedFailures
        let folder = thumbnails.freedesktop ? nil : try thumbnails.resolvedTemplate().folder
        let list = try batch.list(leavingOut: folder?.isEmpty ?? true ? nil : folder)
        let log = try batch.log(recipe, overwrites: thumbnails.overwriting.overwrite)
        let plan = BatchPlan(list, for: work.store, shard: try batch.resolvedShard()) {
            log?.has($0) ?? false
        }

        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let flag = interruption.flag
        let progress = BatchProgressLine()
        let reporter = ResultReporter(
            log: log, progress: progress, saysFailures: !batch.printsResults,
            saysPaths: thumbnails.output == nil && log == nil && !thumbnails.freedesktop)
        let summary = try work.run(plan, isStopped: { flag.isRaised }) { result, sums throws(BatchError) in
            try reporter.report(result)
            progress.show(sums)
        }
        progress.clear()
        if !isAlone { StandardError.note(Self.sentence(summary, kept: log?.kept ?? 0)) }
        try flag.check()
        if summary.unwritten > 0 { throw ExitCode(Exit.cannotWrite.rawValue) }
        if summary.failed > 0 { throw ExitCode(Exit.someFailed.rawValue) }
    }

    /// Whether a stream stands for a file.
    private var isPiped: Bool { batch.paths == [PipedInput.name] || thumbnails.output == "-" }

    /// Makes the thumbnails of one picture that comes or goes through a pipe.
    private func makePiped() throws {
        var recipe = try thumbnails.recipe
        recipe.threads = batch.jobs ?? ThumbnailMaker.processors
        let made = try ThumbnailMaker(recipe).makeSynchronously(PipedInput.path(batch.paths[0]))
        for thumbnail in made.thumbnails {
            let output = PictureOutput(
                try thumbnails.path(ofPiped: thumbnail), recipe.format, inputs: batch.paths,
                overwrites: thumbnails.overwriting.overwrite)
            if !output.isStandardOutput {
                let folder = OutputFile.folder(of: output.path)
                try OutputError.naming(folder) { () throws(FileError) in try OutputFile.makeFolder(folder) }
            }
            try output.check()
            try output.write(thumbnail.bytes)
            if batch.json {
                output.report(
                    .object([
                        ("path", .string(batch.paths[0])), ("output", .string(output.path)),
                        ("size", .string("\(thumbnail.size)")), ("width", .int(thumbnail.width)),
                        ("height", .int(thumbnail.height)), ("bytes", .int(thumbnail.bytes.count)),
                    ]))
            } else if thumbnails.output == nil, !output.isStandardOutput {
                print(output.path)
            }
        }
    }

    /// "198 made, 2 skipped, 1 failed, 20 left".
    private static func sentence(_ summary: BatchSummary, kept: Int) -> String {
        var parts = ["\(summary.made) made"]
        if kept > 0 { parts.append("\(kept) stand from before") }
        for (count, word) in [
            (summary.skipped, "skipped"), (summary.duplicates, "listed twice"), (summary.failed, "failed"),
        ] where count > 0 {
            parts.append("\(count) \(word)")
        }
        switch summary.left {
        case 0: break
        case let left?: parts.append("\(left) left")
        case nil: parts.append("the rest of the stream left")
        }
        return parts.joined(separator: ", ")
    }
}

/// Sends each result where it belongs: to the log, the terminal, or standard output.
private struct ResultReporter: Sendable {
    var log: ResultLog?
    var progress: BatchProgressLine
    var saysFailures: Bool
    var saysPaths: Bool

    func report(_ result: BatchResult) throws(BatchError) {
        let message = saysFailures ? result.failure.map { sentence(for: $0) } : nil
        // The line on the terminal would be written into.
        if message != nil || saysPaths || log?.isStandardOutput ?? false { progress.clear() }
        try log?.append(result)
        if let message { StandardError.write("viewport: \(message)\n") }
        if saysPaths { for output in result.outputs { try? StandardOutput.write(path: output.path) } }
    }
}

/// `viewport thumbnail merge`: the results of shares or of several runs as those of one.
struct MergeResults: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Join the results of shards or runs, and name what is missing.",
        discussion: """
            Each item has one result: a good one wins over an error, a later file over one before. The exit code is \
            3 where items failed or are missing.
            """)

    @Argument(help: "Files of results; - is standard input.")
    var results: [String]

    @Option(
        help: ArgumentHelp(
            "The list that was worked on: what no result tells of is missing.", valueName: "file"))
    var manifest: String?

    @Option(
        help: ArgumentHelp("Write what is missing there, as a manifest for another run.", valueName: "file"))
    var missing: String?

    @Option(name: .shortAndLong, help: "File to write; - is standard output.")
    var output = "-"

    @OptionGroup var quietness: QuietArguments
    @OptionGroup var overwriting: OverwriteArgument

    func validate() throws {
        if results.isEmpty { throw ValidationError("name files of results") }
        if missing != nil, manifest == nil { throw ValidationError("--missing needs the --manifest") }
        if let missing, missing == output, output != "-" {
            throw ValidationError("--missing and -o are one file: give them two names")
        }
    }

    func run() throws {
        let inputs = results + (manifest.map { [$0] } ?? [])
        let joinedOutput = ResultLog.output(output, inputs: inputs, overwrites: overwriting.overwrite)
        let missingOutput = missing.map { path in
            let (manifest, output) = (manifest ?? "-", output)
            return Output(
                path, .lines, inputs: inputs + (output == "-" ? [] : [output]),
                overwrites: overwriting.overwrite
            ) { Self.isList($0, from: manifest) }
        }
        try Self.check(joinedOutput)
        if let missingOutput { try Self.check(missingOutput) }
        var merge = ResultMerge()
        for path in results { try merge.add(path) }
        let joined = merge.joined
        let missing = try manifest.map { path throws(BatchError) in try merge.missing(from: path) } ?? []
        try Self.write(joined.map(\.json), to: joinedOutput)
        if let missingOutput { try Self.write(missing, to: missingOutput) }
        if self.missing == nil {
            for line in missing { StandardError.write("viewport: missing: \(line)\n") }
        }
        let failed = joined.count { $0.status == .error }
        var parts = ["\(joined.count) results", "\(failed) failed"]
        if manifest != nil { parts.append("\(missing.count) missing") }
        if merge.unreadable > 0 { parts.append("\(merge.unreadable) lines are no results") }
        StandardError.note(parts.joined(separator: ", "))
        guard failed + missing.count + merge.unreadable == 0 else { throw ExitCode(Exit.someFailed.rawValue) }
    }

    private static func check(_ output: Output) throws {
        guard output.path != "-" else { return }
        try OutputError.naming(output.path) { () throws(FileError) in try output.check() }
    }

    private static func write(_ values: [JSONValue], to output: Output) throws {
        let lines = values.flatMap { Array(("\($0)\n").utf8) }
        try OutputError.naming(output.path) { () throws(FileError) in
            output.path == "-" ? try OutputFile.writeToStandardOutput(lines) : try output.write(lines)
        }
    }

    /// Whether all lines of a file are such as `--missing` writes for this manifest: it can be made again.
    private static func isList(_ path: String, from manifest: String) -> Bool {
        guard manifest != "-", let all = try? ResultMerge().missing(from: manifest),
            let there = try? InputFile.contents(path)
        else { return false }
        let known = Set(all.map { Array($0.description.utf8)[...] })
        return there.split(separator: UInt8(ascii: "\n")).allSatisfy(known.contains)
    }
}

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
