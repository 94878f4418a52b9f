#if CommandLine
import ArgumentParser
import Basics
import Batches
import Files
import ViewportRendering

/// The inputs of a command: files, folders, standard input or a manifest; and how a batch of them runs.
struct InputArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Files, with --recursive also folders; - is standard input.", valueName: "file"),
        completion: .file())
    var paths: [String] = []

    @Flag(name: .shortAndLong, help: "Include all images below folders, except hidden ones.")
    var recursive = false

    @OptionGroup var course: ManifestArguments

    func validate() throws {
        if !paths.isEmpty, course.manifest != nil {
            throw ValidationError("--manifest and files exclude each other")
        }
        if recursive, course.manifest != nil {
            throw ValidationError("--recursive does not apply to a manifest: leave it out")
        }
    }

    /// Refuses to run without an input, and a pipe beside other inputs.
    ///
    /// - Parameters:
    ///   - name: what one input is: "an image".
    ///   - takesPipes: whether several inputs may be pipes.
    func require(_ name: String, takesPipes: Bool = false) throws {
        if paths.isEmpty, course.manifest == nil {
            throw ValidationError("give \(name), or a list with --manifest")
        }
        if !isSingle, !takesPipes, let pipe = paths.first(where: PipedInput.isPiped) {
            throw ValidationError(
                "\(pipe) is a single image: give no other file and no batch options with it")
        }
    }

    /// Takes the output from the paths, as other programs have it last: `IN OUT`, and `IN… FOLDER/` for a new folder.
    ///
    /// - Parameter isOutput: whether a path is one that the command writes: it has such an extension, and is missing or
    ///   was written by this program.
    mutating func takeOutput(_ isOutput: (String) -> Bool) -> String? {
        guard paths.count > 1, let last = paths.last, course.manifest == nil else { return nil }
        let isNewFolder = last.hasSuffix("/") && !Self.isThere(last)
        guard isNewFolder || paths.count == 2 && !recursive && isOutput(last) else { return nil }
        return paths.removeLast()
    }

    /// Whether a path can only be meant as a picture to write: it has the extension of a format that is written, and is
    /// missing or an output of an earlier run.
    static func isPictureToWrite(_ path: String) -> Bool {
        if path == PipedInput.name { return true }
        guard let format = OutputName.ending(of: path).flatMap(PictureFormat.init(fileExtension:)) else {
            return false
        }
        return !isThere(path) || FileMark.isOnOwn(path, format.fileKind)
    }

    /// Whether something has this name, or it cannot be told.
    static func isThere(_ path: String) -> Bool {
        do throws(FileError) {
            try InputFile.check(path)
            return true
        } catch {
            return error != .missing
        }
    }

    /// Refuses one name for the outputs of several inputs; lines of a manifest can name their own.
    func requireNames(_ template: OutputTemplate) throws {
        guard course.manifest == nil, !isOne, !template.isForMany else { return }
        throw ValidationError(
            "-o \(template.text): one name for several inputs; give a folder, or a name with {stem}")
    }

    /// Whether there is one input, without options of a batch.
    var isSingle: Bool { isOne && course.results == nil && course.shard == nil }

    /// Whether the input is one file, not a folder or a list.
    var isOne: Bool { course.manifest == nil && paths.count == 1 && !recursive }

    /// The first path; in a batch, that of the item.
    var path: String { paths.first ?? PipedInput.name }

    /// Returns the list of the inputs.
    ///
    /// - Parameters:
    ///   - work: the work, which knows what an item is; nil for files.
    ///   - takesVideos: whether folders give their videos, too.
    ///   - folder: a folder to skip: that of the outputs.
    func list(
        for work: (any BatchWork)? = nil, takesVideos: Bool = false, leavingOut folder: String? = nil
    ) throws -> BatchList {
        let root = work.map(course.pathRoot) ?? course.pathRoot
        guard let manifest = course.manifest else {
            let folder = folder?.isEmpty ?? true ? nil : folder
            return BatchList(
                paths, isRecursive: recursive, takesVideos: takesVideos, leavingOut: folder, root: root)
        }
        return try BatchList(manifest: manifest, root: root)
    }

    /// All input files; none if the list comes from a pipe.
    var allFiles: @Sendable () -> Set<FileIdentity> {
        let inputs = self
        return {
            guard inputs.course.manifest != "-", var list = try? inputs.list(takesVideos: true) else {
                return []
            }
            return list.files()
        }
    }

    /// All input files, found once; nil if the list comes from a pipe.
    var listedFiles: ListedFiles {
        let inputs = self
        return ListedFiles { inputs.course.manifest == "-" ? nil : try? inputs.list() }
    }

    /// Runs a body on each input in order, those of other shards left out.
    ///
    /// - Parameter body: receives the path to open.
    func forEach(_ body: (String) throws -> Void) throws {
        guard course.manifest != nil || course.shard != nil || recursive else {
            return try paths.forEach(body)
        }
        let each = NotedWork(noun: "input", options: "") { _, _ in BatchOutput(.made([])) }
        var plan = BatchPlan(try list(), for: each, shard: try course.resolvedShard())
        while let task = try plan.next() {
            switch task {
            case .make(let item, _): try body(item.file)
            case .known(let result):
                if let failure = result.failure { StandardError.write("viewport: \(failure.message)\n") }
            }
        }
    }
}
#endif
