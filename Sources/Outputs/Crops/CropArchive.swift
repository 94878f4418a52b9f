internal import Archives
package import Basics
internal import Containers
package import Files

/// The tar archive of a shard.
///
/// It grows under its name with ".part", which stays when a run ends early, and gets its name when it is complete.
package final class CropArchive: Sendable {
    private let output: Output?
    private let part: String
    private let lock: FileLock?
    private let isContinued: Bool

    /// Opens the archive at a path; "-" is standard output.
    ///
    /// - Parameters:
    ///   - resumes: whether the crops of an earlier run are kept.
    ///   - overwrites: whether archives are replaced, also those of earlier runs.
    /// - Throws: `CropError`.
    package init(_ path: String, resumes: Bool, overwrites: Bool) throws(CropError) {
        part = "\(path).part"
        isContinued = resumes && !overwrites
        guard path != "-" else {
            (output, lock) = (nil, nil)
            return
        }
        let archive = "a tar archive"
        output = Output(
            path, kind: archive,
            recognizing: { TarMember.isStart($0) ? archive : OutputKind(FileType(head: $0)).rawValue },
            overwrites: overwrites, isOwn: Self.isOwn, isInput: { _ in false })
        do throws(FileError) {
            try output?.check()
        } catch {
            throw .unwritable(path, error)
        }
        do throws(FileError) {
            let size = FileStatus(part)?.size ?? 0
            guard size == 0 || resumes || overwrites else { throw .kept(Self.unfinished) }
            // A file of somebody else that has the name.
            guard size == 0 || Self.mayBeUnfinished(part) else { throw .kept(Self.foreign) }
            lock = try FileLock(part, .alone)
        } catch {
            throw .unwritable(part, error)
        }
        guard lock != nil else { throw .inUse(part) }
    }

    private static let unfinished =
        "is there from a run that did not end: --resume continues it, and --overwrite begins anew"

    private static let foreign = "is no archive of crops; move it away, or choose another name"

    /// Whether an archive is complete, so that a run has nothing to do.
    package static func isComplete(_ path: String) -> Bool {
        guard path != "-", FileStatus("\(path).part") == nil else { return false }
        return isArchive(path)
    }

    /// Whether an archive has crops that this program wrote: its first description has a recipe and the number of a crop.
    private static func isOwn(_ path: String) -> Bool {
        let found = try? InputFile.read(path) { file in
            let bytes = FileBytes(file)
            var offset = 0
            // The description is behind the picture, the class and the text.
            for _ in 0..<4 {
                guard let member = member(at: offset, bytes) else { return false }
                if member.name.hasSuffix(".json"), member.size <= 1 << 20 {
                    let value = try? JSONValue(parsing: content(offset + TarMember.block, member.size, bytes))
                    return value?["recipe"]?.string != nil && value?["number"]?.int != nil
                }
                offset += member.length
            }
            return false
        }
        return found ?? false
    }

    private static func content(_ start: Int, _ count: Int, _ bytes: FileBytes) -> [UInt8] {
        let content = bytes.extracting(start..<(start + count))
        return content.indices.map { content[$0] }
    }

    /// The member at a place, if all of it is there.
    private static func member(at offset: Int, _ bytes: FileBytes) -> TarMember? {
        guard bytes.count - offset >= TarMember.block,
            let member = TarMember(header: content(offset, TarMember.block, bytes)),
            bytes.count - offset >= member.length
        else { return nil }
        return member
    }

    /// Whether a file can be an archive of crops that was not written to its end: names of crops begin with a digit.
    private static func mayBeUnfinished(_ path: String) -> Bool {
        (try? InputPieces(path).next { bytes in
            let head = (0..<min(TarMember.block, bytes.count)).map { bytes[$0] }
            guard let first = head.first, (0x30...0x39).contains(first) else { return false }
            return head.count < TarMember.block || TarMember.isStart(head)
        }) == true
    }

    private static func isArchive(_ path: String) -> Bool {
        (try? InputPieces(path).next { bytes in
            TarMember.isStart((0..<min(TarMember.block, bytes.count)).map { bytes[$0] })
        }) == true
    }

    /// Keeps the complete crops of an earlier run, and drops the rest.
    ///
    /// - Parameter number: returns the number of the crop whose last member has a name and content; nil for other members.
    /// - Returns: how many crops the archive has, and the number of the last one.
    func continued(
        _ number: (_ name: String, _ content: () throws -> [UInt8]) throws -> Int?
    ) throws -> (count: Int, last: Int?) {
        guard lock != nil else { return (0, nil) }
        var kept: (count: Int, last: Int?, end: Int) = (0, nil, 0)
        if isContinued, FileStatus(part)?.size ?? 0 > 0 {
            let scan: Result<(count: Int, last: Int?, end: Int), any Error>
            do throws(FileError) {
                scan = try InputFile.read(part) { file in Result { try Self.crops(file, number) } }
            } catch {
                throw CropError.unwritable(part, error)
            }
            kept = try scan.get()
        }
        // What follows is a crop that was not written to its end.
        do throws(FileError) {
            try OutputFile.cut(part, to: kept.end)
        } catch {
            throw CropError.unwritable(part, error)
        }
        return (kept.count, kept.last)
    }

    /// Returns how many complete crops an archive has, the number of the last one, and where it ends.
    private static func crops(
        _ file: OpenFile, _ number: (_ name: String, _ content: () throws -> [UInt8]) throws -> Int?
    ) throws -> (count: Int, last: Int?, end: Int) {
        let bytes = FileBytes(file)
        var (count, last, end, offset): (Int, Int?, Int, Int) = (0, nil, 0, 0)
        while let member = member(at: offset, bytes) {
            let start = offset + TarMember.block
            offset += member.length
            guard let number = try number(member.name, { content(start, member.size, bytes) }) else {
                continue
            }
            (count, last, end) = (count + 1, number, offset)
        }
        return (count, last, end)
    }

    /// Appends members.
    func append(_ members: [UInt8]) throws(CropError) {
        do throws(FileError) {
            if lock == nil {
                try OutputFile.writeToStandardOutput(members)
            } else {
                try OutputFile.append(members, to: part)
            }
        } catch {
            guard lock == nil else { throw .unwritable(part, error) }
            throw error.isClosedPipe ? .closed : .unwritable("standard output", error)
        }
    }

    /// Ends the archive, gives it its name, and returns its size in bytes; nil for standard output.
    ///
    /// - Parameter describe: receives the size before the archive has its name, so that no complete archive lacks what is written then.
    package func finish(_ describe: (Int) throws(CropError) -> Void) throws(CropError) -> Int? {
        try append(TarMember.end)
        guard let output else { return nil }
        let size = FileStatus(part)?.size
        if let size { try describe(size) }
        do throws(FileError) {
            try Folder.synchronize(part)
            try output.publish(part)
        } catch {
            throw .unwritable(output.path, error)
        }
        return size
    }
}

/// Why crops could not be written.
package enum CropError: Error, Equatable, Sendable {
    case unwritable(String, FileError)
    /// The reader of standard output has ended.
    case closed
    /// Another process writes it.
    case inUse(String)
    /// It has crops of other images or options.
    case otherRecipe
}

extension CropError: CustomStringConvertible {
    /// A sentence with the file and the cause.
    package var description: String {
        switch self {
        case .unwritable(let path, let error): "\(FilePath(path)): \(error.description)"
        case .closed: "standard output was closed before the archive was complete"
        case .inUse(let path): "\(FilePath(path)): another process writes it; wait until it has ended"
        case .otherRecipe:
            "--resume: the archive has crops of other images or options; give those, or begin anew with --overwrite"
        }
    }
}

/// A JSON file beside archives: what they have, or the table of classes.
package struct CropDocument: Sendable {
    private let output: Output

    /// - Parameters:
    ///   - archive: the path of an archive, which gives the name.
    ///   - ending: what follows its name without ".tar": "_stats.json".
    ///   - member: the member that all documents of this kind have.
    package init(beside archive: String, ending: String, member: String, overwrites: Bool) {
        let stem = archive.hasSuffix(".tar") ? String(archive.dropLast(4)) : archive
        output = Output(
            stem + ending, kind: "a JSON file",
            recognizing: {
                $0.first == UInt8(ascii: "{") ? "a JSON file" : OutputKind(FileType(head: $0)).rawValue
            },
            overwrites: overwrites,
            isOwn: { path in
                let value = (try? InputFile.contents(path)).flatMap { try? JSONValue(parsing: $0) }
                return value?[member] != nil
            }, isInput: { _ in false })
    }

    /// Throws if it cannot be written, before any work is done.
    package func check() throws(CropError) { try reporting { () throws(FileError) in try output.check() } }

    package func write(_ value: JSONValue) throws(CropError) {
        try reporting { () throws(FileError) in try output.write(Array("\(value)\n".utf8)) }
    }

    private func reporting(_ body: () throws(FileError) -> Void) throws(CropError) {
        do throws(FileError) {
            try body()
        } catch {
            throw .unwritable(output.path, error)
        }
    }
}
