internal import AssetCatalog
internal import Basics
internal import CatalogStorage
internal import Files
internal import Foundation

/// What the catalog knows of the files of a group.
struct DuplicateRecords: Sendable {
    /// The assets of the files, and the other halves of live photos.
    private var assets: [FilePath: Asset] = [:]
    private var byID: [Asset.ID: Asset] = [:]
    /// The digest of the pixels by the digest of the file.
    private var pixels: [String: Data] = [:]
    /// The files that are in the trash.
    private var trashed: Set<FilePath> = []

    init(of group: DuplicatePlan.Group, root: String, _ catalog: Catalog) throws {
        for file in group.files {
            let path = file.file
            if let asset = try catalog.asset(at: path) {
                assets[path] = asset
                byID[asset.id] = asset
                if let partner = asset.livePartner {
                    byID[partner] = try catalog.assets([partner]).first
                }
            } else if try catalog.operations.trashPaths(of: path).contains(where: {
                FileStatus("\(root)/\($0)") != nil
            }) {
                trashed.insert(path)
            }
            pixels[file.sha256] = try catalog.pixels(ofDigest: file.sha256)
        }
    }

    func asset(_ file: DuplicatePlan.File) -> Asset? { assets[file.file] }

    func isInTrash(_ file: DuplicatePlan.File) -> Bool { trashed.contains(file.file) }

    func film(of asset: Asset) -> Asset? {
        guard !asset.isVideo else { return nil }
        return asset.livePartner.flatMap { byID[$0] }
    }

    /// The photo whose film an asset is.
    func photo(of asset: Asset) -> Asset? {
        guard asset.isVideo else { return nil }
        return asset.livePartner.flatMap { byID[$0] }
    }

    func pixels(of file: DuplicatePlan.File) -> Data? { pixels[file.sha256] }
}

/// Checks, by reading the files, that a group is as its plan states: the file that is kept is whole, and the others are what
/// was compared.
struct DuplicateCheck {
    /// A file that may go, in the state in which it was read.
    struct Loser: Sendable {
        var asset: Asset
        /// The film of a live photo, which goes along.
        var film: Asset?
        var moment: FileMoment
    }

    private(set) var keeper: Asset?
    private(set) var losers: [Loser] = []
    private(set) var present = 0
    private(set) var failures: [IndexReport.Failure] = []

    private let root: String
    private let records: DuplicateRecords

    init(_ group: DuplicatePlan.Group, _ records: DuplicateRecords, root: String) {
        (self.records, self.root) = (records, root)
        let going = group.files.filter { $0.action == .trash }
        let rest = going.filter { !records.isInTrash($0) || records.asset($0) != nil }
        present = going.count - rest.count
        guard !rest.isEmpty else { return }
        var kept: [(file: DuplicatePlan.File, asset: Asset, reading: FileDigest.Reading)] = []
        for file in group.files where file.action == .keep {
            do throws(AssetRefusal) {
                kept.append((file, try asset(file), try read(file)))
            } catch {
                fail(file, "\(error.reason); its copies stay")
                return
            }
        }
        guard let first = kept.first else { return }
        keeper = first.asset
        for file in rest {
            do throws(AssetRefusal) {
                let (asset, reading) = (try asset(file), try read(file))
                for other in kept where other.reading.moment.status.isSameFile(as: reading.moment.status) {
                    throw AssetRefusal(reason: "is the same file as \(other.file.path)")
                }
                guard reading.moment.names == 1 else {
                    throw AssetRefusal(
                        reason:
                            "has \(reading.moment.names) names (hard links), so that removing one frees nothing"
                    )
                }
                try compare(file, first.file, group.comparison)
                losers.append(
                    Loser(asset: asset, film: try film(of: asset, kept: first.asset), moment: reading.moment))
            } catch {
                fail(file, "\(error.reason); it stays")
            }
        }
    }

    private mutating func fail(_ file: DuplicatePlan.File, _ reason: String) {
        failures.append(IndexReport.Failure(path: file.path, reason: reason))
    }

    private func asset(_ file: DuplicatePlan.File) throws(AssetRefusal) -> Asset {
        guard let asset = records.asset(file) else {
            throw AssetRefusal(reason: "is not in the catalog; run `viewport library index`")
        }
        guard asset.sha256 == file.sha256 else {
            throw AssetRefusal(reason: "was changed since the plan was made")
        }
        return asset
    }

    /// Reads a file to its end, and compares it with the plan.
    private func read(_ file: DuplicatePlan.File) throws(AssetRefusal) -> FileDigest.Reading {
        let path = "\(root)/\(file.path)"
        guard !Folder.isLink(path) else { throw AssetRefusal(reason: "is a symbolic link") }
        guard let status = FileStatus(path) else { throw AssetRefusal(reason: "is gone") }
        guard status.size == file.bytes, status.modified == file.modified else {
            throw AssetRefusal(reason: "was changed since the plan was made")
        }
        do {
            let reading = try FileDigest.reading(of: path)
            guard reading.text == file.sha256 else {
                throw AssetRefusal(reason: "has other bytes than the plan states, at the same time and size")
            }
            return reading
        } catch let refusal as AssetRefusal {
            throw refusal
        } catch {
            throw AssetRefusal(reason: "\(error)")
        }
    }

    private func compare(
        _ file: DuplicatePlan.File, _ kept: DuplicatePlan.File, _ comparison: DuplicatePlan.Group.Comparison
    ) throws(AssetRefusal) {
        switch comparison {
        case .bytes:
            guard file.sha256 == kept.sha256 else {
                throw AssetRefusal(reason: "has other bytes than \(kept.path)")
            }
        case .pixels:
            guard let pixels = records.pixels(of: file), pixels == records.pixels(of: kept) else {
                throw AssetRefusal(reason: "has other pixels than \(kept.path)")
            }
        case .looks:
            // A fingerprint exists only of files that were decoded.
            for one in [kept, file] where records.pixels(of: one) == nil {
                throw AssetRefusal(reason: "cannot be compared, since \(one.path) was not decoded")
            }
        }
    }

    /// Returns the film that goes along with a photo.
    private func film(of asset: Asset, kept: Asset) throws(AssetRefusal) -> Asset? {
        if let photo = records.photo(of: asset) {
            throw AssetRefusal(reason: "is the film of the live photo \(photo.path)")
        }
        guard let film = records.film(of: asset) else { return nil }
        guard let its = records.film(of: kept), its.sha256 == film.sha256,
            FileStatus("\(root)/\(its.path)") != nil,
            (try? FileDigest.of("\(root)/\(its.path)")) == film.sha256
        else { throw AssetRefusal(reason: "is a live photo whose film \(kept.path) has not") }
        return film
    }
}
