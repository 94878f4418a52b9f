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

/// Whether all tests and their tools are built: `VIEWPORT_TESTS=all swift test`.
///
/// Else, each product has a few tests, so that a clone is checked within minutes. With `debug`, libraries are not
/// optimized, so that a change compiles only the files that it concerns.
let testing = Context.environment["VIEWPORT_TESTS"] ?? ""
let hasAllTests = ["all", "long", "debug"].contains(testing)

/// Code that loops over pixels is optimized in debug builds, too.
///
/// Packages may depend on targets with such flags since Swift 6.2.
let optimized: [SwiftSetting] = [
    .unsafeFlags(["-O", "-wmo", "-num-threads", "2"], .when(configuration: .debug))
]

/// With all tests, every library is optimized: they run in half the time.
let strictInTests = strict + (hasAllTests && testing != "debug" ? optimized : [])

func target(
    _ name: String, _ dependencies: [Target.Dependency] = [], excluding files: [String] = [],
    linking settings: [LinkerSetting] = [], with features: [SwiftSetting] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: files, swiftSettings: strictInTests + features,
        linkerSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// Tests that are built with all tests only.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target? {
    hasAllTests ? testTarget(name, dependencies) : nil
}

/// Tests that are always built.
///
/// - Parameter isSplit: Whether the folder `Heavy` has tests that are built with all tests only.
func quickTests(
    _ name: String, _ dependencies: [Target.Dependency], isSplit: Bool = true, resources: [Resource] = [],
    with features: [SwiftSetting] = []
) -> Target {
    testTarget(name, dependencies, excluding: isSplit && !hasAllTests ? ["Heavy"] : [], resources, features)
}

func testTarget(
    _ name: String, _ dependencies: [Target.Dependency], excluding files: [String] = [],
    _ resources: [Resource] = [], _ features: [SwiftSetting] = []
) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: dependencies, exclude: files, resources: resources,
        swiftSettings: strict + features)
}

/// A program for tests and measurements.
func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target? {
    hasAllTests ? program(name, dependencies) : nil
}

func system(_ name: String, _ package: String, apt: String, brew: String) -> Target {
    .systemLibrary(name: name, pkgConfig: package, providers: [.apt([apt]), .brew([brew])])
}

/// On Linux libvips is not linked but loaded when it is first needed: only its headers and GObject are named.
#if os(Linux)
let vips = "gobject-2.0"
#else
let vips = "vips"
#endif

/// Square roots and roundings that the processor lacks; without Foundation nobody else links them.
let mathematics: [LinkerSetting] = [.linkedLibrary("m", .when(platforms: [.linux]))]

/// What a trait brings; without the trait its packages are not even resolved.
func product(_ name: String, of package: String, with trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

let argumentParser = product("ArgumentParser", of: "swift-argument-parser", with: "CommandLine")
let grdb = product("GRDB", of: "GRDB.swift", with: "Library")
let hummingbird = product("Hummingbird", of: "hummingbird", with: "Server")
let logging = product("Logging", of: "swift-log", with: "Server")
let metrics = product("Metrics", of: "swift-metrics", with: "Server")
let lifecycle = product("ServiceLifecycle", of: "swift-service-lifecycle", with: "Server")
let unixSignals = product("UnixSignals", of: "swift-service-lifecycle", with: "Server")
let nio = product("NIOCore", of: "swift-nio", with: "Server")
let nioPosix = product("NIOPosix", of: "swift-nio", with: "Server")
let nioHTTP = product("NIOHTTP1", of: "swift-nio", with: "Server")
let nioHTTPTypes = product("NIOHTTPTypes", of: "swift-nio-extras", with: "Server")
let httpTypes = product("HTTPTypes", of: "swift-http-types", with: "Server")

/// Targets in a folder of `Sources`, which depend on their own floor and on those before it.
func floor(_ name: String, _ targets: Target...) -> [Target] { folder("Sources/\(name)", targets) }

/// The tests of a floor, or code that only tests use, in a folder of `Tests`.
func tests(of name: String, _ targets: Target?...) -> [Target] { folder("Tests/\(name)", targets) }

func folder(_ path: String, _ targets: [Target?]) -> [Target] {
    let targets = targets.compactMap { $0 }
    for target in targets { target.path = "\(path)/\(target.name)" }
    return targets
}

/// The commit for `viewport --version` where packages are built without .git; else CBuild finds it.
let commit: [CSetting] = {
    let digits = (Context.environment["VIEWPORT_COMMIT"] ?? "").prefix(10)
    guard digits.count == 10, digits.allSatisfy(\.isHexDigit) else { return [] }
    return [.define("VIEWPORT_COMMIT", to: "0x\(digits)")]
}()

/// Targets that a program without the trait does not compile either.
func parts(_ names: String..., with trait: String) -> [Target.Dependency] {
    names.map { .target(name: $0, condition: .when(traits: [trait])) }
}

let package = Package(
    name: "swift-viewport",
    // Mutex and Atomic of Synchronization, and task executors, came with these. On iOS and its relatives only what
    // needs no C library is of use: ViewportGeometry, ScrollModel and Replay.
    platforms: [.macOS(.v15), .macCatalyst(.v18), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .executable(name: "viewport", targets: ["viewport"]),
        .library(name: "ViewportGeometry", targets: ["ViewportGeometry"]),
        .library(name: "ScrollModel", targets: ["ScrollModel"]),
        .library(name: "Replay", targets: ["Replay"]),
        .library(name: "ConstraintLayout", targets: ["ConstraintLayout"]),
        .library(name: "ImageMetadata", targets: ["ImageMetadata"]),
        .library(name: "PNGEncoding", targets: ["PNGEncoding"]),
        .library(name: "JPEGIndexing", targets: ["JPEGIndexing"]),
        // Deprecated: `viewport-library` has its functions, too.
        .library(name: "viewport-jpeg-index", type: .dynamic, targets: ["JPEGIndexLibrary"]),
        // Packages name it libviewport, which here is the program's name.
        .library(name: "viewport-library", type: .dynamic, targets: ["ViewportLibrary"]),
        .library(name: "Resampling", targets: ["Resampling"]),
        .library(name: "TilePyramid", targets: ["TilePyramid"]),
        .library(name: "ViewportRendering", targets: ["ViewportRendering"]),
        .library(name: "ViewportControl", targets: ["ViewportControl"]),
        .library(name: "RenderCaching", targets: ["RenderCaching"]),
        .library(name: "PyramidExport", targets: ["PyramidExport"]),
        .library(name: "Batches", targets: ["Batches"]),
        .library(name: "Thumbnails", targets: ["Thumbnails"]),
        .library(name: "PhotoCatalog", targets: ["PhotoCatalog"]),
        .library(name: "AssetRendering", targets: ["AssetRendering"]),
        .library(name: "TileServing", targets: ["TileServing"]),
        .library(name: "LibraryServing", targets: ["LibraryServing"]),
    ],
    traits: [
        .trait(name: "CommandLine", description: "The program viewport and the tools of tests."),
        .trait(name: "Library", description: "PhotoCatalog and AssetRendering, and `viewport library`."),
        .trait(name: "Server", description: "TileServing and LibraryServing, and `viewport serve`."),
        .default(enabledTraits: ["CommandLine", "Library"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        floor(
            "System",
            target("Platform"),
            .target(name: "CBuild", cSettings: commit),
            system("CCrypto", "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
            // Loaded when the first URL is opened, so that only its headers are needed.
            .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
            system("CDeflate", "libdeflate", apt: "libdeflate-dev", brew: "libdeflate"),
            system("CISAL", "libisal", apt: "libisal-dev", brew: "isa-l"),
            system("CZlib", "zlib", apt: "zlib1g-dev", brew: "zlib"),
            target("Basics", ["Platform"], with: optimized),
            target("Checksums", ["CDeflate"], with: optimized),
            target("Digests", ["Basics", .target(name: "CCrypto", condition: .when(platforms: [.linux]))]),
            target("Files", ["Platform", "Basics"]),
            target("MemoryWatching", ["Platform", "Basics", "Files"]),
            target("SavedState", ["Basics", "Files"]),
            target("WorkReporting"),
            target("RemoteFiles", ["Platform", "Basics", "CCurl", "Files"]),
            target("Archives", ["Basics", "CZlib", "Checksums", "Files"])),
        floor(
            "Scrolling",
            target("ViewportGeometry", with: optimized),
            target("ScrollModel", ["ViewportGeometry"], linking: mathematics),
            target("Viewports", ["ScrollModel", "ViewportGeometry"]),
            target("Replay", ["ScrollModel", "ViewportGeometry"]),
            target("ConstraintLayout", linking: mathematics)),
        floor(
            "Formats",
            system("CPNG", "libpng", apt: "libpng-dev", brew: "libpng"),
            system("CTurboJPEG", "libturbojpeg", apt: "libturbojpeg0-dev", brew: "jpeg-turbo"),
            .target(name: "CJPEGIndex", exclude: ["exports.map"]),
            target("Containers", ["Basics", "Checksums", "Files"]),
            target("JPEGCoding", ["CTurboJPEG"], with: optimized),
            target("HEVCDecoding", ["Platform"], with: optimized),
            target("JXLDecoding", ["Platform"], with: optimized),
            target("PDFWriting", ["ViewportGeometry"]),
            target(
                "PNGEncoding", ["Platform", "Basics", "CDeflate", "CISAL", "Containers"], with: optimized),
            target("JPEGIndexing", ["Basics", "Containers", "Files", "ViewportGeometry"], with: optimized),
            target(
                "PNGIndexing", ["Basics", "CDeflate", "Containers", "Files", "ViewportGeometry"],
                with: optimized),
            target("Sidecars", ["Basics", "Files", "ViewportGeometry"]),
            target(
                "ImageMetadata",
                ["Platform", "Basics", "CDeflate", "Containers", "Files", "ViewportGeometry"]),
            target(
                "JPEGIndexLibrary",
                ["CJPEGIndex", "Files", "JPEGCoding", "JPEGIndexing", "ViewportGeometry"])),
        floor(
            "Rendering",
            .systemLibrary(name: "CVectors"),
            system("CVips", vips, apt: "libvips-dev", brew: "vips"),
            target("Resampling", ["Platform", "CVectors"], with: optimized),
            target("Vips", ["Platform", "Basics", "CVips", "Files", "ViewportGeometry"], with: optimized),
            target("TilePyramid", ["ViewportGeometry", "Basics"], with: optimized),
            target("Pictures", ["Files", "ViewportGeometry", "Viewports", "Resampling"], with: optimized),
            target(
                "ImageReading",
                [
                    "Basics", "Containers", "Files", "MemoryWatching", "RemoteFiles", "ViewportGeometry",
                    "Viewports",
                    "HEVCDecoding", "ImageMetadata", "JPEGCoding", "JPEGIndexing", "JXLDecoding",
                    "PNGIndexing",
                    "Sidecars",
                    "Pictures", "Resampling", "TilePyramid", "Vips",
                ], with: optimized),
            target(
                "PictureEncoding",
                [
                    "Basics", "Checksums", "Digests", "Containers", "Files", "ViewportGeometry",
                    "ImageMetadata",
                    "JPEGCoding",
                    "JPEGIndexing", "PNGEncoding", "ImageReading", "Pictures", "Vips",
                ]),
            target(
                "TileLoading",
                [
                    "Basics", "MemoryWatching", "ViewportGeometry", "ImageReading", "Pictures", "Resampling",
                    "TilePyramid",
                ]),
            target(
                "ViewportRendering",
                [
                    "Platform", "Basics", "Files", "MemoryWatching", "WorkReporting", "RemoteFiles",
                    "ScrollModel",
                    "ViewportGeometry", "Viewports", "ImageMetadata", "ImageReading", "PictureEncoding",
                    "Pictures", "Resampling", "TileLoading", "TilePyramid", "Vips",
                ]),
            target(
                "RenderCaching",
                [
                    "Basics", "Files", "WorkReporting", "ViewportGeometry", "TilePyramid", "Resampling",
                    "JPEGIndexing",
                    "JPEGCoding", "Sidecars", "ImageReading", "ViewportRendering", "Vips",
                ])),
        floor(
            "Outputs",
            target(
                "PyramidExport",
                [
                    "Platform", "Archives", "Basics", "Checksums", "Containers", "Files", "Batches",
                    "WorkReporting", "ViewportGeometry",
                    "TilePyramid", "Resampling", "PNGEncoding", "JPEGIndexing", "JPEGCoding", "Sidecars",
                    "ImageMetadata", "ImageReading", "ViewportRendering", "Vips",
                ]),
            target(
                "Renders",
                [
                    "Basics", "WorkReporting", "ScrollModel", "ViewportGeometry", "Viewports", "TilePyramid",
                    "ImageReading", "Pictures", "PictureEncoding", "ViewportRendering", "RenderCaching",
                ]),
            target(
                "Batches",
                [
                    "Renders",
                    "ViewportGeometry", "Viewports", "PictureEncoding", "ViewportRendering",
                    "Basics", "Digests", "Containers", "Files", "MemoryWatching", "WorkReporting",
                    "RemoteFiles",
                    "ImageReading", "Pictures",
                ]),
            target(
                "Crops",
                [
                    "Archives", "Basics", "Batches", "Containers", "Digests", "Files", "ImageReading",
                    "PictureEncoding", "Pictures", "Resampling", "TilePyramid", "ViewportGeometry",
                    "ViewportRendering", "Viewports", "Vips",
                ], with: optimized),
            target(
                "Presentation",
                [
                    "Basics", "Containers", "Files", "ViewportGeometry", "ImageMetadata", "ImageReading",
                    "Pictures",
                ]),
            target(
                "Thumbnails",
                [
                    "Platform", "Batches", "Renders", "Digests", "Containers", "Files", "Basics",
                    "MemoryWatching",
                    "WorkReporting",
                    "RemoteFiles",
                    "ViewportGeometry", "PNGEncoding", "ViewportRendering", "Vips",
                ]),
            target(
                "Films",
                [
                    "Basics", "Containers", "Files", "ScrollModel", "ViewportGeometry", "Viewports",
                    "ImageMetadata",
                    "ImageReading", "PictureEncoding", "Pictures", "TileLoading", "ViewportRendering",
                ]),
            target(
                "PageComposition",
                [
                    "Basics", "ConstraintLayout", "Digests", "Containers", "Files", "ImageMetadata",
                    "PDFWriting",
                    "PNGEncoding", "Batches", "ViewportGeometry", "ImageReading",
                    "PictureEncoding", "Pictures", "ViewportRendering", "Vips",
                ]),
            target(
                "TerminalGraphics", ["ViewportGeometry", "PNGEncoding", "Pictures"], with: optimized),
            .target(name: "CViewport", dependencies: ["CBuild"], exclude: ["exports.map"]),
            target(
                "ViewportLibrary",
                [
                    "CViewport", "Platform", "Basics", "Files", "JPEGIndexLibrary", "ImageReading",
                    "Pictures",
                    "RenderCaching", "Thumbnails", "TilePyramid", "ViewportGeometry", "ViewportRendering",
                    "Vips",
                ], with: optimized),
            target(
                "ViewportControl",
                [
                    "Platform", "Basics", "Files", "SavedState", "MemoryWatching", "ViewportGeometry",
                    "ScrollModel",
                    "Replay", "ViewportRendering",
                ])),
        floor(
            "Photos",
            target("Places", ["Platform"]),
            // What libraries hold, as values; `CatalogStorage` alone has SQL.
            target(
                "Assets",
                [
                    "Archives", "Basics", "Digests", "Containers", "Files", "ViewportGeometry",
                    "ImageMetadata", "Places",
                ]),
            target(
                "CatalogStorage",
                [
                    "Platform", "Basics", "Digests", "Files", "ViewportGeometry", "ImageMetadata", "Places",
                    "Assets", grdb,
                ]),
            target(
                "AssetCatalog",
                [
                    "Basics", "Digests", "Containers", "Files", "WorkReporting", "ViewportGeometry",
                    "ImageMetadata", "JPEGIndexing", "Places", "Assets", "CatalogStorage",
                ]),
            target(
                "ExportDocuments", ["Basics", "Files", "ViewportGeometry", "ImageMetadata", "Assets"]),
            target(
                "PhotoImport",
                [
                    "Archives", "Basics", "Digests", "Containers", "Files", "WorkReporting",
                    "ViewportGeometry",
                    "ImageMetadata", "Assets", "CatalogStorage", "AssetCatalog", "ExportDocuments",
                ]),
            target(
                "LibraryMaintenance",
                [
                    "Basics", "Files", "WorkReporting", "ViewportGeometry", "ImageMetadata", "Assets",
                    "CatalogStorage", "AssetCatalog",
                ]),
            target(
                "PhotoCatalog", ["Places", "Assets", "AssetCatalog", "PhotoImport", "LibraryMaintenance"]),
            target(
                "AssetRendering",
                [
                    "Basics", "Digests", "Containers", "Files", "WorkReporting", "ViewportGeometry",
                    "ImageMetadata",
                    "PNGEncoding", "Vips", "Pictures", "ViewportRendering", "Thumbnails", "Assets",
                    "AssetCatalog",
                    "LibraryMaintenance", "PhotoCatalog",
                ])),
        floor(
            "Serving",
            // The files of the pages, those of libraries only with a server.
            .target(
                name: "CPageAssets",
                cSettings: [.define("LIBRARY_PAGES", .when(traits: ["Server"]))]),
            target("ViewerPages", ["Basics", "CDeflate", "CPageAssets", "Files"], excluding: ["Assets"]),
            target(
                "SiteExport",
                [
                    "Basics", "Containers", "Files", "ViewportGeometry", "PyramidExport", "Presentation",
                    "ViewerPages", "ImageReading", "ViewportRendering",
                ]),
            target(
                "TileServing",
                [
                    "Basics", "Digests", "Containers", "Files", "MemoryWatching", "RemoteFiles",
                    "ViewportGeometry",
                    "TilePyramid", "PDFWriting", "Pictures", "ViewportRendering", "RenderCaching", "Vips",
                    "ViewerPages", "Presentation", "ImageMetadata",
                    hummingbird, logging, metrics, lifecycle, unixSignals, nio, nioPosix, nioHTTP,
                    nioHTTPTypes, httpTypes,
                ]),
            target(
                "LibraryServing",
                [
                    "Platform", "Archives", "Containers", "Files", "Basics", "ViewportGeometry",
                    "ImageMetadata", "Presentation",
                    "ViewerPages", "ViewportRendering", "TileServing", lifecycle, nio, httpTypes,
                ] + parts("PhotoCatalog", "AssetRendering", with: "Library"),
                excluding: ["Assets"])),
        // The command line is the top floor: `Sources/viewport`.
        [
            program(
                "viewport",
                [
                    "CBuild", "Platform", "Containers", "Files", "Basics", "MemoryWatching", "WorkReporting",
                    "RemoteFiles",
                    "ViewportGeometry", "ScrollModel", "TilePyramid", "ImageMetadata", "Resampling",
                    "ViewportRendering", "SavedState", "RenderCaching", "PyramidExport", "Replay",
                    "Renders", "Batches", "Crops", "Films", "Presentation", "SiteExport", "TerminalGraphics",
                    "Thumbnails",
                    "PageComposition",
                    argumentParser, logging,
                ] + parts("PhotoCatalog", "AssetRendering", with: "Library")
                    + parts("TileServing", "LibraryServing", with: "Server"))
        ],

        tests(
            of: "Support",
            .target(name: "CTestWidth"),
            // Programs use it, too, so that it does without Testing.
            target(
                "TestSupport",
                [
                    "Basics", "CDeflate", "Containers", "Files", "ImageMetadata", "JPEGIndexing",
                    "PNGIndexing", "Platform", "TilePyramid", "Vips", "ViewportGeometry",
                ], with: optimized),
            // What runs beside the tests: their turns and threads, and Chromium with pages in it.
            target("TestHarness", ["CTestWidth", "TestSupport"]),
            target("TestLibraries", ["ImageMetadata", "PhotoCatalog", "TestSupport"])),
        tests(
            of: "Tools",
            // Pictures made by code, for the README, tests and benchmarks.
            tool("landscape", ["Platform", "Containers", "Files", "Vips", argumentParser]),
            tool("giant", ["ViewportGeometry", "Vips", argumentParser]),
            tool("many-photos", ["Files", "ImageMetadata", "PhotoCatalog", argumentParser]),
            tool("read-metadata", ["Basics", "Containers", "Files", "ImageMetadata", "ViewportGeometry"]),
            tool("solve-constraints", ["ConstraintLayout", "Platform"]),
            tool("fuzz-jpeg", ["TestSupport"]),
            tool("fuzz-progressive", ["TestSupport"]),
            tool("fuzz-heif", ["TestSupport"]),
            tool("fuzz-png", ["TestSupport"]),
            tool("fuzz-metadata", ["TestSupport"]),
            tests(
                "Tool",
                [
                    "giant", "landscape", "ImageMetadata", "ViewportGeometry", "Vips", "TestSupport",
                    "TestHarness",
                ])),
        folder("Tests", [tests("Architecture", ["TestSupport"])]),
        tests(
            of: "System",
            tests("Basics", ["Basics", "TestSupport", "TestHarness"]),
            tests("Digests", ["Digests", "Basics"]),
            tests("Files", ["Files", "TestSupport"]),
            quickTests("WorkReporting", ["WorkReporting"], isSplit: false),
            tests("MemoryWatching", ["Basics", "Files", "MemoryWatching", "TestSupport"]),
            tests("RemoteFiles", ["RemoteFiles", "Basics", "Files", "TestSupport", "TestHarness"]),
            tests("Archives", ["Checksums", "Archives", "Basics", "Files", "TestSupport"])),
        tests(
            of: "Scrolling",
            quickTests("ViewportGeometry", ["ViewportGeometry"]),
            quickTests("ScrollModel", ["ScrollModel", "ViewportGeometry"]),
            tests("Viewports", ["Viewports", "ViewportGeometry"]),
            quickTests(
                "Replay", ["Replay", "ScrollModel", "ViewportGeometry", "TestSupport", "TestHarness"],
                resources: [.copy("replay.mjs")]),
            quickTests("ConstraintLayout", ["ConstraintLayout"])),
        tests(
            of: "Formats",
            tests("Containers", ["Basics", "Containers", "Files", "TestSupport"]),
            tests("JPEGCoding", ["JPEGCoding", "Vips", "TestSupport"]),
            tests("HEVCDecoding", ["HEVCDecoding"]),
            tests("JXLDecoding", ["JXLDecoding"]),
            tests("PDFWriting", ["PDFWriting", "PNGEncoding", "ViewportGeometry", "TestSupport"]),
            quickTests("PNGEncoding", ["PNGEncoding", "CDeflate", "CPNG"], with: optimized),
            quickTests(
                "JPEGIndexing", ["JPEGIndexing", "TestSupport", "CTurboJPEG", "Files", "TestHarness"]),
            tests("PNGIndexing", ["PNGIndexing", "TestSupport", "Files", "TestHarness"]),
            tests("Sidecars", ["Sidecars", "Files", "ViewportGeometry", "TestSupport"]),
            tests(
                "ImageMetadata",
                [
                    "ImageMetadata", "Basics", "TestSupport", "ViewportGeometry", "Containers", "Files",
                    "TestHarness",
                ]),
            quickTests("JPEGIndexLibrary", ["TestSupport", "TestHarness"], isSplit: false)),
        tests(
            of: "Rendering",
            tests("Resampling", ["Resampling", "TestHarness"]),
            tests("Vips", ["Vips", "TestSupport"]),
            tests("TilePyramid", ["TilePyramid", "ViewportGeometry", "TestSupport"]),
            tests(
                "Pictures", ["ViewportGeometry", "ViewportRendering", "Vips", "TestSupport"]),
            tests(
                "ImageReading",
                [
                    "Basics", "Containers", "HEVCDecoding", "ImageMetadata", "ImageReading", "MemoryWatching",
                    "Pictures",
                    "ViewportRendering",
                    "ViewportGeometry", "TilePyramid", "Resampling", "JPEGIndexing", "JXLDecoding", "Files",
                    "Vips", "CVips",
                    "TestSupport", "TestHarness",
                ]),
            tests(
                "PictureEncoding",
                [
                    "Basics", "Checksums", "Digests", "Containers", "Files", "ImageMetadata",
                    "PictureEncoding",
                    "ViewportRendering",
                    "ViewportGeometry", "Vips", "TestSupport",
                ]),
            tests(
                "TileLoading",
                [
                    "Basics", "ImageReading", "MemoryWatching", "TileLoading", "ViewportRendering",
                    "ViewportGeometry", "TilePyramid", "Files", "Vips", "TestSupport", "TestHarness",
                ]),
            quickTests(
                "ViewportRendering",
                [
                    "Basics", "ImageMetadata", "ImageReading", "PictureEncoding", "ViewportRendering",
                    "ViewportGeometry", "TilePyramid", "Resampling", "JPEGIndexing", "Files", "Vips",
                    "TestSupport",
                ]),
            quickTests(
                "RenderCaching",
                [
                    "RenderCaching", "ViewportRendering", "ViewportGeometry", "TilePyramid", "Files", "Vips",
                    "TestSupport", "TestHarness",
                ])),
        tests(
            of: "Outputs",
            quickTests(
                "PyramidExport",
                [
                    "PyramidExport", "Basics", "Containers", "TestSupport", "TilePyramid", "ViewportGeometry",
                    "Vips",
                ]),
            tests(
                "Batches",
                [
                    "Basics", "Batches", "Files", "MemoryWatching", "Thumbnails", "TestSupport",
                    "TestHarness",
                ]),
            quickTests(
                "Thumbnails",
                [
                    "Thumbnails", "PyramidExport", "MemoryWatching", "ViewportRendering", "ViewportGeometry",
                    "Files",
                    "Basics", "Vips", "TestSupport", "TestHarness",
                ]),
            tests(
                "Crops",
                [
                    "Archives", "Basics", "Batches", "Crops", "Files", "ImageReading", "PictureEncoding",
                    "ViewportGeometry", "TestSupport", "TestHarness",
                ]),
            tests(
                "Films",
                [
                    "Films", "Pictures", "ScrollModel", "ViewportGeometry", "ViewportRendering", "Vips",
                    "TestSupport",
                ]),
            tests(
                "PageComposition",
                [
                    "PageComposition", "Basics", "Files", "TestSupport", "Batches", "ViewportGeometry",
                    "ViewportRendering", "Vips", "TestHarness",
                ]),
            tests(
                "Presentation",
                [
                    "Presentation", "Basics", "Containers", "Files", "ImageMetadata", "ImageReading",
                    "ViewportGeometry", "Vips", "TestSupport",
                ]),
            tests(
                "TerminalGraphics",
                ["TerminalGraphics", "ViewportRendering", "ViewportGeometry", "TestSupport"]),
            quickTests(
                "ViewportControl",
                [
                    "ViewportControl", "ViewportRendering", "Replay", "ScrollModel", "ViewportGeometry",
                    "Basics", "Files", "Vips", "TestSupport", "TestHarness",
                ])),
        tests(
            of: "Photos",
            tests("Places", ["Places", "TestSupport"]),
            tests(
                "AssetCatalog",
                [
                    "AssetCatalog", "Assets", "CatalogStorage", "PhotoCatalog", "Basics", "ImageMetadata",
                    "ViewportGeometry", "Files",
                    "TestSupport", "TestLibraries", "many-photos", "TestHarness",
                ]),
            tests(
                "PhotoImport",
                [
                    "PhotoImport", "ExportDocuments", "AssetCatalog", "Assets", "CatalogStorage",
                    "PhotoCatalog",
                    "Basics", "ImageMetadata",
                    "ViewportGeometry",
                    "Files", "TestSupport", "TestLibraries", "TestHarness",
                ]),
            tests(
                "LibraryMaintenance",
                [
                    "LibraryMaintenance", "AssetCatalog", "CatalogStorage", "PhotoCatalog", "ImageMetadata",
                    "Files",
                    "TestSupport", "TestLibraries", "TestHarness",
                ]),
            quickTests(
                "PhotoCatalog",
                [
                    "PhotoCatalog", "AssetCatalog", "CatalogStorage", "ExportDocuments", "PhotoImport",
                    "LibraryMaintenance",
                    "ImageMetadata",
                    "Basics", "Files", "TestSupport", "TestLibraries", "TestHarness",
                ]),
            quickTests(
                "AssetRendering",
                [
                    "AssetRendering", "PhotoCatalog", "ViewportRendering", "ViewportGeometry", "Vips",
                    "Containers", "ImageMetadata", "TestSupport",
                ])),
        tests(
            of: "Serving",
            quickTests(
                "ViewerPages",
                [
                    "ViewerPages", "ViewportGeometry", "viewport", "Vips", "TestHarness", "TestSupport",
                ]),
            quickTests(
                "TileServing",
                [
                    "TileServing", "MemoryWatching", "Presentation", "RenderCaching", "ViewportRendering",
                    "ViewportGeometry",
                    "TilePyramid", "Files", "Vips", "TestSupport", "TestHarness", hummingbird, logging, nio,
                    httpTypes,
                ]),
            quickTests(
                "LibraryServing",
                [
                    "LibraryServing", "TileServing", "ViewerPages", "PhotoCatalog", "AssetRendering",
                    "ViewportRendering", "ImageMetadata", "Presentation",
                    "RenderCaching", "ViewportGeometry", "Basics", "Vips", "viewport", "TestHarness",
                    "TestSupport", logging, nio, nioPosix, nioHTTP,
                ])),
        tests(
            of: "viewport",
            quickTests(
                "Command",
                [
                    "Platform", "Basics", "Containers", "viewport", "TileServing", "TilePyramid",
                    "ViewportGeometry", "PNGEncoding",
                    "TestSupport", "Thumbnails", "Vips", "TestHarness", argumentParser,
                ] + parts("PhotoCatalog", with: "Library"))),
    ].flatMap { $0 }
)
