import Files
import Foundation
import ViewportGeometry
import ViewportRendering

/// Pictures of one size as a video, which an installed `ffmpeg` encodes.
final class VideoWriter {
    /// The files that hold a video, by their endings.
    enum Container: String {
        case mp4, mov, mkv, webm

        /// What the file is.
        var kind: OutputKind { self == .mp4 || self == .mov ? .movie : .matroska }

        /// ffmpeg's name for it, and how the pictures are encoded.
        fileprivate var arguments: [String] {
            switch self {
            case .mp4: ["-crf", "18", "-movflags", "+faststart", "-f", "mp4"]
            case .mov: ["-crf", "18", "-f", "mov"]
            case .mkv: ["-crf", "18", "-f", "matroska"]
            case .webm: ["-crf", "24", "-b:v", "0", "-row-mt", "1", "-f", "webm"]
            }
        }
    }

    /// The running ffmpeg, what it reads, and the hidden file that it writes.
    private struct Run {
        let process: Process
        let input: FileHandle
        let voice: URL
        let hidden: String
        /// The same for ffmpeg.
        let plain: PlainPath
        let size: PixelSize<OutputGrid>
    }

    private let output: PictureOutput
    private let container: Container
    private let framesPerSecond: Double
    private var run: Run?

    /// - Throws: `VideoError` where there is no ffmpeg.
    init(_ output: PictureOutput, _ container: Container, framesPerSecond: Double) throws {
        self.output = output
        self.container = container
        self.framesPerSecond = framesPerSecond
        let folders = (ProcessEnvironment.variable("PATH") ?? "").split(separator: ":")
        guard folders.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/ffmpeg") }) else {
            throw VideoError.notInstalled(output.path)
        }
    }

    deinit {
        guard let run else { return }
        run.process.terminate()
        run.process.waitUntilExit()
        OutputFile.remove(run.hidden)
        try? FileManager.default.removeItem(at: run.voice)
    }

    func append(_ picture: Picture) throws {
        let run = try run ?? start(picture.size)
        self.run = run
        guard picture.size == run.size else { throw VideoError.size(output.path) }
        do {
            try run.input.write(contentsOf: Data(picture.rgba()))
        } catch is CocoaError {
            throw failure(run)
        }
    }

    /// Waits until ffmpeg has written all, and gives the file its name.
    func finish() throws {
        guard let run else { return }
        try run.input.close()
        run.process.waitUntilExit()
        guard run.process.terminationReason == .exit, run.process.terminationStatus == 0 else {
            throw failure(run)
        }
        try output.publish(run.hidden)
        try? FileManager.default.removeItem(at: run.voice)
        self.run = nil
    }

    private func start(_ size: PixelSize<OutputGrid>) throws -> Run {
        // That it goes away is an error of a write, not the end of this process.
        Interruption.takeClosedPipeAsError()
        let hidden = try output.hiddenPath()
        let plain = PlainPath(hidden)
        let voice = FileManager.default.temporaryDirectory.appendingPathComponent(
            "viewport-\(UUID().uuidString)")
        try Data().write(to: voice)
        let (process, input) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pixel_format", "rgba", "-video_size",
                "\(size.width)x\(size.height)", "-framerate", "\(framesPerSecond)", "-i", "-", "-vf",
                // Players understand halved colors only, which need even sides.
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

    /// What ffmpeg said last, when it has ended.
    private func failure(_ run: Run) -> VideoError {
        try? run.input.close()
        run.process.waitUntilExit()
        let said = (try? String(contentsOf: run.voice, encoding: .utf8)) ?? ""
        let last = said.split(whereSeparator: \.isNewline).last.map(String.init)
        return .failed(output.path, said: last ?? "it stopped")
    }
}

/// Why there is no video.
enum VideoError: ExitCoded, CustomStringConvertible {
    case notInstalled(String)
    case size(String)
    case failed(String, said: String)

    var exit: Exit { .cannotWrite }

    var description: String {
        switch self {
        case .notInstalled(let file):
            "\(file): is written by ffmpeg, which is not installed; install it, or name a .webp, .gif, .apng "
                + "or a folder"
        case .size(let file):
            "\(file): the frames of a video have one size, and the script changes its bounds; name a folder "
                + "instead"
        case .failed(let file, let said):
            "\(file): ffmpeg cannot write it (\(said)); choose another name or make room"
        }
    }
}
