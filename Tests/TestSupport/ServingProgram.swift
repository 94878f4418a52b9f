package import Foundation

/// `viewport serve` as a process of its own, on a free port.
package final class ServingProgram {
    package let process: Process
    package let port: Int
    package let cache: TemporaryFolder

    /// Starts it and waits until clients can connect.
    ///
    /// - Parameter cache: where it keeps what it makes; a folder of its own unless said.
    package init(
        _ program: BuiltProgram, _ arguments: [String], cache: TemporaryFolder? = nil
    ) throws {
        self.cache = try cache ?? TemporaryFolder()
        process = program.process(
            ["serve", "--port", "0", "--json"] + arguments,
            environment: ["XDG_CACHE_HOME": self.cache.url.path])
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        var line = Data()
        while !line.contains(0x0A) {
            let more = pipe.fileHandleForReading.availableData
            guard !more.isEmpty else { throw CocoaError(.executableLoad) }
            line += more
        }
        let said = try JSONSerialization.jsonObject(with: line) as? [String: Any]
        port = said?["port"] as? Int ?? 0
    }

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
        #if canImport(Darwin)
            _ = Darwin.kill(process.processIdentifier, SIGKILL)
        #else
            _ = Glibc.kill(process.processIdentifier, SIGKILL)
        #endif
        process.waitUntilExit()
    }
}
