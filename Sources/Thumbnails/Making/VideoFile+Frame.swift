private import Files

#if canImport(FoundationEssentials)
    private import FoundationEssentials
#else
    private import Foundation
#endif

extension VideoFile {
    /// Lends a picture file of the frame at a tenth of the duration; of the first second where nobody knows the
    /// duration, and of the first frame where there is none at that time.
    ///
    /// Upright and with square pixels, as ffmpeg shows it.
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

    /// Seconds; 10 where nobody knows.
    private func duration(_ plain: PlainPath) -> Double {
        let arguments =
            input + ["-show_entries", "format=duration", "-of", "csv=p=0", "-i", "file:\(plain.path)"]
        let answer = try? FFmpeg.run("ffprobe", ["-v", "error"] + arguments, for: path)
        let seconds = answer.flatMap(Double.init) ?? 10
        return seconds.isFinite && seconds > 0 ? seconds : 0
    }

    /// Only this container and only this file: a playlist could name others.
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
