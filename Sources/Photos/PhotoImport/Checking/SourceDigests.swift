internal import Archives
internal import AssetCatalog
internal import Basics
internal import CatalogStorage
internal import Files
internal import Foundation

/// The checksums of files outside of the library, which the catalog remembers by the identity of the files.
///
/// A catalog that cannot be written remembers nothing.
struct SourceDigests: Sendable {
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
            var new: [(SourceIdentity, Data)] = []
            for (number, result) in zip(numbers, read) {
                digests[number] = result.map(\.digest)
                if case .success(let read) = result {
                    new.append((SourceIdentity(read.moment, files[number].member), read.digest))
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
        let identities = files.map { SourceIdentity($0) }
        return try library.readAndWait { try $0.digests(of: identities) }
    }

    private func remember(_ digests: [(identity: SourceIdentity, digest: Data)]) throws {
        guard !digests.isEmpty else { return }
        try library.writeAndWait { try $0.remember(digests) }
    }
}

extension SourceIdentity {
    fileprivate init(_ moment: FileMoment, _ member: ZipMember?) {
        self.init(
            moment.status, changed: moment.changed, entry: member.map { Int64($0.entry.header) } ?? -1)
    }

    /// Nil where the file is gone.
    fileprivate init?(_ file: SourceFile) {
        if file.member == nil, let changed = file.changed {
            self.init(file.status, changed: changed)
        } else if let moment = file.member?.archive.moment ?? FileMoment(file.path.text) {
            self.init(moment, file.member)
        } else {
            return nil
        }
    }
}
