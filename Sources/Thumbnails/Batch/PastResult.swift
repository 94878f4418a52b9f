package import Basics
internal import Files

/// A result of an earlier run, as its line tells it.
package struct PastResult: Sendable {
    package enum Status: String, Sendable {
        case ok, skipped, duplicate, error
    }

    package var json: JSONValue
    package var status: Status
    package var line: Int
    package var outputs: [StoredThumbnail]

    /// What its item is known by; nil where its manifest's line was not understood.
    package var key: String?

    /// Nil where a line is no result.
    package init?(_ json: JSONValue, _ root: BatchRoot = BatchRoot()) {
        guard let status = json["status"]?.string.flatMap(Status.init(rawValue:)),
            let line = json["line"]?.int,
            let outputs = json["outputs"]?.array
        else { return nil }
        self.json = json
        self.status = status
        self.line = line
        self.outputs = outputs.compactMap(StoredThumbnail.init)
        guard self.outputs.count == outputs.count else { return nil }
        guard let path = json["path"]?.string else { return }
        key =
            BatchItem(
                line: line, id: json["id"], path: path, file: root.file(path),
                relativePath: root.relative(path)
            ).key
    }

    var code: String? { json["error"]?["code"]?.string }

    /// Whether it says something of a file, and not of where the file stood in its list.
    package var isLasting: Bool {
        switch status {
        case .ok, .skipped: true
        case .error: BatchFailure(code ?? "", "").isLasting
        case .duplicate: false
        }
    }

    /// Whether the same would come out now: the recipe is the same, the file is as it was, and its thumbnails lie
    /// where they were put.
    package func stands(_ recipe: ThumbnailRecipe, _ root: BatchRoot, retriesFailed: Bool) -> Bool {
        guard json["recipe"]?.string == recipe.shortFingerprint, let path = json["path"]?.string,
            let source = FileStatus(root.file(path)),
            json["source"] == BatchResult.json(source), status != .error || !retriesFailed,
            !recipe.makesPlaceholder || status == .error || json["placeholder"] != nil
        else { return false }
        return outputs.allSatisfy { FileStatus($0.path)?.size == $0.bytes }
    }
}
