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
        .library(name: "Replay", targets: ["Replay"]),
    ],
    targets: [
        // L0: words and numbers; nothing below them.
        .target(name: "ViewportGeometry", swiftSettings: strict),
        .testTarget(name: "ViewportGeometryTests", dependencies: ["ViewportGeometry"], swiftSettings: strict),

        // L1: what is visible.
        .target(
            name: "ScrollModel", dependencies: ["ViewportGeometry"], swiftSettings: strict,
            // Square roots and roundings that the processor lacks; without Foundation nobody else links them.
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
        .testTarget(
            name: "ScrollModelTests", dependencies: ["ScrollModel", "ViewportGeometry"],
            swiftSettings: strict),

        // L2: gesture scripts in, event logs out.
        .target(name: "Replay", dependencies: ["ScrollModel", "ViewportGeometry"], swiftSettings: strict),
        .testTarget(
            name: "ReplayTests", dependencies: ["Replay", "ScrollModel", "ViewportGeometry"],
            resources: [.copy("replay.mjs")], swiftSettings: strict),
    ]
)
