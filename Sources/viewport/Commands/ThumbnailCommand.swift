import ArgumentParser
import Basics
import Files
import Thumbnails
import ViewportRendering

/// `viewport thumbnail`: thumbnails of one photo or of millions, and commands for their results.
struct ThumbnailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbnail",
        abstract: "Make thumbnails of any number of files.",
        discussion: """
            `viewport help thumbnail make` lists the options. Exit code 3: some items
            failed, and the results have the reasons.
            """,
        examples: [
            ("viewport thumbnail photo.jpg", "Writes thumbnails/photo.jpg-256.jpg"),
            (
                "viewport thumbnail --recursive photos -s 128 -s 1024 -o '{stem}-{size}.webp'",
                "Two sizes of all photos in a folder, from one decode each"
            ),
            (
                "viewport thumbnail --manifest list.jsonl --results done.jsonl --resume",
                "A batch that continues where it stopped"
            ),
        ],
        subcommands: [MakeThumbnails.self, MergeResults.self, VerifyResults.self],
        defaultSubcommand: MakeThumbnails.self)
}

/// `viewport thumbnail make`, or just `viewport thumbnail`.
struct MakeThumbnails: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Make thumbnails; the word make may be omitted.",
        examples: [
            (
                "viewport thumbnail *.jpg -s 320x240 --crop attention -o 'out/{stem}.jpg'",
                "Fill 320x240 with the most interesting part"
            ),
            (
                "viewport thumbnail --manifest list.jsonl --shard 3/16 --results 3.jsonl",
                "The fourth of 16 shares of a list"
            ),
        ])

    @OptionGroup(title: "Input and batch") var batch: BatchArguments
    @OptionGroup(title: "Output") var thumbnails: ThumbnailArguments
    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        if batch.course.retryFailed, !batch.course.resume, !thumbnails.freedesktop {
            throw ValidationError(
                "--retry-failed needs --resume or --freedesktop, which record failures: add one of them")
        }
        guard isPiped || batch.paths.contains(PipedInput.name) else { return }
        guard batch.paths.count == 1, !batch.recursive, batch.course.shard == nil,
            batch.course.results == nil,
            !thumbnails.freedesktop
        else { throw ValidationError("- is a single image: give no other file and no batch options") }
        if try thumbnails.path(ofPiped: nil) == "-", thumbnails.size.count > 1 {
            throw ValidationError("standard output takes one thumbnail: give one --size, or -o with {size}")
        }
    }

    func run() throws {
        if isPiped { return try makePiped() }
        var recipe = try thumbnails.recipe
        let jobs = batch.course.jobs ?? ThumbnailMaker.processors
        // A single file uses all processors; several files share them.
        let isAlone = batch.course.manifest == nil && batch.paths.count == 1 && !batch.recursive
        if isAlone {
            recipe.threads = jobs
            // AVIF is written by a plug-in.
            if recipe.format != .avif, !recipe.allowsUntrusted {
                ViewportRuntime.leaveOutPlugins(unlessNeededFor: batch.paths[0])
            }
        } else {
            ThumbnailMaker.prepareForBatch()
        }
        let store = try thumbnails.store(retriesFailed: batch.course.retryFailed, inputs: batch.allFiles)
        let thumbnailing = ThumbnailWork(recipe, to: store)
        var work = Batch(thumbnailing, jobs: isAlone ? 1 : jobs)
        work.allowedFailures = batch.course.allowedFailures
        let folder = thumbnails.freedesktop ? nil : try thumbnails.resolvedTemplate().folder
        let list = try batch.list(leavingOut: folder?.isEmpty ?? true ? nil : folder)
        let log = try batch.course.log(
            inputs: batch.paths, prints: batch.printsResults,
            overwrites: thumbnails.overwriting.overwrite
        ) { [recipe, course = batch.course] in
            $0.hasPlaceholder(of: recipe)
                && $0.stands(thumbnailing, course.pathRoot, retriesFailed: course.retryFailed)
        }
        let plan = BatchPlan(list, for: thumbnailing, shard: try batch.course.resolvedShard()) {
            log?.has($0, thumbnailing.fingerprint(of: $0)) ?? false
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
        if !isAlone { StandardError.note(summary.sentence(kept: log?.kept ?? 0)) }
        try flag.check()
        if summary.unwritten > 0 { throw ExitCode(Exit.cannotWrite.rawValue) }
        if summary.failed > 0 { throw ExitCode(Exit.someFailed.rawValue) }
    }

    /// Whether the input or the output is a standard stream.
    private var isPiped: Bool { batch.paths == [PipedInput.name] || thumbnails.output == "-" }

    /// Makes the thumbnails of an image that is read from or written to a pipe.
    private func makePiped() throws {
        var recipe = try thumbnails.recipe
        recipe.threads = batch.course.jobs ?? ThumbnailMaker.processors
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
}

extension BatchSummary {
    /// Returns "198 made, 2 skipped, 1 failed, 20 left".
    func sentence(kept: Int) -> String {
        var parts = ["\(made) made"]
        if kept > 0 { parts.append("\(kept) kept from an earlier run") }
        for (count, word) in [
            (skipped, "skipped"), (duplicates, "listed twice"), (failed, "failed"),
        ] where count > 0 {
            parts.append("\(count) \(word)")
        }
        switch left {
        case 0: break
        case let left?: parts.append("\(left) left")
        case nil: parts.append("the rest of the stream left")
        }
        return parts.joined(separator: ", ")
    }
}

/// Sends each result where it belongs: to the log, the terminal, or standard output.
struct ResultReporter: Sendable {
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

/// `viewport thumbnail merge`: joins the results of shards or runs.
struct MergeResults: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Join the results of shards or runs, and list missing items.",
        discussion: """
            Each item gets one result: success wins over an error, a later file over an
            earlier one. Exit code 3: items failed or are missing.
            """,
        examples: [
            ("viewport thumbnail merge -o all.jsonl done-*.jsonl", "Join the results of several runs"),
            (
                "viewport thumbnail merge --manifest list.jsonl --missing rest.jsonl *.jsonl",
                "Write a manifest of the items that have no result"
            ),
        ])

    @Argument(help: "Result files; - is standard input.")
    var results: [String]

    @Option(
        help: ArgumentHelp(
            "Manifest of the batch: its items without a result are missing.", valueName: "file"))
    var manifest: String?

    @Option(
        help: ArgumentHelp(
            "Write the missing items to this file, as a manifest for another run.", valueName: "file"))
    var missing: String?

    @Option(name: .shortAndLong, help: "File to write; - is standard output.")
    var output = "-"

    @OptionGroup var quietness: QuietArguments
    @OptionGroup var overwriting: OverwriteArgument

    func validate() throws {
        if results.isEmpty { throw ValidationError("give result files") }
        if missing != nil, manifest == nil { throw ValidationError("--missing needs --manifest") }
        if let missing, missing == output, output != "-" {
            throw ValidationError("--missing and -o are the same file: give two names")
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
        if merge.unreadable > 0 { parts.append("\(merge.unreadable) lines are not results") }
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

    /// Whether `--missing` could have written a file for this manifest, so that it may be replaced.
    private static func isList(_ path: String, from manifest: String) -> Bool {
        guard manifest != "-", let all = try? ResultMerge().missing(from: manifest),
            let there = try? InputFile.contents(path)
        else { return false }
        let known = Set(all.map { Array($0.description.utf8)[...] })
        return there.split(separator: UInt8(ascii: "\n")).allSatisfy(known.contains)
    }
}

/// `viewport thumbnail verify`: compares thumbnails with the checksums in their results.
struct VerifyResults: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare every thumbnail with the checksum in its result.",
        discussion: "Exit code 3: thumbnails are missing or have other bytes.",
        examples: [
            ("viewport thumbnail verify all.jsonl", "List the problems on standard error"),
            ("viewport thumbnail verify all.jsonl --json", "One line of JSON per problem"),
        ])

    @Argument(help: "Result file; - is standard input.")
    var results: String

    @Flag(help: "Print one line of JSON per problem.")
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
