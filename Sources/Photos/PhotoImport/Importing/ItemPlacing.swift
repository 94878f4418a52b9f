internal import Archives
internal import AssetCatalog
internal import Digests
internal import Files

/// The reason why a file was not imported: a fault of this file, or one that affects all files.
enum PlacingError: Error {
    case item(String)
    case everything(String)
}

extension ImportPlan.Item {
    /// Links a source into the library on the same disk; the source is removed when the catalog is updated.
    ///
    /// A file with further links is copied, since writes to those would change the library.
    func link(at destination: String, _ links: MoveMarkers) -> Bool {
        guard let now = moment, !isLink, now.names == (links.contains(now.status) ? 2 : 1),
            links.add(source.text, now.status)
        else { return false }
        return FileLink.makeOnSameDisk(source.text, as: destination)
    }

    /// Copies a file atomically.
    func copy(to destination: String, replaces: Bool) throws(PlacingError) -> ImportPlan.Compared {
        guard let now = moment else {
            throw .item("has changed or gone since the plan was made; run it again")
        }
        var hash = SHA256()
        let (copy, sha256): (FileCopy, String)
        do throws(FileCopy.Failure) {
            if let member {
                copy = try FileCopy(
                    of: member.archive.path, beside: destination, modified: member.entry.modified, moment: now
                ) { write throws(FileError) in try member.write(write) { hash.update($0) } }
            } else {
                copy = try FileCopy(of: source.text, beside: destination) { hash.update($0) }
            }
        } catch {
            switch error {
            case .source(let error): throw .item(error.description)
            case .destination(let error): throw .everything(error.description)
            case .full: throw .everything("the disk is full")
            }
        }
        sha256 = hash.finalize().hexadecimal
        do throws(FileError) {
            guard copy.source == now || copy.source.status == now.status else {
                throw .unreadable("it was changed since the plan was made; run it again")
            }
            guard try FileDigest.of(copy.path) == sha256 else {
                throw .unreadable("its copy read back differently; check the disk")
            }
            if replaces {
                guard let damaged = compared, FileMoment(destination) == damaged.library else {
                    throw .unreadable("the library's file was changed since the plan was made; run it again")
                }
                try copy.replace(destination)
            } else if try !copy.publish(as: destination) {
                throw .exists
            }
        } catch {
            copy.discard()
            throw .item(
                error == .exists
                    ? "\(destination) has come into being since the plan was made; run it again"
                    : error.description)
        }
        guard let there = FileMoment(destination) else { throw .item("its copy is gone; run it again") }
        return ImportPlan.Compared(
            source: copy.source, library: there,
            digest: KnownDigest(status: there.status, sha256: sha256))
    }
}
