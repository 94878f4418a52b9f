#if CommandLine
import ArgumentParser
import Batches
import Files

/// The list of a batch, and the share of it that this process takes.
struct ListArguments: ParsableArguments {
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
        help: ArgumentHelp(
            "Process share i of n, i from 0. With --manifest or {shard} in -o, the default is VIEWPORT_SHARD or the shard of Slurm, Kubernetes or AWS Batch.",
            valueName: "i/n"))
    var shard: Shard?

    @Option(help: "Most files processed at a time (default: one per processor). Fewer if memory is limited.")
    var jobs: Int?

    func validate() throws { try require("--jobs", jobs, in: 1...1024, example: 4) }

    /// Returns the shard of `--shard`, else that of the environment where it counts.
    func resolvedShard(orOfEnvironmentIf counts: Bool) throws -> Shard? {
        guard shard == nil, counts else { return shard }
        do {
            return try Shard(environment: ProcessEnvironment.variable)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// The folder of paths.
    ///
    /// - Parameter hasItemsOfLines: whether each line of a manifest is an item of its own.
    func pathRoot(hasItemsOfLines: Bool = false) -> BatchRoot {
        BatchRoot(root, isForManifest: manifest != nil, hasItemsOfLines: hasItemsOfLines)
    }
}
#endif
