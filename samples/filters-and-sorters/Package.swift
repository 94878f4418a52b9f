// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "filters-and-sorters",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-viewport", path: "../..", traits: ["Library"])],
    targets: [
        .executableTarget(
            name: "filters-and-sorters",
            dependencies: [.product(name: "PhotoCatalog", package: "swift-viewport")], path: "Sources")
    ])
