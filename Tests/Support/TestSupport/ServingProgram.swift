package import Foundation
private import Platform

/// `viewport serve` as a separate process, on a free port.
package final class ServingProgram {
    package let process: Process
    package let port: Int
    package let cache: TemporaryFolder

    /// Starts the server and waits until clients can connect.
    ///
    /// - Parameter cache: The cache folder; nil for a new one.
    package convenience init(
        _ program: BuiltProgram, _ arguments: [String], cache: TemporaryFolder? = nil
    ) throws {
        try self.init(cache: cache) { environment in
            program.process(["serve", "--port", "0", "--json"] + arguments, environment: environment)
        }
    }

    /// Starts a process of `viewport serve --port 0 --json`, and waits until clients can connect.
    ///
    /// - Parameter process: Returns the process, not yet started, for an environment.
    package init(cache: TemporaryFolder? = nil, _ process: ([String: String]) throws -> Process) throws {
        self.cache = try cache ?? TemporaryFolder()
        self.process = try process(["XDG_CACHE_HOME": self.cache.url.path])
        let pipe = Pipe()
        self.process.standardOutput = pipe
        try self.process.start()
        var line = Data()
        while !line.contains(0x0A) {
            let more = pipe.fileHandleForReading.availableData
            guard !more.isEmpty else { throw CocoaError(.executableLoad) }
            line += more
        }
        let said = try JSONSerialization.jsonObject(with: line) as? [String: Any]
        guard let port = said?["port"] as? Int else { throw CocoaError(.coderReadCorrupt) }
        self.port = port
    }

    deinit { if process.isRunning { _ = end() } }

    /// Sends SIGTERM and waits for the end of the process.
    ///
    /// - Returns: The exit code.
    package func end() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Kills the process.
    package func kill() {
        _ = Platform.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
