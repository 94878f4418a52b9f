internal import Containers
internal import Files
private import Foundation

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// A video, recognized by its first bytes; image loaders never read it.
struct VideoFile {
    /// The container, by ffmpeg's name.
    enum Container: String, Sendable {
        case mov, matroska, avi
    }

    let path: String
    let container: Container

    /// Creates a video; nil if the file is not one or cannot be read.
    init?(_ path: String) {
        guard let head = try? InputFile.prefix(FileType.headLength, of: path),
            let container = FileType(head: head).flatMap(Container.init)
        else { return nil }
        self.path = path
        self.container = container
    }
}

extension VideoFile.Container {
    fileprivate init?(_ type: FileType) {
        switch type.name {
        case "mkv", "webm": self = .matroska
        case "avi": self = .avi
        case "mov", "mp4": self = .mov
        default: return nil
        }
    }
}

extension VideoFile {
    /// Passes an image file of the frame at a tenth of the duration to a body.
    ///
    /// If the duration is unknown, it is the frame after one second; if there is none, the first frame. It is upright
    /// and has square pixels.
    ///
    /// - Throws: `ThumbnailError.noFFmpeg` or `.video`, or what `body` throws.
    func withFrame<R>(_ body: (_ path: String) throws -> R) throws -> R {
        let plain = PlainPath(path)
        defer { withExtendedLifetime(plain) {} }
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appendingPathComponent("viewport-\(UUID().uuidString)")
        try manager.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? manager.removeItem(at: folder) }
        let picture = folder.appendingPathComponent("frame.png").path
        let times = [duration(plain) / 10, 0]
        var complaint = ""
        for time in times {
            complaint =
                try FFmpeg.run("ffmpeg", frameArguments(plain, at: time, to: picture), for: path)
                ?? "no frame"
            if manager.fileExists(atPath: picture) { return try body(picture) }
        }
        throw ThumbnailError.video(file: path, detail: complaint)
    }

    /// The duration in seconds; 10 if it is unknown.
    private func duration(_ plain: PlainPath) -> Double {
        let arguments =
            input + ["-show_entries", "format=duration", "-of", "csv=p=0", "-i", "file:\(plain.path)"]
        let answer = try? FFmpeg.run("ffprobe", ["-v", "error"] + arguments, for: path)
        let seconds = answer.flatMap(Double.init) ?? 10
        return seconds.isFinite && seconds > 0 ? seconds : 0
    }

    /// Options that limit ffmpeg to this container and file: a playlist could name others.
    private var input: [String] { ["-protocol_whitelist", "file", "-f", container.rawValue] }

    private func frameArguments(_ plain: PlainPath, at time: Double, to picture: String) -> [String] {
        // Exact arithmetic and one thread give the same picture on every machine.
        let scaling = "scale=w=iw*sar:h=ih:flags=bicubic+accurate_rnd+full_chroma_int+bitexact"
        return ["-nostdin", "-v", "error", "-threads", "1"] + input
            + ["-ss", "\(time)", "-i", "file:\(plain.path)", "-map", "0:v:0", "-frames:v", "1"]
            + ["-vf", "\(scaling),setsar=1,format=rgb24", "-bitexact", "-c:v", "png", "-f", "image2"]
            + ["-update", "1", "-y", "file:\(picture)"]
    }
}

/// The installed programs of ffmpeg.
enum FFmpeg {
    /// Runs one of the programs and blocks the calling thread.
    ///
    /// - Returns: the last line of its output or its errors.
    /// - Throws: `ThumbnailError.noFFmpeg` if it is not installed, `.video` if it does not end.
    static func run(_ name: String, _ arguments: [String], for file: String) throws(ThumbnailError) -> String?
    {
        let process = Process()
        let voice = Pipe()
        // env searches PATH.
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
        DispatchQueue(label: "viewport.deadline").asyncAfter(deadline: .now() + timeout, execute: end)
        let said = tail(of: voice.fileHandleForReading)
        // It has closed its outputs and exits.
        end.cancel()
        process.waitUntilExit()
        guard process.terminationReason == .exit else {
            throw .video(file: file, detail: "\(name) crashed or took longer than \(Int(timeout)) s")
        }
        if process.terminationStatus == notFound { throw .noFFmpeg(file: file) }
        return said.split(whereSeparator: \.isNewline).last.map(String.init)
    }

    /// The time limit of a frame in seconds.
    private static let timeout = 60.0

    /// The exit code of `env` for a missing program.
    private static let notFound: Int32 = 127

    /// Reads to the end and keeps the last bytes: a damaged video can cause gigabytes of errors.
    private static func tail(of handle: FileHandle) -> String {
        let limit = 1 << 14
        var tail = Data()
        while let bytes = try? handle.read(upToCount: limit), !bytes.isEmpty {
            tail = Data((tail + bytes).suffix(limit))
        }
        return String(decoding: tail, as: UTF8.self)
    }
}
