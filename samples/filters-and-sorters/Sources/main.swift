import Foundation
import PhotoCatalog

/// The assets with at least so many pixels.
struct Detailed: AssetFilter {
    let pixels: Int

    func includes(_ asset: Asset) -> Bool { asset.size.map { $0.width * $0.height >= pixels } ?? false }
}

/// Landscapes and portraits.
struct ByShape: AssetGrouping {
    func key(of asset: Asset) -> EntryKey? {
        asset.size.map { .text($0.width > $0.height ? "landscape" : "portrait") }
    }
}

/// The assets with the most bytes first.
struct LargestFirst: AssetSorter {
    func areInOrder(_ first: Asset, _ second: Asset) -> Bool { first.fileSize > second.fileSize }
}

guard CommandLine.arguments.count == 2 else { fatalError("usage: filters-and-sorters FOLDER") }
let scratch = FileManager.default.temporaryDirectory.appending(path: "filters-and-sorters-\(UUID())")
try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: scratch) }
let library = try await PhotoLibrary.create(
    CommandLine.arguments[1], catalog: scratch.appending(path: "catalog.sqlite").path)
print("\(try await library.index().inserted) photos")

let collection = library.collection(grouping: ByShape(), sorter: LargestFirst())
for pixels in [0, 1_000_000] {
    collection.filter = FilterIntersection([AssetKinds.photo, Detailed(pixels: pixels)])
    print("of at least \(pixels) pixels:")
    for entry in try await collection.entries() {
        let paths = try await collection.assets(in: entry).map(\.path)
        print("    \(entry.key?.description ?? "unknown"): \(paths.joined(separator: ", "))")
    }
}
