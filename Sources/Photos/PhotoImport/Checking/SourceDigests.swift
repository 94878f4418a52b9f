internal import Archives
internal import AssetCatalog
internal import Basics
internal import Files
internal import Foundation
internal import GRDB

/// The checksums of files outside of the library, which the catalog remembers by the identity of the files.
///
/// A catalog that cannot be written remembers nothing.
struct SourceDigests: Sendable {
    /// A file that was not written or replaced, even if its size and time were restored: programs cannot set the time of the
    /// last status change.
    private struct Identity: Equatable {
        var device: Int64
        var inode: Int64
        /// The position of an entry in its archive; -1 for other files.
        var entry: Int64
        var bytes: Int
        var modified: Int
        var changed: Int

        init(_ moment: FileMoment, _ member: ZipMember?) {
            self.init(moment.status, changed: moment.changed, member)
        }

        /// Nil where the file is gone.
        init?(_ file: SourceFile) {
            if file.member == nil, let changed = file.changed {
                self.init(file.status, changed: changed, nil)
            } else if let moment = file.member?.archive.moment ?? FileMoment(file.path.text) {
                self.init(moment, file.member)
            } else {
                return nil
            }
        }

        private init(_ status: FileStatus, changed: Int, _ member: ZipMember?) {
            self.changed = changed
            device = Int64(bitPattern: status.device)
            inode = Int64(bitPattern: status.inode)
            entry = member.map { Int64($0.entry.header) } ?? -1
            (bytes, modified) = (status.size, status.modified)
        }
    }

    /// The files that are read before their checksums are stored, so that a run that is stopped has not read in vain.
    private static let batch = 256

    private let library: PhotoLibrary
    private let flag: CancellationFlag

    init(_ library: PhotoLibrary, _ flag: CancellationFlag) { (self.library, self.flag) = (library, flag) }

    /// Returns the SHA-256 of files, or why they cannot be read; reads those that are not remembered.
    ///
    /// - Parameter progress: receives the number of files that are done besides those it has received.
    func digests(
        of files: [SourceFile], _ progress: (Int) -> Void
    ) throws -> [Result<Data, InvalidText>] {
        let count = (files.count + Self.batch - 1) / Self.batch
        let known = Processors.map(below: count, until: flag) { number in
            Result { try remembered(files[(number * Self.batch)...].prefix(Self.batch)) }
        }
        if flag.isRaised { throw CancellationError() }
        var digests = try known.flatMap { try $0.get() }.map { $0.map(Result<Data, InvalidText>.success) }
        let unread = files.indices.filter { digests[$0] == nil }
        progress(files.count - unread.count)
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
            progress(numbers.count)
        }
        return digests.map { $0 ?? .failure(InvalidText("was not read")) }
    }

    private static func read(
        _ file: SourceFile
    ) -> Result<(digest: Data, moment: FileMoment), InvalidText> {
        do throws(FileError) {
            let reading = try file.reading()
            return .success((Data(reading.bytes), reading.moment))
        } catch {
            return .failure(InvalidText("cannot be read (\(error.cause))"))
        }
    }

    /// Returns the remembered checksums of files that are what they were.
    private func remembered(_ files: ArraySlice<SourceFile>) throws -> [Data?] {
        let identities = files.map { Identity($0) }
        let keys = identities.map { $0.map { "[\($0.device),\($0.inode),\($0.entry)]" } ?? "null" }
        var digests = [Data?](repeating: nil, count: files.count)
        try library.readAndWait { database in
            // One statement for all: a statement for each takes twice the time.
            let find = try database.cachedStatement(
                sql: """
                    SELECT key, bytes, modified, changed, sha256 FROM json_each(?) CROSS JOIN sourceDigest
                    WHERE device = json_extract(value, '$[0]') AND inode = json_extract(value, '$[1]')
                    AND entry = json_extract(value, '$[2]')
                    """)
            let rows = try Row.fetchCursor(find, arguments: ["[\(keys.joined(separator: ","))]"])
            while let row = try rows.next() {
                let number = row[0] as Int
                guard let identity = identities[number], row[1] as Int == identity.bytes,
                    row[2] as Int == identity.modified, row[3] as Int == identity.changed
                else { continue }
                digests[number] = row[4] as Data
            }
        }
        return digests
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
