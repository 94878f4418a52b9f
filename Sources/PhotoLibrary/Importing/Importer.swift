internal import Files
internal import Foundation

/// Carries out a plan, so that it can be ended at any moment and carried out again.
///
/// A file is copied under a hidden name, brought onto the disk, compared with its source, and then given its name,
/// which nothing else may have. Some files later the catalogue is told; only then are the sources removed that
/// are to be moved. Whatever step is the last before the end, the next plan finds what is there.
final class Importer {
    private let library: PhotoLibrary
    private let plan: ImportPlan
    private(set) var report = ImportReport()
    /// Items that are in their places and of which the catalogue does not know yet.
    private var placed: [ImportPlan.Item] = []
    private var cleaned: Set<String> = []

    /// Files after which the catalogue is told.
    private static let batch = 64

    init(_ library: PhotoLibrary, _ plan: ImportPlan) {
        self.library = library
        self.plan = plan
    }

    func run(_ progress: @Sendable (Int, Int) -> Void) async throws(ImportError) -> ImportReport {
        for (number, item) in plan.items.enumerated() {
            if Task.isCancelled {
                try await settle()
                throw .library(.cancelled)
            }
            switch item.action {
            case .take(let path): try await take(item, to: path)
            case .present:
                placed.append(item)
                report.present += 1
            case .duplicate: report.duplicates += 1
            case .fail(let reason): fail(item, reason)
            }
            let isGroupDone = plan.items.dropFirst(number + 1).first?.group != item.group
            if placed.count >= Self.batch, isGroupDone { try await settle() }
            progress(number + 1, plan.items.count)
        }
        try await settle()
        return report
    }

    private func fail(_ item: ImportPlan.Item, _ reason: String) {
        report.failures.append(IndexReport.Failure(path: item.source, reason: reason))
    }

    private func absolute(_ path: String) -> String { "\(library.root)/\(path)" }

    private func take(_ item: ImportPlan.Item, to path: String) async throws(ImportError) {
        let (destination, moves) = (absolute(path), plan.moves)
        try clean(OutputFile.folder(of: destination))
        let result = await BackgroundQueue.result { () throws(PlacingError) in
            try Self.place(item, at: destination, moves: moves)
        }
        switch result {
        case .success:
            placed.append(item)
            report.taken += 1
            report.bytes += item.bytes
        case .failure(.item(let reason)): fail(item, reason)
        case .failure(.everything(let reason)):
            try await settle()
            throw .unwritable(destination, reason: reason)
        }
    }

    /// Makes a folder and takes away what a killed import has left in it.
    private func clean(_ folder: String) throws(ImportError) {
        guard cleaned.insert(folder).inserted else { return }
        do {
            try Folder.make(folder)
        } catch {
            throw .unwritable(folder, reason: error.description)
        }
        for name in Folder.names(in: folder) where name.hasPrefix(FileCopy.prefix) {
            Folder.remove("\(folder)/\(name)")
        }
    }

    /// Tells the catalogue of what is in its place, and removes the sources that were moved.
    private func settle() async throws(ImportError) {
        guard !placed.isEmpty else { return }
        var items = placed
        placed = []
        for folder in Set(items.compactMap(\.destination).map { OutputFile.folder(of: absolute($0)) }) {
            try? Folder.synchronize(folder)
        }
        do {
            let paths = items.compactMap(\.destination)
            let index = try await library.indexWhenFree(
                paths, assuming: plan.assumedZone, undatedBy: plan.undatedBy)
            let failed = Set(index.failures.map(\.path))
            for item in items {
                guard let path = item.destination, failed.contains(path) else { continue }
                fail(item, "the library cannot read \(path)")
            }
            items.removeAll { $0.destination.map(failed.contains) ?? true }
            let known = items
            try await library.catalogue.write { try ImportedFiles.remember(known, $0) }
        } catch {
            throw .library(error)
        }
        guard plan.moves else { return }
        // What only tells about a picture goes before it: alone it would not be found again.
        for item in items.reversed() { removeSource(item) }
    }

    private func removeSource(_ item: ImportPlan.Item) {
        guard let path = item.destination, FileStatus(absolute(path))?.size == item.bytes else { return }
        guard FileStatus(item.source)?.modified == item.modified else {
            return fail(item, "has changed since it was copied; it stays")
        }
        if !Folder.remove(item.source) { fail(item, "is in the library, but cannot be removed") }
    }
}
