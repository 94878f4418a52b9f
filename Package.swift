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
        .library(name: "PNGEncoding", targets: ["PNGEncoding"]),
        .library(name: "JPEGIndex", targets: ["JPEGIndex"]),
    ],
    targets: [
        // L0: words and numbers; nothing below them.
        .target(name: "ViewportGeometry", swiftSettings: strict),
        .testTarget(name: "ViewportGeometryTests", dependencies: ["ViewportGeometry"], swiftSettings: strict),
        .systemLibrary(
            name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(
            name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),

        // L1: one subject each.
        .target(name: "JPEGIndex", dependencies: ["ViewportGeometry"], swiftSettings: strict),
        .target(name: "PNGEncoding", dependencies: ["CDeflate"], swiftSettings: strict),
        .target(
            name: "JPEGTestSupport", dependencies: ["JPEGIndex", "ViewportGeometry"],
            path: "Tests/JPEGTestSupport",
            swiftSettings: strict),
        .executableTarget(
            name: "fuzz-jpeg", dependencies: ["JPEGTestSupport"], path: "samples/FuzzJPEG",
            swiftSettings: strict),
        .testTarget(
            name: "JPEGIndexTests", dependencies: ["JPEGIndex", "JPEGTestSupport", "CTurboJPEG"],
            swiftSettings: strict),
        .testTarget(
            name: "PNGEncodingTests", dependencies: ["PNGEncoding", "CPNG"], swiftSettings: strict),
    ]
)
