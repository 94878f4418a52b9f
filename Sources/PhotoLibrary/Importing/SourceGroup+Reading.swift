internal import Files
internal import ImageMetadata

extension SourceGroup {
    /// The groups of a folder's files.
    ///
    /// Grouped are those that share the part of their names before the extension, and were taken at the same time.
    /// What is no photo or video and tells of none is left out.
    static func groups(
        of files: [SourceFile], assuming zone: AssumedZone?
    ) -> (groups: [SourceGroup], failures: [SourceFailure]) {
        var groups: [SourceGroup] = []
        var failures: [SourceFailure] = []
        let byBase = Dictionary(grouping: files.filter { !$0.isSidecar }, by: \.base)
        let sidecars = Dictionary(grouping: files.filter(\.isSidecar), by: \.base)
        for (base, files) in byBase.sorted(by: { $0.key < $1.key }) {
            let near = sidecars[base] ?? []
            var read: [Member] = []
            for file in files {
                let own = sidecars[file.name] ?? []
                let xmp = (own + near).first { $0.fileExtension.lowercased() == "xmp" }
                switch Member.read(file, sidecar: xmp, zone) {
                case .success(let member?): read.append(member)
                case .success(nil): break
                case .failure(let error):
                    failures.append(SourceFailure(path: file.path, reason: error.description))
                }
            }
            for var group in joined(read) {
                group.sidecars = group.media.flatMap { sidecars[$0.name] ?? [] }
                if group.media.first?.name == read.first?.file.name { group.sidecars += near }
                groups.append(group)
            }
        }
        return (groups, failures)
    }

    /// A photo or video with what names it.
    private struct Member {
        var file: SourceFile
        var metadata: FileMetadata

        /// - Returns: nil for what no library holds.
        static func read(
            _ file: SourceFile, sidecar: SourceFile?, _ zone: AssumedZone?
        ) -> Result<Member?, FileError> {
            let metadata: FileMetadata?
            do {
                // Without the time of the last change: a copy's is that of copying.
                metadata = try InputFile.read(file.path) { open in
                    FileMetadata(
                        FileBytes(open), name: file.name,
                        sidecar: sidecar.flatMap { try? InputFile.contents($0.path) }, assumedZone: zone)
                }
            } catch {
                return .failure(error)
            }
            guard let metadata, metadata.kind == .photo || metadata.kind == .video else {
                return .success(nil)
            }
            // What the library could not read is not brought into it.
            if let fault = metadata.fault { return .failure(.unreadable(fault)) }
            return .success(Member(file: file, metadata: metadata))
        }

        /// Finished pictures before raw ones before films.
        var rank: Int { metadata.kind == .video ? 2 : metadata.format.isRaw ? 1 : 0 }

        var subject: ImportLayout.Subject {
            ImportLayout.Subject(
                date: metadata.date, make: metadata.make, model: metadata.model, original: file.base,
                fileExtension: file.fileExtension.lowercased())
        }

        /// Whether two files of one name may be of the same moment; films begin before the photo and say when
        /// they ended.
        func isWith(_ other: Member) -> Bool {
            guard let date = metadata.date, let otherDate = other.metadata.date else { return true }
            let seconds =
                if let instant = date.instant, let other = otherDate.instant {
                    instant - other
                } else {
                    date.local.wholeSeconds - otherDate.local.wholeSeconds
                }
            return abs(seconds) <= 60
        }
    }

    private static func joined(_ members: [Member]) -> [SourceGroup] {
        var groups: [(first: Member, media: [SourceFile])] = []
        for member in members.sorted(by: { ($0.rank, $0.file.name) < ($1.rank, $1.file.name) }) {
            if let index = groups.firstIndex(where: { $0.first.isWith(member) }) {
                groups[index].media.append(member.file)
            } else {
                groups.append((member, [member.file]))
            }
        }
        return groups.map { SourceGroup(media: $0.media, subject: $0.first.subject) }
    }
}
