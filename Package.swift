// swift-tools-version: 6.2
import PackageDescription

/// Every target is built with all of these: data races, unsafe memory, leaking imports and boxed
/// protocols are errors of the build, not findings of a review.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .strictMemorySafety(),
]

let package = Package(
    name: "swift-viewport",
    products: [
        .library(name: "ViewportGeometry", targets: ["ViewportGeometry"]),
        .library(name: "ScrollModel", targets: ["ScrollModel"]),
    ],
    targets: [
        // L0: words and numbers; nothing below them.
        .target(name: "ViewportGeometry", swiftSettings: strict),
        .systemLibrary(
            name: "CVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"]), .brew(["vips"])]),

        // L1: one idea each, on the words alone.
        .target(name: "ImageMetadata", swiftSettings: strict),
        .target(name: "Resampling", swiftSettings: strict),
        .target(name: "TilePyramid", dependencies: ["ViewportGeometry"], swiftSettings: strict),
        .target(name: "Vips", dependencies: ["CVips", "ViewportGeometry"], swiftSettings: strict),

        .testTarget(name: "ImageMetadataTests", dependencies: ["ImageMetadata"], swiftSettings: strict),
        .testTarget(name: "TilePyramidTests", dependencies: ["TilePyramid"], swiftSettings: strict),
        .testTarget(name: "ResamplingTests", dependencies: ["Resampling"], swiftSettings: strict),
        .testTarget(name: "ViewportGeometryTests", dependencies: ["ViewportGeometry"], swiftSettings: strict),

        // L1: what is visible.
        .target(name: "ScrollModel", dependencies: ["ViewportGeometry"], swiftSettings: strict),
        .testTarget(
            name: "ScrollModelTests", dependencies: ["ScrollModel", "ViewportGeometry"], swiftSettings: strict
        ),
    ]
)
