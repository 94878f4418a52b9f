import AssetRendering

for path in CommandLine.arguments.dropFirst() {
    let library = try await PhotoLibrary.open(path)
    let collection = library.collection(grouping: .all, filter: AssetKinds.photo)
    guard let entry = try await collection.entries(0..<1).first else { continue }
    for asset in try await collection.assets(in: entry, 0..<10) {
        let image = try await AssetImages(of: library).thumbnail(of: asset, side: 256).final()
        print(image?.picture.size.width ?? 0, image?.quality == .final)
    }
}
