import PhotoCatalog

/// A filter of the client.
// The module name qualifies the protocol, because no type has the same name.
struct Large: PhotoCatalog.AssetFilter {
    func includes(_ asset: Asset) -> Bool { asset.size.map { $0.width > 4000 } ?? false }
}

for path in CommandLine.arguments.dropFirst() {
    let library = try await PhotoLibrary.create(path)
    try await library.index()
    let collection = library.collection(grouping: .day, filter: AssetKinds.photo, sorter: .dateDescending)
    for entry in try await collection.entries(0..<20) {
        for asset in try await collection.assets(in: entry, 0..<50) {
            print(asset.date?.local.description ?? "undated", asset.location?.latitude ?? 0, asset.format)
        }
    }
    collection.filter = FilterIntersection([
        Large(), try DateFilter(from: "2014-05", to: "2014-06"),
        NearFilter(latitude: 46.2, longitude: 6.14, distance: 25_000),
    ])
}
