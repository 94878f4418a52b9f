// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "library-notices",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-viewport", path: "../..", traits: ["Library"])],
    targets: [
        .executableTarget(
            name: "library-notices",
            dependencies: [.product(name: "PhotoCatalog", package: "swift-viewport")], path: "Sources")
    ])
