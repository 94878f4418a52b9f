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
    /// - Parameter isOutput: whether the second path is one that the command writes, behind the first one.
    mutating func takeOutput(_ isOutput: (_ path: String, _ input: String) -> Bool) -> String? {
        guard paths.count > 1, let last = paths.last, course.manifest == nil else { return nil }
        let isNewFolder = last.hasSuffix("/") && !Self.isThere(last)
        guard isNewFolder || paths.count == 2 && !recursive && isOutput(last, paths[0]) else { return nil }
        return paths.removeLast()
    }

    /// Whether a path behind an image can only be meant as a picture to write: standard output, or a name with the
    /// extension of a format that is written, which is missing or an output of an earlier run.
    ///
    /// Two outputs of earlier runs are two images, such as those of `*.jpg`: none of them is replaced.
    static func isPictureToWrite(_ path: String, behind input: String) -> Bool {
        if path == PipedInput.name { return true }
        guard OutputName.pictureFormat(of: path) != nil else { return false }
        return !isThere(path) || isOwn(path) && !isOwn(input)
    }

    private static func isOwn(_ path: String) -> Bool {
        OutputName.pictureFormat(of: path).map { FileMark.isOnOwn(path, $0.fileKind) } ?? false
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
            "-o \(template.text): one name for several inputs; give a folder, such as \(template.text)/, or a name with {stem}"
        )
    }

    /// Whether the inputs are files by name, whose outputs need no folders.
    var namesFiles: Bool { course.manifest == nil && !recursive }

    /// Returns what tells the outputs of a template apart: a part of the name, with its folder below folders, or the id of
    /// a line.
    func place(_ name: String) -> String {
        course.manifest != nil ? "{id}" : recursive ? "{dir}/\(name)" : name
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
            if recursive, let folder, paths.contains(where: { Folder.isSame($0, as: folder) }) {
                throw ValidationError(
                    "-o \(folder): the outputs would be among the inputs of the next run; choose another folder"
                )
            }
            return BatchList(
                paths, isRecursive: recursive, takesVideos: takesVideos, leavingOut: folder, root: root)
        }
        return try BatchList(manifest: manifest, root: root)
    }

    /// All input files, found once; none if the list comes from a pipe.
    var files: ListedFiles {
        let inputs = self
        return ListedFiles { inputs.course.manifest == "-" ? nil : try? inputs.list(takesVideos: true) }
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
