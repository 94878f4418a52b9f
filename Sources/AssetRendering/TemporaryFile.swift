internal import Files
internal import Synchronization

/// A file that is there while it is used.
enum TemporaryFile {
    private static let number = Atomic(0)

    static func with<R>(_ bytes: [UInt8], ending: String, _ body: (_ path: String) throws -> R) throws -> R {
        let folder = ProcessEnvironment.temporaryFolder
        let number = number.wrappingAdd(1, ordering: .relaxed).newValue
        let path = "\(folder)/viewport-\(ProcessEnvironment.process)-\(number).\(ending)"
        try OutputFile.write(bytes, to: path)
        defer { OutputFile.remove(path) }
        return try body(path)
    }
}
