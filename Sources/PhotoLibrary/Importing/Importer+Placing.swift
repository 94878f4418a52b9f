internal import Files

/// Why a file was not brought into the library: its own fault, or one that all the others would have too.
enum PlacingError: Error {
    case item(String)
    case everything(String)
}

extension Importer {
    /// Brings a file to its place; nothing is ever there that is not whole.
    static func place(_ item: ImportPlan.Item, at destination: String, moves: Bool) throws(PlacingError) {
        guard let status = FileStatus(item.source), status.modified == item.modified,
            status.size == item.bytes
        else { throw .item("has changed or gone since the plan was made; run it again") }
        // On the same disk a second name is enough; the first one goes when the catalogue knows of the second.
        if moves, FileLink.makeOnSameDisk(item.source, as: destination) { return }
        var digest = FileDigest()
        let copy: FileCopy
        do throws(FileCopy.Failure) {
            copy = try FileCopy(of: item.source, beside: destination) { digest.add($0) }
        } catch {
            switch error {
            case .source(let error): throw .item(error.description)
            case .destination(let error): throw .everything(error.description)
            case .full: throw .everything("the disk is full")
            }
        }
        guard (try? FileDigest.of(copy.path)) == digest.text else {
            copy.discard()
            throw .item("its copy read back differently; check the disk")
        }
        do throws(FileError) {
            guard try copy.publish(as: destination) else {
                copy.discard()
                throw FileError.exists
            }
        } catch {
            copy.discard()
            throw .item("\(destination): \(error.description)")
        }
    }
}
