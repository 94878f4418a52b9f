// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "blob-source",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-viewport", path: "../..", traits: [])],
    targets: [
        .systemLibrary(
            name: "CSQLite", path: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "blob-source",
            dependencies: ["CSQLite", .product(name: "ViewportRendering", package: "swift-viewport")],
            path: "Sources"),
    ])
