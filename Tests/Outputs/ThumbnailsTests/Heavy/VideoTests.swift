import Foundation
import TestSupport
import Testing
import Thumbnails
import Vips

/// The program that decodes videos, if installed.
private let ffmpeg = BuiltProgram(installed: "ffmpeg")

@Suite("A thumbnail of a video")
struct VideoTests {
    @Test(
        "is the frame at a tenth of the duration, upright",
        .enabled(if: ffmpeg != nil, "ffmpeg is not installed: videos are NOT tested"),
        arguments: [("mp4", 0), ("mp4", 90), ("mkv", 0), ("avi", 0), ("mov", 0), ("webm", 0)])
    func frame(_ ending: String, _ rotation: Int) async throws {
        let making = try Making()
        let ffmpeg = try #require(ffmpeg)
        let video = making.folder.path("video.\(ending)")
        // Red for 0.5 s, green for 0.5 s, then blue.
        let colors = ["red:d=0.5", "green:d=0.5", "blue:d=4"].map { "color=\($0):s=64x32:r=10" }
        let inputs = colors.flatMap { ["-f", "lavfi", "-i", $0] }
        let codec = ending == "webm" ? "libvpx" : "mpeg4"
        let made = try await ffmpeg.run(
            ["-v", "error"] + inputs + ["-filter_complex", "concat=n=3", "-c:v", codec, video])
        #expect(made.code == 0, "\(made.errors)")
        var path = video
        if rotation != 0 {
            path = making.folder.path("turned.\(ending)")
            let turned = try await ffmpeg.run(
                ["-v", "error", "-i", video, "-c", "copy", "-metadata:s:v", "rotate=\(rotation)", path])
            #expect(turned.code == 0, "\(turned.errors)")
        }
        let set = try making.make(path, ["32", "16"])
        #expect(set.kind == .video)
        let upright = rotation == 0 ? [64, 32] : [32, 64]
        #expect([set.width, set.height] == upright)
        #expect(
            set.thumbnails.map(\.sides) == (rotation == 0 ? [[32, 16], [16, 8]] : [[16, 32], [8, 16]]))
        let samples = try set.thumbnails[0].samples()
        #expect(
            samples[1] > 90 && samples[0] < 40 && samples[2] < 40, "a tenth of it is green: \(samples[..<3])")
        #expect(try making.make(path, ["32", "16"]) == set)
    }

    @Test(
        "that is damaged is an error that names it",
        arguments: [
            [0, 0, 0, 24] + Array("ftypisom".utf8), [0, 0, 0, 8] + Array("moovxxxx".utf8),
            [0x1A, 0x45, 0xDF, 0xA3] + Array("matroska".utf8), Array("RIFF1234AVI LIST".utf8),
        ])
    func broken(_ bytes: [UInt8]) throws {
        let making = try Making()
        let path = making.folder.path("broken.jpg")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: ThumbnailError.self) { try making.make(path, ["32"]) }
        #expect(error?.code == (ffmpeg == nil ? "no-ffmpeg" : "damaged"))
        #expect("\(error!)".hasPrefix("\(path): "))
    }
}
