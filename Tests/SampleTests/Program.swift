import Foundation

/// A built program of this package, run as its users run it.
struct Program {
    let name: String

    struct Result {
        var status: Int32
        var errors: String
    }

    /// Runs the program to its end.
    func run(_ arguments: String...) throws -> Result { try run(arguments) }

    /// Runs the program to its end.
    func run(_ arguments: [String]) throws -> Result {
        let process = Process()
        process.executableURL = try Self.folder.appendingPathComponent(name)
        process.arguments = arguments
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Result(status: process.terminationStatus, errors: String(decoding: text, as: UTF8.self))
    }

    /// The folder of the build: the first one above the running test bundle that holds the program.
    private static var folder: URL {
        get throws {
            for path in CommandLine.arguments {
                var folder = URL(fileURLWithPath: path)
                while folder.path != "/" {
                    folder.deleteLastPathComponent()
                    let program = folder.appendingPathComponent("giant").path
                    var isFolder: ObjCBool = false
                    if FileManager.default.fileExists(atPath: program, isDirectory: &isFolder),
                        !isFolder.boolValue
                    {
                        return folder
                    }
                }
            }
            throw CocoaError(.fileNoSuchFile)
        }
    }
}

/// Lends a folder that is gone afterwards.
func withTemporaryFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("viewport-samples-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}
