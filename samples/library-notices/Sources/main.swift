import Foundation
import PhotoCatalog

/// Watches a library, changes one photo in it, and prints what the library reports.
func follow(_ library: PhotoLibrary, photo: URL, as path: URL) async throws {
    for try await change in library.changes {
        switch change {
        case .initial:
            print("following")
            try FileManager.default.moveItem(at: photo, to: path)
        case .assetsChanged(let inserted, let updated, let removed):
            for asset in try await library.assets(inserted) {
                print("new: \(asset.path), \(asset.date?.local.description ?? "undated")")
                try await library.edit([asset.id], AssetEdit(title: "Lake"))
            }
            for asset in try await library.assets(updated) {
                print("changed: \(asset.path), \(asset.title ?? "untitled")")
                try FileManager.default.removeItem(at: path)
            }
            if !removed.isEmpty {
                print("removed:", removed.count)
                return
            }
        case .groupsChanged, .reload:
            continue
        }
    }
}

guard CommandLine.arguments.count == 2 else { fatalError("usage: library-notices PHOTO") }
let scratch = FileManager.default.temporaryDirectory.appending(path: "library-notices-\(UUID())")
let (folder, photo) = (scratch.appending(path: "photos"), scratch.appending(path: "copy.jpg"))
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: scratch) }
try FileManager.default.copyItem(at: URL(filePath: CommandLine.arguments[1]), to: photo)

let library = try await PhotoLibrary.create(folder.path)
let watching = Task { try await library.watch() }
try await follow(library, photo: photo, as: folder.appending(path: "lake.jpg"))
watching.cancel()
try await watching.value
