// swift-tools-version: 6.2
import PackageDescription

/// Clients of the products, like those of other packages: each target imports one product and nothing else.
let products = [
    "ViewportGeometry", "ScrollModel", "Replay", "PNGEncoding", "JPEGIndexing", "ViewportRendering",
    "ConstraintLayout", "ViewportControl", "RenderCaching",
    "ImageMetadata", "Resampling", "TilePyramid", "Batches",
    "PyramidExport", "Thumbnails", "PhotoCatalog", "AssetRendering", "TileServing", "LibraryServing",
]
/// Modules that are no products: they come with this one, which re-exports them.
let modules = ["WorkReporting", "MemoryWatching", "RemoteFiles"]

let package = Package(
    name: "clients",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-viewport", path: "../..", traits: ["Library", "Server"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    ],
    targets: (products + modules).map { module in
        let product = modules.contains(module) ? "ViewportRendering" : module
        return .executableTarget(
            name: module + "Client",
            dependencies: [.product(name: product, package: "swift-viewport")]
                + (product == "TileServing" ? [.product(name: "Hummingbird", package: "hummingbird")] : []),
            swiftSettings: [
                .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("ExistentialAny"),
                .treatAllWarnings(as: .error),
            ])
    })
