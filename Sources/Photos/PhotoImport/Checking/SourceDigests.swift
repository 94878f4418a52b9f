internal import Archives
internal import AssetCatalog
internal import Basics
internal import Files
internal import Foundation
internal import GRDB

/// The checksums of files outside of the library, which the catalog remembers by the identity of the files.
///
/// A catalog that cannot be written remembers nothing.
struct SourceDigests {
    /// A file that was not written or replaced, even if its size and time were restored: programs cannot set the time of the
    /// last status change.
    private struct Identity: Hashable {
        var device: Int64
        var inode: Int64
        /// The position of an entry in its archive; -1 for other files.
        var entry: Int64
        var bytes: Int
        var modified: Int
        var changed: Int

        init(_ moment: FileMoment, _ member: ZipMember?) {
            let status = moment.status
            device = Int64(bitPattern: status.device)
            inode = Int64(bitPattern: status.inode)
            entry = member.map { Int64($0.entry.header) } ?? -1
            (bytes, modified, changed) = (status.size, status.modified, moment.changed)
        }

        init(_ row: Row) {
            (device, inode, entry) = (row[0], row[1], row[2])
            (bytes, modified, changed) = (row[3], row[4], row[5])
        }
    }

    /// The files that are read before their checksums are stored, so that a run that is stopped has not read in vain.
    private static let batch = 256

    private let library: PhotoLibrary
    private let flag: CancellationFlag

    init(_ library: PhotoLibrary, _ flag: CancellationFlag) { (self.library, self.flag) = (library, flag) }

    /// Returns the SHA-256 of files, or why they cannot be read; reads those that are not remembered.
    ///
    /// - Parameter progress: receives the number of files that are done.
    func digests(
        of files: [SourceFile], _ progress: (Int) -> Void
    ) throws -> [Result<Data, InvalidText>] {
        let identities = Processors.map(below: files.count, until: flag) { number in
            let file = files[number]
            return (file.member?.archive.moment ?? FileMoment(file.path.text)).map {
                Identity($0, file.member)
            }
        }
        if flag.isRaised { throw CancellationError() }
        let known = try remembered(identities.compactMap(\.self))
        var digests = identities.map { identity in
            identity.flatMap { known[$0] }.map { Result<Data, InvalidText>.success($0) }
        }
        let unread = files.indices.filter { digests[$0] == nil }
        var done = files.count - unread.count
        progress(done)
        for start in stride(from: 0, to: unread.count, by: Self.batch) {
            let numbers = Array(unread[start...].prefix(Self.batch))
            let read = Processors.map(below: numbers.count, until: flag) { Self.read(files[numbers[$0]]) }
            if flag.isRaised { throw CancellationError() }
            var new: [(Identity, Data)] = []
            for (number, result) in zip(numbers, read) {
                digests[number] = result.map(\.digest)
                if case .success(let read) = result {
                    new.append((Identity(read.moment, files[number].member), read.digest))
                }
            }
            // Without a catalog that can be written, nothing is remembered.
            try? remember(new)
            done += numbers.count
            progress(done)
        }
        return digests.map { $0 ?? .failure(InvalidText("was not read")) }
    }

    private static func read(
        _ file: SourceFile
    ) -> Result<(digest: Data, moment: FileMoment), InvalidText> {
        func result(_ reading: FileDigest.Reading) -> (Data, FileMoment) {
            (Data([UInt8](hexadecimal: reading.text) ?? []), reading.moment)
        }
        if let member = file.member {
            do throws(ZipError) {
                return .success(result(try FileDigest.reading(of: member)))
            } catch {
                return .failure(InvalidText("cannot be read (\(error.fault))"))
            }
        }
        do throws(FileError) {
            return .success(result(try FileDigest.reading(of: file.path.text)))
        } catch {
            return .failure(InvalidText("cannot be read (\(error.cause))"))
        }
    }

    /// Returns the remembered checksums of files of the same devices and between the same numbers.
    private func remembered(_ identities: [Identity]) throws -> [Identity: Data] {
        var ranges: [Int64: ClosedRange<Int64>] = [:]
        for identity in identities {
            let range = ranges[identity.device] ?? identity.inode...identity.inode
            ranges[identity.device] =
                min(range.lowerBound, identity.inode)...max(range.upperBound, identity.inode)
        }
        return try library.readAndWait { database in
            var known: [Identity: Data] = [:]
            for (device, range) in ranges {
                let rows = try Row.fetchCursor(
                    database,
                    sql: """
                        SELECT device, inode, entry, bytes, modified, changed, sha256 FROM sourceDigest
                        WHERE device = ? AND inode BETWEEN ? AND ?
                        """, arguments: [device, range.lowerBound, range.upperBound])
                while let row = try rows.next() {
                    if flag.isRaised { throw CancellationError() }
                    known[Identity(row)] = row[6]
                }
            }
            return known
        }
    }

    private func remember(_ digests: [(identity: Identity, digest: Data)]) throws {
        guard !digests.isEmpty else { return }
        try library.writeAndWait { database in
            let insert = try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO sourceDigest VALUES (?, ?, ?, ?, ?, ?, ?)")
            for (identity, digest) in digests {
                try insert.execute(
                    arguments: [
                        identity.device, identity.inode, identity.entry, identity.bytes, identity.modified,
                        identity.changed, digest,
                    ])
            }
        }
    }
}
