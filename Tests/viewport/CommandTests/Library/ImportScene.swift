import Foundation
import TestSupport
import Testing

/// A library and a memory card in a temporary folder, used through the built program.
struct ImportScene {
    let folder: TemporaryFolder
    let program = BuiltProgram("viewport")

    init() throws { folder = try TemporaryFolder() }

    var library: String { folder.path("library") }
    var card: String { folder.path("card") }
    var environment: [String: String] {
        ["XDG_DATA_HOME": folder.path("data"), "XDG_CACHE_HOME": folder.path("cache")]
    }

    func run(_ command: String, _ arguments: String...) async throws -> BuiltProgram.Result {
        try await program.run(["library", command, library] + arguments, environment: environment)
    }

    func put(_ path: String, _ bytes: [UInt8], modified: Int? = nil) throws {
        let url = folder.url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        // Written in place, so that the inode does not change.
        if !FileManager.default.fileExists(atPath: url.path) {
            try Data().write(to: url)
        }
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
        if let modified { try date(path, modified) }
    }

    func date(_ path: String, _ seconds: Int) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: Double(seconds))], ofItemAtPath: folder.path(path)
        )
    }

    func link(_ path: String, to other: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(path), withDestinationPath: folder.path(other))
    }

    /// Returns the visible files below a folder by their paths.
    func contents(_ name: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for path in folder.files(below: name) where !path.hasPrefix(".") && !path.contains("/.") {
            contents[path] = try folder.data("\(name)/\(path)")
        }
        return contents
    }

    static func photo(_ salt: UInt64, day: Int = 25) -> [UInt8] {
        TinyPhoto.jpeg(date: "2014:05:\(day) 10:00:00", salt: salt)
    }

    /// Writes a file at a path below the folder, whose bytes are taken as they are.
    func write(_ path: String, _ bytes: [UInt8]) throws {
        let file = "\(folder.url.path)/\(path)"
        let parent = file.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(file[..<$0]) } ?? file
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try #require(FileManager.default.createFile(atPath: file, contents: Data(bytes)))
    }

    /// The visible files below a folder by the bytes of their paths.
    func files(_ name: String) -> [[UInt8]: [UInt8]] {
        let root = "\(folder.url.path)/\(name)"
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
        return paths.reduce(into: [:]) { files, path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")
            let type = attributes?[.type] as? FileAttributeType
            guard !path.hasPrefix("."), type == .typeRegular else { return }
            files[Array(path.utf8)] = FileManager.default.contents(atPath: "\(root)/\(path)").map {
                Array($0)
            }
        }
    }

    /// The hidden files below a folder, other than those of the catalog.
    func hiddenFiles(_ name: String) -> [String] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path(name))) ?? []
        return paths.filter { $0.split(separator: "/").last?.hasPrefix(".") == true }
            .filter { !$0.hasPrefix(".viewport-library") }.sorted()
    }

    /// Runs a shell script with its own mounts: "$1" is the program, "$2" the library, "$3" the folder of the test.
    func runMounting(_ script: String) async throws -> BuiltProgram.Result {
        try await #require(BuiltProgram(installed: "unshare")).run(
            ["-rm", "sh", "-c", script, "-", program.url.path, library, folder.url.path],
            environment: environment)
    }

    /// Whether this process may mount file systems in a separate namespace.
    static let mounts: Bool = {
        guard let unshare = BuiltProgram(installed: "unshare") else { return false }
        let process = unshare.process(["-rm", "mount", "-t", "tmpfs", "x", "/mnt"])
        process.standardError = FileHandle.nullDevice
        guard (try? process.start()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}
