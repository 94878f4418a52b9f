#if CommandLine
import ArgumentParser
import Files
import Thumbnails

/// The manifest of a batch, and its shard, results and failures.
struct ManifestArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "List of files, one {\"path\":…} per line, with optional \"id\" and other members; - is standard input.",
            valueName: "file"), completion: .file())
    var manifest: String?

    @Option(
        help: ArgumentHelp("The folder that paths are relative to.", valueName: "folder"),
        completion: .directory)
    var root = "."

    @Option(
        help: ArgumentHelp("Write one line of JSON per item to this file.", valueName: "file"),
        completion: .file())
    var results: String?

    @Option(
        help: ArgumentHelp(
            "Process share i of n, i from 0. With --manifest, the default is VIEWPORT_SHARD or the shard of Slurm, Kubernetes or AWS Batch.",
            valueName: "i/n"))
    var shard: Shard?

    @Flag(help: "Skip items that are in --results, made or failed, while file and recipe are unchanged.")
    var resume = false

    @Flag(help: "Repeat items that are recorded as failed.")
    var retryFailed = false

    @Option(help: ArgumentHelp("Stop when more items than this have failed.", valueName: "n"))
    var maxErrors: Int?

    @Flag(help: "Stop when an item has failed.")
    var failFast = false

    @Option(help: "Most files processed at a time (default: one per processor). Fewer if memory is limited.")
    var jobs: Int?

    func validate() throws {
        if resume, results == nil {
            throw ValidationError("--resume needs --results, the file of the earlier run")
        }
        try require("--jobs", jobs, in: 1...1024, example: 4)
        try require("--max-errors", maxErrors, in: 0..., example: 10)
        _ = try resolvedShard()
    }

    /// Returns the shard of `--shard`, else of the environment if there is a manifest.
    func resolvedShard() throws -> Shard? {
        if let shard { return shard }
        guard manifest != nil else { return nil }
        do {
            return try Shard(environment: ProcessEnvironment.variable)
        } catch {
            throw ValidationError("\(error)")
        }
    }

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
        BatchRoot(root, isForManifest: manifest != nil, hasItemsOfLines: work.identity == .line)
    }

    var pathRoot: BatchRoot { BatchRoot(root, isForManifest: manifest != nil) }

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
