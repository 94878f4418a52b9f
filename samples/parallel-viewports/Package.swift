// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "parallel-viewports",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-viewport", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "parallel-viewports",
            dependencies: [.product(name: "ViewportRendering", package: "swift-viewport")], path: "Sources")
    ])
