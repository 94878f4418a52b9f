// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-viewport", path: ".."),
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.0", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "ScrollModelBenchmarks",
            dependencies: [
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "Replay", package: "swift-viewport"),
                .product(name: "ScrollModel", package: "swift-viewport"),
                .product(name: "ViewportGeometry", package: "swift-viewport"),
            ],
            path: "Benchmarks/ScrollModelBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
    ]
)
