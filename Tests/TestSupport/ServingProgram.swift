package import Foundation
private import Platform

/// `viewport serve` as a process of its own, on a free port.
package final class ServingProgram {
    package let process: Process
    package let port: Int
    package let cache: TemporaryFolder

    /// Starts it and waits until clients can connect.
    ///
    /// - Parameter cache: where it keeps what it makes; a folder of its own unless said.
    package convenience init(
        _ program: BuiltProgram, _ arguments: [String], cache: TemporaryFolder? = nil
    ) throws {
        try self.init(cache: cache) { environment in
            program.process(["serve", "--port", "0", "--json"] + arguments, environment: environment)
        }
    }

    /// The same of a process that something else makes: `viewport serve --port 0 --json`, about to be started.
    ///
    /// - Parameter process: gets the environment.
    package init(cache: TemporaryFolder? = nil, _ process: ([String: String]) throws -> Process) throws {
        self.cache = try cache ?? TemporaryFolder()
        self.process = try process(["XDG_CACHE_HOME": self.cache.url.path])
        let pipe = Pipe()
        self.process.standardOutput = pipe
        try self.process.run()
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

    /// Asks it to end and waits for that.
    ///
    /// - Returns: its exit code.
    package func end() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Ends it as a power cut would.
    package func kill() {
        _ = Platform.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
