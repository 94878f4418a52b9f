internal import Basics
internal import Digests
package import Files
internal import Synchronization
internal import ViewportRendering

/// Thumbnails at the paths of a template.
///
/// A thumbnail has the modification time of its source and a mark; it is valid while both match. An existing file
/// without a mark is only replaced on request.
package final class TemplateStore: ThumbnailStore {
    private let template: OutputTemplate
    private let recipe: ThumbnailRecipe
    private let fingerprint: String
    private let replacesOthers: Bool
    private let inputs: @Sendable () -> Set<FileIdentity>
    private let knownInputs = Mutex<Set<FileIdentity>?>(nil)
    private let visited = Mutex<Set<BatchPlan.Digest>>([])

    /// - Parameter inputs: all files of the batch; only evaluated before a file without a mark is replaced.
    package init(
        _ template: OutputTemplate, _ recipe: ThumbnailRecipe, replacesOthers: Bool = false,
        inputs: @escaping @Sendable () -> Set<FileIdentity> = { [] }
    ) {
        self.inputs = inputs
        self.template = template
        self.recipe = recipe
        fingerprint = recipe.shortFingerprint
        self.replacesOthers = replacesOthers
    }

    package func outputs(of item: BatchItem) throws(BatchFailure) -> [String] {
        var paths: [String] = []
        for size in recipe.sizes {
            paths.append(
                try template.path(of: item, size: size.description, width: size.width, height: size.height))
        }
        return paths
    }

    /// Whether the sizes of the recipe get different names.
    package var tellsSizesApart: Bool {
        let sample = BatchItem(line: 1, path: "a.png", file: "a.png", relativePath: "a.png")
        return ((try? outputs(of: sample)).map { Set($0).count == $0.count }) ?? true
    }

    package func existing(_ item: BatchItem, _ outputs: [String], _ source: FileStatus) -> KeptThumbnails? {
        var kept = KeptThumbnails(outputs: [])
        for (size, path) in zip(recipe.sizes, outputs) {
            guard let status = FileStatus(path), status.isDated(as: source),
                let file = try? InputFile.contents(path), let mark = ThumbnailMark(of: file, recipe.format),
                mark.recipe == fingerprint, mark.sourceBytes == source.size
            else { return nil }
            kept.outputs.append(StoredThumbnail(size, mark.width, mark.height, file, path))
            kept.placeholder = mark.placeholder
        }
        guard kept.placeholder != nil || !recipe.makesPlaceholder else { return nil }
        return kept
    }

    package func prepare(
        _ item: BatchItem, _ outputs: [String], _ source: FileStatus
    ) throws(BatchFailure) {
        for path in outputs {
            do throws(FileError) {
                try prepare(folder: OutputFile.folder(of: path))
                try output(path, of: item).check()
            } catch {
                throw BatchFailure(writing: error, path)
            }
        }
    }

    private func output(_ path: String, of item: BatchItem) -> Output {
        let format = recipe.format
        return Output(path, format.fileKind, overwrites: replacesOthers) { path in
            (try? InputFile.contents(path)).map { ThumbnailMark.isThere(in: $0, format) } ?? false
        } isInput: { [self] file in
            FileIdentity(item.file) == file || replacesOthers && isInput(file)
        }
    }

    private func isInput(_ file: FileIdentity) -> Bool {
        knownInputs.withLock { known in
            let all = known ?? inputs()
            known = all
            return all.contains(file)
        }
    }

    /// Whether a file is an unchanged thumbnail of this package.
    package static func isThumbnail(_ path: String, _ kind: OutputKind) -> Bool {
        guard let format = PictureFormat.allCases.first(where: { $0.fileKind == kind }),
            let file = try? InputFile.contents(path)
        else { return false }
        return ThumbnailMark(of: file, format) != nil
    }

    /// Creates a folder and removes leftovers of dead processes, once.
    private func prepare(folder: String) throws(FileError) {
        // A second thread waits until the folder exists.
        try visited.withLock { visited throws(FileError) in
            let digest = BatchPlan.Digest(folder)
            guard !visited.contains(digest) else { return }
            try Folder.make(folder, mode: 0o777)
            TemporaryName.sweep(folder)
            visited.insert(digest)
        }
    }

    package func write(
        _ made: [Thumbnail], placeholder: String?, of item: BatchItem, to outputs: [String],
        _ source: FileStatus
    ) throws(BatchFailure) -> [StoredThumbnail] {
        var stored: [StoredThumbnail] = []
        for (thumbnail, path) in zip(made, outputs) {
            let mark = ThumbnailMark(
                recipe: fingerprint, sourceBytes: source.size, width: thumbnail.width,
                height: thumbnail.height,
                placeholder: placeholder)
            let file = mark.added(to: thumbnail.bytes, recipe.format)
            do throws(FileError) {
                try output(path, of: item).write(file, modified: source.modified)
            } catch {
                throw BatchFailure(writing: error, path)
            }
            stored.append(StoredThumbnail(thumbnail.size, thumbnail.width, thumbnail.height, file, path))
        }
        return stored
    }

    package func note(_ failure: BatchFailure, of item: BatchItem, _ source: FileStatus) {}
}

extension StoredThumbnail {
    package init(
        _ size: some CustomStringConvertible, _ width: Int, _ height: Int, _ file: [UInt8], _ path: String
    ) {
        self.init(
            size: size.description, width: width, height: height, bytes: file.count,
            sha256: SHA256.hash(file.span).hexadecimal, path: path)
    }
}

extension FileStatus {
    /// Whether two files have the same modification time, in the precision of the disk: a microsecond or a second.
    fileprivate func isDated(as other: FileStatus) -> Bool {
        modified / 1000 == other.modified / 1000
            || modified % 1_000_000_000 == 0 && modified / 1_000_000_000 == other.modified / 1_000_000_000
    }
}

extension ThumbnailRecipe {
    /// The fingerprint in 16 hexadecimal digits.
    package var shortFingerprint: String {
        SHA256.hash(fingerprint).hexadecimal(first: 8)
    }
}

/// A place for the thumbnails of a batch.
package protocol ThumbnailStore: Sendable {
    /// Returns the paths of an item's thumbnails, in the order of the recipe's sizes.
    func outputs(of item: BatchItem) throws(BatchFailure) -> [String]

    /// Returns the thumbnails if all exist, are undamaged, and match the recipe and the current file.
    func existing(_ item: BatchItem, _ outputs: [String], _ source: FileStatus) -> KeptThumbnails?

    /// Checks whether the thumbnails can be written, before they are made, and creates folders.
    func prepare(_ item: BatchItem, _ outputs: [String], _ source: FileStatus) throws(BatchFailure)

    /// Writes thumbnails, each atomically.
    func write(
        _ made: [Thumbnail], placeholder: String?, of item: BatchItem, to outputs: [String],
        _ source: FileStatus
    ) throws(BatchFailure) -> [StoredThumbnail]

    /// Records that a file failed, if the store can.
    func note(_ failure: BatchFailure, of item: BatchItem, _ source: FileStatus)
}

/// Existing thumbnails.
package struct KeptThumbnails: Sendable {
    package var outputs: [StoredThumbnail]
    package var placeholder: String?
}

/// A template for the paths of outputs, with placeholders.
///
/// Values never leave the folder that the template names: `..`, `.` and empty parts are dropped.
package struct OutputTemplate: Sendable {
    package enum Place: String, CaseIterable, Sendable {
        case id, name, stem, ext, dir, size, width, height
    }

    private enum Piece {
        case text(String)
        case place(Place)
    }

    /// The pieces of each path component.
    private let parts: [[Piece]]
    private let isAbsolute: Bool
    package let text: String

    /// A fault in a template.
    package enum SyntaxError: Error, Equatable, CustomStringConvertible {
        case unknownPlace(String)
        case unclosed
        case noName

        package var description: String {
            switch self {
            case .unknownPlace(let name):
                "{\(name)} is unknown; known are "
                    + Place.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
            case .unclosed: "a { without its }"
            case .noName: "it names a folder; add a name such as {name}-{size}.jpg"
            }
        }
    }

    package init(_ text: String) throws(SyntaxError) {
        guard let last = text.split(separator: "/", omittingEmptySubsequences: false).last, !last.isEmpty
        else {
            throw .noName
        }
        var parts: [[Piece]] = []
        for part in text.split(separator: "/") { parts.append(try Self.pieces(part)) }
        (self.parts, self.text, isAbsolute) = (parts, text, text.hasPrefix("/"))
    }

    private static func pieces(_ part: Substring) throws(SyntaxError) -> [Piece] {
        var (pieces, rest): ([Piece], Substring) = ([], part)
        while let open = rest.firstIndex(of: "{") {
            if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
            guard let close = rest[open...].firstIndex(of: "}") else { throw .unclosed }
            let name = String(rest[rest.index(after: open)..<close])
            guard let place = Place(rawValue: name) else { throw .unknownPlace(name) }
            pieces.append(.place(place))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        return pieces
    }

    package func uses(_ place: Place) -> Bool {
        parts.joined().contains { if case .place(place) = $0 { true } else { false } }
    }

    /// The common folder of all outputs; "" for the current one.
    package var folder: String {
        let fixed = parts.dropLast().prefix {
            $0.allSatisfy { if case .text = $0 { true } else { false } }
        }
        let path = fixed.map(Self.written).joined(separator: "/")
        return isAbsolute ? "/" + path : path
    }

    private static func written(_ pieces: [Piece]) -> String {
        pieces.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    }

    /// Returns the path of an output of an item.
    ///
    /// - Throws: `BatchFailure` if its name is empty.
    package func path(
        of item: BatchItem, size: String, width: Int?, height: Int?
    ) throws(BatchFailure) -> String {
        let name = OutputFile.name(of: item.relativePath)
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 }
        let path = path { place in
            switch place {
            case .id: item.idText ?? item.relativePath
            case .name: name
            case .stem: String(name[..<(dot ?? name.endIndex)])
            case .ext: dot.map { String(name[name.index(after: $0)...]) } ?? ""
            case .dir: OutputFile.folder(of: item.relativePath)
            case .size: size
            case .width: width.map(String.init) ?? ""
            case .height: height.map(String.init) ?? ""
            }
        }
        guard let path else {
            throw .collision(item, "the template \(text) gives it an empty name; add {name}")
        }
        return path
    }

    /// Returns the path of an output; nil if its name is empty.
    package func path(_ value: (Place) -> String) -> String? {
        var result: [String] = []
        for (number, part) in parts.enumerated() {
            let isFixed = part.allSatisfy { if case .text = $0 { true } else { false } }
            guard !isFixed else {
                result.append(Self.written(part))
                continue
            }
            let filled = part.map {
                switch $0 {
                case .text(let text): text
                case .place(let place): value(place)
                }
            }
            .joined().split(separator: "/").filter { $0 != "." && $0 != ".." }
            if number == parts.count - 1, filled.isEmpty { return nil }
            result += filled.map(String.init)
        }
        return (isAbsolute ? "/" : "") + result.joined(separator: "/")
    }
}
