internal import AssetCatalog
internal import Basics
internal import Files

/// Looks for damage in copies on other threads, while further files are copied.
///
/// The copies have just been read to be compared with their sources, so that this takes no time of the disk.
struct CopyChecks {
    private var tasks: [(number: Int, task: Task<String?, Never>)] = []

    /// Begins to check a file; waits while as many are checked as there are processors.
    mutating func begin(_ number: Int, _ path: String) async {
        if tasks.count >= Processors.count {
            _ = await tasks[tasks.count - Processors.count].task.value
        }
        tasks.append(
            (
                number,
                Task {
                    await BackgroundQueue.result { () throws(FileError) in
                        try InputFile.read(path) {
                            FileFlaw.find($0, name: FilePath(path).name.text, readsData: true)
                        }
                    }.success ?? nil
                }
            ))
    }

    /// Returns what was found, by the number of the file, and forgets it.
    mutating func results() async -> [Int: String] {
        defer { tasks = [] }
        var found: [Int: String] = [:]
        for (number, task) in tasks { found[number] = await task.value }
        return found
    }
}

extension Result {
    fileprivate var success: Success? { try? get() }
}
