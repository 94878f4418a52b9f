internal import Files
internal import ImageMetadata

extension SourceGroup {
    /// The groups of a folder's files, and the files that are in none.
    ///
    /// Grouped are those that share the part of their names before the extension, and were taken at the same time.
    static func groups(
        of files: [SourceFile], _ options: ImportOptions
    ) -> (groups: [SourceGroup], left: [SourceLeft]) {
        var groups: [SourceGroup] = []
        var left: [SourceLeft] = []
        let byBase = Dictionary(grouping: files.filter { !$0.isSidecar }, by: \.base)
        let sidecars = Dictionary(grouping: files.filter(\.isSidecar), by: \.base)
        var owned: Set<SourceFile> = []
        for (base, files) in byBase.sorted(by: { $0.key < $1.key }) {
            let near = sidecars[base] ?? []
            var read: [Member] = []
            for file in files {
                let own = sidecars[file.name] ?? []
                let xmp = (own + near).first { FileEnding.of($0.name) == "xmp" }
                switch Member.read(file, sidecar: xmp, options) {
                case .member(let member): read.append(member)
                case .leave(let file): left.append(file)
                }
            }
            for (index, var group) in joined(read).enumerated() {
                for file in group.media {
                    let own = file.name == base ? [] : sidecars[file.name] ?? []
                    group.sidecars += own.map {
                        Sidecar(file: $0, owner: file, isOfWholeName: true)
                    }
                }
                // What has only the common part of the name goes with the file that the others are named by.
                if index == 0 {
                    group.sidecars += near.map {
                        Sidecar(file: $0, owner: group.media[0], isOfWholeName: false)
                    }
                }
                owned.formUnion(group.sidecars.map(\.file))
                groups.append(group)
            }
        }
        for file in files where file.isSidecar && !owned.contains(file) {
            let reason = "tells about a photo or film that is not imported with it"
            left.append(SourceLeft(file.path, bytes: file.status.size, .sidecar, reason))
        }
        return (groups, left)
    }

    /// What the group is named by, with the time of its first file where it says nothing of a date and that is to be
    /// taken.
    func subject(undatedBy rule: UndatedRule?) -> ImportLayout.Subject {
        var subject = subject
        let time = media.first?.status.modified
        subject.date = subject.date ?? time.flatMap { Dating(undatedBy: rule).date(fileTime: $0) }
        return subject
    }

    /// A photo or video with what names it.
    private struct Member {
        var file: SourceFile
        /// Nil for what cannot be understood and is imported as it is.
        var metadata: FileMetadata?

        enum Reading {
            case member(Member)
            case leave(SourceLeft)
        }

        static func read(_ file: SourceFile, sidecar: SourceFile?, _ options: ImportOptions) -> Reading {
            let isMedia = FileEnding.isMedia(file.name)
            func leave(_ reason: String, _ kind: ImportLeaving.Kind) -> Reading {
                .leave(SourceLeft(file.path, bytes: file.status.size, kind, reason))
            }
            func takeAsItIs(_ reason: String) -> Reading {
                guard options.takesUnreadable else { return leave(reason, .unreadable) }
                var file = file
                file.fault = reason
                return .member(Member(file: file))
            }
            do {
                try InputFile.check(file.path)
            } catch .empty {
                return isMedia ? takeAsItIs("is empty") : leave("is empty", .other)
            } catch {
                return leave(error.description, .unreadable)
            }
            let metadata: FileMetadata?
            do {
                // Without the time of the last change: a copy's is that of copying.
                metadata = try InputFile.read(file.path) { open in
                    FileMetadata(
                        FileBytes(open), name: file.name,
                        sidecar: sidecar.flatMap { try? InputFile.contents($0.path) },
                        assumedZone: options.assumedZone)
                }
            } catch {
                return leave(error.description, .unreadable)
            }
            guard let metadata, metadata.kind == .photo || metadata.kind == .video else {
                return isMedia ? takeAsItIs(FileEnding.fault) : leave("is no photo or film", .other)
            }
            // What the library could not read is brought into it on request only.
            if let fault = metadata.fault { return takeAsItIs(fault) }
            return .member(Member(file: file, metadata: metadata))
        }

        /// Finished pictures before raw ones before films.
        var rank: Int {
            guard let metadata else { return 3 }
            return metadata.kind == .video ? 2 : metadata.format.isRaw ? 1 : 0
        }

        var subject: ImportLayout.Subject {
            ImportLayout.Subject(
                date: metadata?.date, make: metadata?.make, model: metadata?.model, original: file.base,
                fileExtension: file.fileExtension.lowercased())
        }

        /// Whether two files of one name may be of the same moment; films begin before the photo and say when
        /// they ended.
        func isWith(_ other: Member) -> Bool {
            guard let date = metadata?.date, let otherDate = other.metadata?.date else { return true }
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
