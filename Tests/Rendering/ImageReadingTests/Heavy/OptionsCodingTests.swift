import Files
import Foundation
import ImageReading
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering

@Suite("Options of opening, and files, as text")
struct OptionsCodingTests {
    private static var options: OpenOptions {
        var options = OpenOptions()
        (options.page, options.turn, options.maximumPixels) = (3, .left, 1000)
        (options.remote.timeout, options.remote.usesSidecars) = (5, false)
        options.firstRequest = ViewportRequest(.whole(zoom: 0.25))
        return options
    }

    @Test(
        "are equal after encoding and decoding, with equal hashes",
        arguments: [CodedValue(OpenOptions()), CodedValue(options), CodedValue(ImageFormat.jpeg2000)])
    func coding(_ value: CodedValue) throws {
        #expect(try value.isKept)
    }

    @Test("have defaults for what is missing")
    func defaults() throws {
        #expect(try decoded(OpenOptions.self, "{}") == OpenOptions())
        #expect(try decoded(OpenOptions.self, #"{"page":2,"remote":{}}"#).page == 2)
    }

    @Test("are printed without the numbers by which the system knows a file")
    func printing() throws {
        let folder = try TemporaryFolder()
        let picture = try Picture(
            bytes: [UInt8](repeating: 9, count: 18), size: PixelSize(width: 3, height: 2), format: .rgb8)
        let path = folder.path("a.png")
        try Data(PictureEncoder(.png).encodeSynchronously(picture)).write(to: URL(fileURLWithPath: path))
        let file = try ImageFile(path: path)
        #expect("\(file)" == "\(path): 3x2 png")
        let status = try #require(file.identity.status)
        var text = ""
        dump(file, to: &text)
        #expect(!text.contains("inode"))
        #expect(!text.contains("\(status.inode)"))
        #expect(!"\([file])".contains("\(status.inode)"))
    }
}
