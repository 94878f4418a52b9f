internal import Archives
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
            overwrites: overwrites, isOwn: { _ in false }, isInput: { _ in false })
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
        func content(_ start: Int, _ count: Int) -> [UInt8] {
            let content = bytes.extracting(start..<(start + count))
            return content.indices.map { content[$0] }
        }
        var (count, last, end, offset): (Int, Int?, Int, Int) = (0, nil, 0, 0)
        while bytes.count - offset >= TarMember.block,
            let member = TarMember(header: content(offset, TarMember.block)),
            bytes.count - offset >= member.length
        {
            let start = offset + TarMember.block
            offset += member.length
            guard let number = try number(member.name, { content(start, member.size) }) else { continue }
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
            throw .unwritable(part, error)
        }
    }

    /// Ends the archive, and gives it its name.
    package func finish() throws(CropError) {
        try append(TarMember.end)
        guard let output else { return }
        do throws(FileError) {
            try Folder.synchronize(part)
            try output.publish(part)
        } catch {
            throw .unwritable(output.path, error)
        }
    }
}

/// Why crops could not be written.
package enum CropError: Error, Equatable, Sendable {
    case unwritable(String, FileError)
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
        case .inUse(let path): "\(FilePath(path)): another process writes it; wait until it has ended"
        case .otherRecipe:
            "--resume: the archive has crops of other images or options; give those, or begin anew with --overwrite"
        }
    }
}
