// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "own-server",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-viewport", path: "../..", traits: ["Server"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "own-server",
            dependencies: [
                .product(name: "TileServing", package: "swift-viewport"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            path: "Sources")
    ])
