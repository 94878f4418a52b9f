// swift-tools-version: 6.2
import PackageDescription

/// Every target is built with all of these: data races, unsafe memory, leaking imports and boxed
/// protocols are errors of the build, not findings of a review.
let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .strictMemorySafety(),
    ] + (Context.environment["WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)])

func target(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func program(_ name: String, path: String? = nil, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name + "Tests", dependencies: dependencies, swiftSettings: strict)
}

func system(_ name: String, _ package: String, apt: String, brew: String) -> Target {
    .systemLibrary(name: name, pkgConfig: package, providers: [.apt([apt]), .brew([brew])])
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "swift-viewport",
    products: [
        .executable(name: "viewport", targets: ["viewport"]),
        .library(name: "ViewportGeometry", targets: ["ViewportGeometry"]),
        .library(name: "ScrollModel", targets: ["ScrollModel"]),
        .library(name: "PNGEncoding", targets: ["PNGEncoding"]),
        .library(name: "ViewportRendering", targets: ["ViewportRendering"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
    ],
    targets: [
        // L0: words, numbers and C.
        target("ViewportGeometry"),
        target("Files"),
        system("CVips", "vips", apt: "libvips-dev", brew: "vips"),
        system("CDeflate", "libdeflate", apt: "libdeflate-dev", brew: "libdeflate"),
        system("CPNG", "libpng", apt: "libpng-dev", brew: "libpng"),

        // L1: one idea each.
        target("ScrollModel", ["ViewportGeometry"]),
        target("TilePyramid", ["ViewportGeometry"]),
        target("ImageMetadata"),
        target("Resampling"),
        target("PNGEncoding", ["CDeflate"]),
        target("Vips", ["CVips", "ViewportGeometry"]),

        // L2: the one path of a picture.
        target(
            "ViewportRendering",
            [
                "Files", "ViewportGeometry", "ScrollModel", "TilePyramid", "ImageMetadata", "Resampling",
                "PNGEncoding",
                "Vips",
            ]),

        // L5: the command line.
        program(
            "viewport",
            [
                "Files", "ViewportGeometry", "ScrollModel", "TilePyramid", "ImageMetadata",
                "ViewportRendering",
                argumentParser,
            ]),

        .target(
            name: "TestSupport", dependencies: ["Vips", "ViewportGeometry"], path: "Tests/TestSupport",
            swiftSettings: strict),
        tests("ViewportGeometry", ["ViewportGeometry"]),
        tests("ScrollModel", ["ScrollModel", "ViewportGeometry"]),
        tests("TilePyramid", ["TilePyramid", "ViewportGeometry"]),
        tests("ImageMetadata", ["ImageMetadata", "TestSupport"]),
        tests("Resampling", ["Resampling"]),
        tests("PNGEncoding", ["PNGEncoding", "CPNG"]),
        tests("Vips", ["Vips"]),
        tests("Architecture", []),
        tests("Command", ["viewport", "TilePyramid", "ViewportGeometry", "Vips", "TestSupport"]),
        tests(
            "ViewportRendering",
            ["ViewportRendering", "ViewportGeometry", "Resampling", "Vips", "TestSupport"]),
    ]
)
