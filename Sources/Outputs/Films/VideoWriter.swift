internal import Containers
internal import Files
internal import Foundation
internal import PictureEncoding
internal import ViewportGeometry

/// A video of pictures of one size, encoded by an installed `ffmpeg`.
package final class VideoWriter {
    /// The container formats, by file extension.
    package enum Container: String, Sendable {
        case mp4, mov, mkv, webm

        /// The kind of the output file.
        var kind: OutputKind { self == .mp4 || self == .mov ? .movie : .matroska }

        /// ffmpeg's arguments for the container and the encoder.
        fileprivate var arguments: [String] {
            switch self {
            case .mp4: ["-crf", "18", "-movflags", "+faststart", "-f", "mp4"]
            case .mov: ["-crf", "18", "-f", "mov"]
            case .mkv: ["-crf", "18", "-f", "matroska"]
            case .webm: ["-crf", "24", "-b:v", "0", "-row-mt", "1", "-f", "webm"]
            }
        }
    }

    /// A running ffmpeg, its input, and the hidden file that it writes.
    private struct Run {
        let process: Process
        let input: FileHandle
        let voice: URL
        let hidden: String
        /// The same file under a path that ffmpeg accepts.
        let plain: PlainPath
        let size: PixelSize<OutputGrid>
    }

    private let output: MarkedOutput
    private let container: Container
    private let frameRate: FrameRate
    private var run: Run?

    /// - Throws: `FilmError` if ffmpeg is not installed.
    init(_ output: MarkedOutput, _ container: Container, _ frameRate: FrameRate) throws {
        self.output = output
        self.container = container
        self.frameRate = frameRate
        let folders = (ProcessEnvironment.variable("PATH") ?? "").split(separator: ":")
        guard folders.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/ffmpeg") }) else {
            throw FilmError.noFFmpeg(file: output.path)
        }
    }

    deinit {
        guard let run else { return }
        // ffmpeg waits for input otherwise, also after the signal.
        try? run.input.close()
        run.process.terminate()
        run.process.waitUntilExit()
        OutputFile.remove(run.hidden)
        try? FileManager.default.removeItem(at: run.voice)
    }

    /// Adds a frame of four bytes per pixel.
    func append(_ rgba: [UInt8], _ size: PixelSize<OutputGrid>) throws {
        let run = try run ?? start(size)
        self.run = run
        guard size == run.size else { throw FilmError.sizes(file: output.path) }
        do {
            try run.input.write(contentsOf: rgba)
        } catch is CocoaError {
            throw failure(run)
        }
    }

    /// Waits for ffmpeg and publishes the file under its final name.
    func finish() throws {
        guard let run else { return }
        try run.input.close()
        run.process.waitUntilExit()
        guard run.process.terminationReason == .exit, run.process.terminationStatus == 0 else {
            throw failure(run)
        }
        try OutputError.naming(output.path) { () throws(FileError) in try output.publish(run.hidden) }
        try? FileManager.default.removeItem(at: run.voice)
        self.run = nil
    }

    private func start(_ size: PixelSize<OutputGrid>) throws -> Run {
        let hidden = try OutputError.naming(output.path) { () throws(FileError) in try output.hiddenPath() }
        let plain = PlainPath(hidden)
        let voice = FileManager.default.temporaryDirectory.appendingPathComponent(
            "viewport-\(UUID().uuidString)")
        try Data().write(to: voice)
        let (process, input) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pixel_format", "rgba", "-video_size",
                "\(size.width)x\(size.height)", "-framerate", frameRate.text, "-i", "-", "-vf",
                // Players support only 4:2:0 chroma subsampling, which needs even dimensions.
                "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white,scale=out_color_matrix=bt709:out_range=tv,"
                    + "format=yuv420p",
                "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "iec61966-2-1",
                "-fflags", "+bitexact",
            ] + container.arguments + ["file:\(plain.path)"]
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: voice)
        try process.run()
        return Run(
            process: process, input: input.fileHandleForWriting, voice: voice, hidden: hidden, plain: plain,
            size: size)
    }

    /// Returns an error with the last line of ffmpeg's messages, after it has exited.
    private func failure(_ run: Run) -> FilmError {
        try? run.input.close()
        run.process.waitUntilExit()
        let said = (try? String(contentsOf: run.voice, encoding: .utf8)) ?? ""
        let last = said.split(whereSeparator: \.isNewline).last.map(String.init)
        return .ffmpeg(file: output.path, said: last ?? "it stopped")
    }
}
