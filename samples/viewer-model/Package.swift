// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "viewer-model",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-viewport", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "viewer-model", dependencies: [.product(name: "ScrollModel", package: "swift-viewport")],
            path: "Sources")
    ])
