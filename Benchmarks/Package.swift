// swift-tools-version: 6.2
import PackageDescription

func benchmark(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name + "Benchmarks",
        dependencies: [.product(name: "Benchmark", package: "benchmark")] + dependencies,
        path: "Benchmarks/\(name)Benchmarks",
        plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
}

func ours(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-viewport") }

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-viewport", path: "..", traits: []),
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
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),

        // Compared with libvips in the same process, interleaved.
        .systemLibrary(
            name: "CVipsOfPeers", pkgConfig: "vips", providers: [.apt(["libvips-dev"]), .brew(["vips"])]),
        .target(name: "Peers", dependencies: ["CVipsOfPeers"]),
        .target(name: "BenchmarkSupport", dependencies: ["Peers", .product(name: "Benchmark", package: "benchmark")]),
        benchmark("PNG", ["Peers", "BenchmarkSupport", ours("PNGEncoding")]),
        benchmark("Tile", ["Peers", "BenchmarkSupport", ours("ViewportGeometry"), ours("ViewportRendering")]),
        benchmark("JPEGIndex", ["BenchmarkSupport", ours("JPEGIndexing")]),
    ]
)
