import Films
import Foundation
import Pictures
import ScrollModel
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("A film")
struct FilmTests {
    @Test(
        "has the form that its name says",
        arguments: [
            ("-", "stream"), ("a.webp", "animation(webp)"), ("a.PNG", "animation(apng)"),
            ("a.gif", "animation(gif)"),
            ("a.mp4", "video(mp4)"), (".mkv", "video(mkv)"), ("frames", "folder"), ("a.mp4/", "folder"),
            ("v1.2", "folder"),
        ])
    func form(_ output: String, _ expected: String) throws {
        let form =
            switch try Film.Form(output) {
            case .stream: "stream"
            case .folder: "folder"
            case .animation(let format): "animation(\(format.rawValue))"
            case .video(let container): "video(\(container.rawValue))"
            }
        #expect(form == expected)
    }

    @Test("is refused under the name of another kind of file", arguments: ["a.avi", "a.jpeg", "b/a.pdf"])
    func otherForm(_ output: String) {
        #expect(throws: FilmError.unknownForm(output: output)) { try Film.Form(output) }
    }

    @Test(
        "is written frame by frame to a folder or a stream, with the same pixels for any number of frames at a time"
    )
    func frames() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.png")
        try TestImages.photo(width: 160, height: 120).save(path, with: "pngsave", [:])
        let file = try ImageFile(path: path)
        let viewports = (0..<5).map { number in
            Viewport(
                imageRect: Rect(x: Double(number) * 3.5, y: 2, width: 64, height: 48),
                size: PixelSize(width: 64, height: 48), isSubpixel: true)
        }
        let output = FilmOutput(path: folder.path("frames"), inputs: [path], overwrites: false) { _ in }
        let film = try Film(of: file, to: output, frameRate: FrameRate(5), background: .transparent)
        for (number, viewport) in viewports.enumerated() { try film.add(viewport, number: number) }
        try film.finish()
        let frames = try FrameFolder(output)
        #expect(frames.numbers == [0, 1, 2, 3, 4])
        #expect(try frames.kept(of: 1..<9) { try film.png(viewports[$0]) } == [1, 2, 3, 4])
        #expect(throws: FilmError.self) { try frames.kept(of: 0..<5) { _ in try film.png(viewports[0]) } }
        #expect(throws: FilmError.longer(folder: frames.path, frame: frames.path(of: 4), count: 4)) {
            try frames.checkEnd(ofFrames: 4)
        }

        var bytes: [UInt8] = []
        let stream = FilmOutput(path: "-", inputs: [path], overwrites: false) { bytes += $0 }
        let raw = try Film(of: file, to: stream, frameRate: FrameRate(5), background: .transparent)
        for (number, viewport) in viewports.enumerated() { try raw.add(viewport, number: number) }
        try raw.finish()
        #expect(bytes.starts(with: Array("YUV4MPEG2 W64 H48 F5:1 ".utf8)))
        #expect(bytes.count > viewports.count * 3 * 64 * 48)
    }

    @Test("has the poses of its file, or names the line of a bad one")
    func keyframes() throws {
        let size = Size<ViewSpace>(width: 640, height: 480)
        let good = #"{"poses":[{"rect":[0,0,4,3],"hold":1},{"center":[10,20],"zoom":2,"easing":"ease-in"}]}"#
        guard case .rects(let poses) = try Keyframes(Array(good.utf8), size: size).poses else {
            Issue.record("there are no rectangles")
            return
        }
        #expect(
            poses.map(\.rect) == [
                Rect(x: 0, y: 0, width: 4, height: 3), Rect(x: -150, y: -100, width: 320, height: 240),
            ])
        #expect(poses.map(\.hold) == [1, 0] && poses[1].easing == .easeIn)
        let turn = #"{"poses":[{"look":[10,-20],"fov":60},{"look":[0,0,5],"duration":2}]}"#
        guard case .looks(let looks) = try Keyframes(Array(turn.utf8), size: size).poses else {
            Issue.record("there are no looks")
            return
        }
        #expect(looks.map(\.look) == [Look(yaw: 10, pitch: -20, fieldOfView: 60), Look(roll: 5)])
        #expect(looks.map(\.duration) == [nil, 2])
        let error = #expect(throws: Keyframes.Invalid.self) {
            try Keyframes(Array("{\"poses\":[{\"rect\":[0,0,4,3]},\n{\"zoom\":1}]}".utf8), size: size)
        }
        #expect(error?.line == 2)
        #expect(error?.reason.hasPrefix("pose 2: ") == true)
    }

    @Test(
        "has a rate of any fraction",
        arguments: [("30", 30, 1), ("29.97", 2997, 100), ("30000/1001", 30000, 1001)])
    func rates(_ text: String, _ numerator: Int, _ denominator: Int) throws {
        let rate = try #require(FrameRate(parsing: text))
        #expect(rate.numerator == numerator && rate.denominator == denominator)
        #expect(FrameRate(parsing: "\(text)x") == nil)
    }
}
