import Foundation
import TestSupport
import ViewportGeometry
import Vips

/// A folder of small photos, a manifest of them, and the program.
struct PhotoFolder {
    static let viewport = BuiltProgram("viewport")

    let folder: TemporaryFolder
    /// The paths as written in the manifest.
    private(set) var paths: [String] = []

    /// - Parameter size: The width and height of each photo in pixels.
    init(_ count: Int, size: Int = 96) throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("in/sub"), withIntermediateDirectories: true)
        let whole = try VipsImage.pixels(
            try TestImages.photo(width: size + 32, height: size + 32).pixels().copied(), width: size + 32,
            height: size + 32, bands: 3, format: .uint8, interpretation: "srgb")
        for number in 0..<count {
            let path = "in/\(number % 3 == 0 ? "sub/" : "")\(number).\(number % 5 == 0 ? "png" : "jpg")"
            try whole.cropped(
                to: PixelRect(x: number % 32, y: number / 32 % 32, width: size, height: size - number % 7)
            )
            .save(folder.path(path), with: number % 5 == 0 ? "pngsave" : "jpegsave")
            paths.append(path)
        }
        try writeManifest(paths.map { "{\"path\":\"\($0)\"}" })
    }

    func writeManifest(_ lines: [String], name: String = "list") throws {
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(
            to: folder.url.appendingPathComponent(name))
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.url.appendingPathComponent(name))
    }

    /// Runs `viewport thumbnail` in the folder.
    func run(_ arguments: [String], input: String? = nil, environment: [String: String] = [:]) async throws
        -> BuiltProgram.Result
    {
        try await Self.viewport.run(
            ["thumbnail"] + arguments, in: folder.url, input: input.map { Data($0.utf8) },
            environment: environment)
    }

    /// Starts `viewport thumbnail` or another job, with standard error redirected to the file "err".
    func start(_ arguments: [String], job: String = "thumbnail", input: Pipe? = nil) throws -> Process {
        let process = Self.viewport.process([job] + arguments)
        process.currentDirectoryURL = folder.url
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        _ = FileManager.default.createFile(atPath: folder.path("err"), contents: nil)
        process.standardError = try FileHandle(forWritingTo: folder.url.appendingPathComponent("err"))
        try process.start()
        return process
    }

    /// Returns the bytes of all files below a folder by path, including hidden ones.
    func tree(_ name: String) throws -> [String: Data] {
        let names = folder.files(below: name)
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try folder.data("\(name)/\($0)")) })
    }

    /// Returns the lines of a results file.
    func results(_ name: String) throws -> [[String: Any]] {
        try Self.results(String(decoding: folder.data(name), as: UTF8.self))
    }

    static func results(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
    }
}

extension [[String: Any]] {
    var statuses: [String] { map { $0["status"] as? String ?? "" } }

    /// The error codes by path; "" for lines without a path.
    var codes: [String: String] {
        reduce(into: [:]) { codes, result in
            if let error = result["error"] as? [String: Any] {
                codes[result["path"] as? String ?? ""] = error["code"] as? String
            }
        }
    }
}
