// swift-tools-version: 6.2
import PackageDescription

/// A client of ScrollModel only, for which SwiftPM resolves no other packages.
let package = Package(
    name: "scroll-model-alone",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-viewport", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "Client", dependencies: [.product(name: "ScrollModel", package: "swift-viewport")])
    ])
