import ArgumentParser
import Files
import Thumbnails
import ViewportRendering

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
            if recipe.format != .avif, !recipe.allowsUntrusted { ImageFile.startForOneFile(batch.paths[0]) }
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
        let teller = ResultReporter(
            log: log, progress: progress, saysFailures: !batch.printsResults,
            saysPaths: thumbnails.output == nil && log == nil && !thumbnails.freedesktop)
        let summary = try work.run(plan, isStopped: { flag.isRaised }) { result, sums throws(BatchError) in
            try teller.tell(result)
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
        let made = try ThumbnailMaker(recipe).make(PipedInput.path(batch.paths[0]))
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
    private static func sentence(_ summary: Batch.Summary, kept: Int) -> String {
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

/// Tells results to whom they are for.
private struct ResultReporter: Sendable {
    var log: ResultLog?
    var progress: BatchProgressLine
    var saysFailures: Bool
    var saysPaths: Bool

    func tell(_ result: BatchResult) throws(BatchError) {
        let message = saysFailures ? result.failure?.message : nil
        // The line on the terminal would be written into.
        if message != nil || saysPaths || log?.isStandardOutput ?? false { progress.clear() }
        try log?.append(result)
        if let message { StandardError.write("viewport: \(message)\n") }
        if saysPaths { for output in result.outputs { try? StandardOutput.write(path: output.path) } }
    }
}
