import ArgumentParser
import Files
import Thumbnails

/// Which files, which share of them, and what is done when some fail.
struct BatchArguments: ParsableArguments {
    @Argument(help: "Files, and with --recursive folders; - is a picture from standard input.")
    var paths: [String] = []

    @Flag(help: "Go into folders: all pictures and films in them that are not hidden.")
    var recursive = false

    @Option(
        help: ArgumentHelp(
            "A list instead: one {\"path\":…} a line, an \"id\" and other members as you like; - is standard input.",
            valueName: "file"))
    var manifest: String?

    @Option(help: ArgumentHelp("The folder that paths are seen from.", valueName: "folder"))
    var root = "."

    @Option(help: ArgumentHelp("Where the results go, one line of JSON an item.", valueName: "file"))
    var results: String?

    @Flag(help: "Print the results, as --manifest without --results does.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The share i of n, from 0; of a manifest also from VIEWPORT_SHARD, Slurm, Kubernetes or AWS Batch.",
            valueName: "i/n"))
    var shard: Shard?

    @Flag(help: "Leave out what stands in --results: made or failed, of the same file by the same recipe.")
    var resume = false

    @Flag(help: "Try again what is remembered as failed.")
    var retryFailed = false

    @Option(help: ArgumentHelp("End when more items than this have failed.", valueName: "n"))
    var maxErrors: Int?

    @Flag(help: "End when an item has failed.")
    var failFast = false

    @Option(help: "Files at once (default: the processors).")
    var jobs: Int?

    func validate() throws {
        if paths.isEmpty, manifest == nil { throw ValidationError("name files, or a list with --manifest") }
        if !paths.isEmpty, manifest != nil {
            throw ValidationError("--manifest and files exclude each other")
        }
        if recursive, manifest != nil {
            throw ValidationError("a manifest lists files: leave out --recursive")
        }
        if resume, results == nil { throw ValidationError("--resume needs the --results of the run before") }
        try require("--jobs", jobs, in: 1...1024, example: 4)
        try require("--max-errors", maxErrors, in: 0..., example: 10)
        _ = try resolvedShard()
    }

    /// The share that is named, else that of the environment; a file of the command line is always meant.
    func resolvedShard() throws -> Shard? {
        if let shard { return shard }
        guard manifest != nil else { return nil }
        do {
            return try Shard(environment: ProcessEnvironment.variable)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    var allowedFailures: Int? { failFast ? 0 : maxErrors }

    var pathRoot: BatchRoot { BatchRoot(root, isForManifest: manifest != nil) }

    /// Whether results go to standard output.
    var printsResults: Bool { results == nil && (json || manifest != nil) }

    func list(leavingOut folder: String?) throws -> BatchList {
        guard let manifest else {
            return BatchList(paths, isRecursive: recursive, leavingOut: folder, root: pathRoot)
        }
        return try BatchList(manifest: manifest, root: pathRoot)
    }

    /// Where results go; nil for nowhere.
    func log(_ recipe: ThumbnailRecipe, overwrites: Bool) throws -> ResultLog? {
        guard let results else { return printsResults ? ResultLog() : nil }
        let inputs = manifest.map { [$0] } ?? paths
        let output = ResultLog.output(results, inputs: inputs, overwrites: overwrites)
        guard resume else { return try ResultLog(output, pathRoot) }
        return try ResultLog(output, pathRoot) {
            $0.stands(recipe, pathRoot, retriesFailed: retryFailed)
        }
    }

    /// All files that thumbnails are made of; none where the list comes from a pipe.
    var allFiles: @Sendable () -> Set<FileIdentity> {
        let (manifest, paths, recursive, root) = (manifest, paths, recursive, pathRoot)
        return {
            guard manifest != "-",
                var list = try? manifest.map({ try BatchList(manifest: $0, root: root) })
                    ?? BatchList(paths, isRecursive: recursive, leavingOut: nil, root: root)
            else { return [] }
            return list.files()
        }
    }
}
