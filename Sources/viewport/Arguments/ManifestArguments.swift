#if CommandLine
import ArgumentParser
import Files
import Thumbnails

/// The manifest of a batch, and its shard, results and failures.
struct ManifestArguments: ParsableArguments {
    @OptionGroup var list: ListArguments

    @Option(
        help: ArgumentHelp("Write one line of JSON per item to this file.", valueName: "file"),
        completion: .file())
    var results: String?

    @Flag(help: "Skip items that are in --results, made or failed, while file and recipe are unchanged.")
    var resume = false

    @Flag(help: "Repeat items that are recorded as failed.")
    var retryFailed = false

    @Option(help: ArgumentHelp("Stop when more items than this have failed.", valueName: "n"))
    var maxErrors: Int?

    @Flag(help: "Stop when an item has failed.")
    var failFast = false

    func validate() throws {
        if resume, results == nil {
            throw ValidationError("--resume needs --results, the file of the earlier run")
        }
        try require("--max-errors", maxErrors, in: 0..., example: 10)
        _ = try resolvedShard()
    }

    var manifest: String? { list.manifest }
    var shard: Shard? { list.shard }
    var jobs: Int? { list.jobs }

    /// Returns the shard of `--shard`, else of the environment if there is a manifest.
    func resolvedShard() throws -> Shard? { try list.resolvedShard(orOfEnvironmentIf: manifest != nil) }

    /// Refuses options of a batch without a manifest.
    func requireManifest() throws {
        if manifest == nil, results != nil || shard != nil {
            throw ValidationError("--results and --shard need --manifest")
        }
        if retryFailed, !resume { throw ValidationError("--retry-failed needs --resume") }
    }

    var allowedFailures: Int? { failFast ? 0 : maxErrors }

    /// The folder of paths, which knows what an item of the work is.
    func pathRoot(for work: any BatchWork) -> BatchRoot {
        list.pathRoot(hasItemsOfLines: work.identity == .line)
    }

    var pathRoot: BatchRoot { list.pathRoot() }

    /// Whether results go to standard output: where they are asked for, those of a manifest in any case.
    func printsResults(_ json: Bool) -> Bool { results == nil && (json || manifest != nil) }

    /// Returns the destination of results; nil for none.
    ///
    /// - Parameters:
    ///   - inputs: files that are read.
    ///   - prints: whether results without a file go to standard output.
    ///   - work: the work whose valid results `--resume` keeps.
    func log(
        inputs: [String], prints: Bool, overwrites: Bool, for work: any BatchWork
    ) throws -> ResultLog? {
        guard let results else {
            guard prints else { return nil }
            return ResultLog(onStandardOutput: StandardOutput.write)
        }
        let output = ResultLog.output(
            results, inputs: inputs + (manifest.map { [$0] } ?? []), overwrites: overwrites)
        let rule = ResultRule(work, retriesFailed: retryFailed)
        return try ResultLog(output, pathRoot(for: work), keeping: resume ? rule : nil)
    }
}
#endif
