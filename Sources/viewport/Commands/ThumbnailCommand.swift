#if CommandLine
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
            "viewport thumbnail photo.jpg": "Writes thumbnails/photo.jpg-\(ThumbnailSize.usual).jpg",
            "viewport thumbnail --recursive photos -s 128 -s 1024 -o '{stem}-{size}.webp'":
                "Two sizes of all photos in a folder, from one decode each",
            "viewport thumbnail --manifest list.jsonl --results done.jsonl --resume":
                "A batch that continues where it stopped",
        ],
        subcommands: [MakeThumbnails.self, MergeResults.self, VerifyResults.self],
        defaultSubcommand: MakeThumbnails.self)
}

/// `viewport thumbnail make`, or just `viewport thumbnail`.
struct MakeThumbnails: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Make thumbnails; the word make may be omitted.",
        examples: [
            "viewport thumbnail *.jpg -s 320x240 --crop attention -o 'out/{stem}.jpg'":
                "Fill 320x240 with the most interesting part",
            "viewport thumbnail --manifest list.jsonl --shard 3/16 --results 3.jsonl":
                "The fourth of 16 shares of a list",
        ])

    @OptionGroup(title: "Input and batch") var batch: InputArguments
    @OptionGroup(title: "Output") var thumbnails: ThumbnailArguments

    @Flag(help: "Print the results; the default with --manifest and no --results.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        if batch.course.retryFailed, !batch.course.resume, !thumbnails.freedesktop {
            throw ValidationError(
                "--retry-failed needs --resume or --freedesktop, which record failures: add one of them")
        }
        if batch.paths.isEmpty, batch.course.manifest == nil {
            throw ValidationError("give files, or a list with --manifest")
        }
        if !thumbnails.freedesktop, thumbnails.output != "-" {
            try batch.requireNames(thumbnails.resolvedTemplate())
        }
        guard isPiped || batch.paths.contains(where: PipedInput.isPiped) else { return }
        guard batch.paths.count == 1, !batch.recursive, batch.course.shard == nil,
            batch.course.results == nil,
            !thumbnails.freedesktop
        else { throw ValidationError("a pipe is a single image: give no other file and no batch options") }
        if try thumbnails.path(ofPiped: nil) == "-", thumbnails.size.count > 1 {
            throw ValidationError("standard output takes one thumbnail: give one --size, or -o with {size}")
        }
    }

    func run() throws {
        if isPiped { return try makePiped() }
        var recipe = try thumbnails.recipe
        let jobs = batch.course.jobs ?? Processors.count
        // A single file uses all processors; several files share them.
        if batch.isOne {
            recipe.threads = jobs
            leaveOutPlugins(recipe, unlessNeededFor: batch.path)
        } else {
            ThumbnailMaker.prepareForBatch()
        }
        let store = try thumbnails.store(retriesFailed: batch.course.retryFailed, inputs: batch.files)
        let work = ThumbnailWork(recipe, to: store)
        let folder = thumbnails.freedesktop ? nil : try thumbnails.resolvedTemplate().folder
        var run = BatchRun(work, batch, json: json, overwrites: thumbnails.overwriting.overwrite)
        run.printsPaths = thumbnails.output == nil && !thumbnails.freedesktop
        try run.run(batch.list(takesVideos: true, leavingOut: folder))
    }

    /// Leaves out libvips' plug-ins, whose start takes longer than a small thumbnail.
    private func leaveOutPlugins(_ recipe: ThumbnailRecipe, unlessNeededFor path: String) {
        // AVIF is written by a plug-in.
        guard recipe.format != .avif, !recipe.allowsUntrusted else { return }
        ViewportRuntime.leaveOutPlugins(unlessNeededFor: path)
    }

    /// Whether the input or the output is a standard stream.
    private var isPiped: Bool {
        thumbnails.output == "-" || batch.paths.count == 1 && PipedInput.isPiped(batch.paths[0])
    }

    /// Makes the thumbnails of an image that is read from or written to a pipe.
    private func makePiped() throws {
        var recipe = try thumbnails.recipe
        recipe.threads = batch.course.jobs ?? Processors.count
        if recipe.allowsUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        let path = batch.paths[0]
        if !PipedInput.isPiped(path) { leaveOutPlugins(recipe, unlessNeededFor: path) }
        let made = try ThumbnailMaker(recipe).makeSynchronously(PipedInput.path(path))
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
            if json {
                output.report(
                    .object([
                        "path": .string(batch.paths[0]), "output": .string(output.path),
                        "outputs": .outputs(
                            output.path, width: thumbnail.width, height: thumbnail.height,
                            bytes: thumbnail.bytes.count),
                        "size": .string("\(thumbnail.size)"), "width": .int(thumbnail.width),
                        "height": .int(thumbnail.height), "bytes": .int(thumbnail.bytes.count),
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
        guard saysPaths else { return }
        do throws(FileError) {
            for output in result.outputs { try StandardOutput.write(path: output.path) }
        } catch {
            throw .resultsUnwritable(file: StandardOutput.name, reason: "\(error)")
        }
    }
}
#endif
