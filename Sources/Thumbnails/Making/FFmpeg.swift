private import Foundation

/// The installed programs that can show videos.
enum FFmpeg {
    /// Runs one of the programs to its end, on the calling thread, which it blocks.
    ///
    /// - Returns: the last line that it says, be it an answer or a complaint.
    /// - Throws: `ThumbnailError.noFFmpeg` where it is not installed, `.video` where it does not end.
    static func run(_ name: String, _ arguments: [String], for file: String) throws(ThumbnailError) -> String?
    {
        let process = Process()
        let voice = Pipe()
        // It looks for the program where a shell would.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = voice
        process.standardError = voice
        do {
            try process.run()
        } catch {
            throw .video(file: file, detail: "\(name) does not start: \(error.localizedDescription)")
        }
        let identifier = process.processIdentifier
        let end = DispatchWorkItem { _ = kill(identifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + timeout, execute: end)
        let said = tail(of: voice.fileHandleForReading)
        // It has closed its outputs, so it ends at once.
        end.cancel()
        process.waitUntilExit()
        guard process.terminationReason == .exit else {
            throw .video(file: file, detail: "\(name) stopped or takes longer than \(Int(timeout)) s")
        }
        if process.terminationStatus == notFound { throw .noFFmpeg(file: file) }
        return said.split(whereSeparator: \.isNewline).last.map(String.init)
    }

    /// The seconds that a frame may take.
    private static let timeout = 60.0

    /// What `env` answers where there is no such program.
    private static let notFound: Int32 = 127

    /// The last that comes until the end: a broken video can fill gigabytes with complaints.
    private static func tail(of handle: FileHandle) -> String {
        let limit = 1 << 14
        var tail = Data()
        while let bytes = try? handle.read(upToCount: limit), !bytes.isEmpty {
            tail = Data((tail + bytes).suffix(limit))
        }
        return String(decoding: tail, as: UTF8.self)
    }
}
