import Basics
import Containers
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@testable import ImageReading

@Suite("A file of an unusual kind")
struct UnsupportedKindTests {
    private static func error(_ file: [UInt8]) -> RenderingError? {
        do {
            let image = try ImageFile(bytes: file, name: "file")
            let viewport = Viewport(
                imageRect: Rect(origin: .zero, size: image.uprightSize.imageSize), scale: 1)
            _ = try ViewportRenderer().renderSynchronously(viewport, of: image)
        } catch let error as RenderingError {
            return error
        } catch {}
        return nil
    }

    private static func jpeg() throws -> [UInt8] {
        let row = (0..<40).flatMap { x in [UInt8](repeating: UInt8(5 * x), count: 3) }
        let rows = (0..<24).flatMap { _ in row }
        return try PictureEncoder(.jpg).encodeSynchronously(Picture(width: 40, height: 24, rgb: rows))
    }

    /// Returns the position of the marker of the frame.
    private static func frame(_ jpeg: [UInt8]) throws -> Int {
        try #require(jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
    }

    @Test("is named, with a program that decodes it")
    func named() throws {
        var deep = try Self.jpeg()
        let frame = try Self.frame(deep)
        deep[frame + 4] = 12
        let error = try #require(Self.error(deep))
        guard case .unsupported(_, "a JPEG of 12 bits per sample", let converter) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(converter.contains("djpeg") && !error.lacksBytes)
        #expect(
            "\(error)" == "file: is a JPEG of 12 bits per sample, which the installed libraries do not decode"
        )
        var lossless = try Self.jpeg()
        lossless[frame + 1] = 0xC3
        #expect("\(try #require(Self.error(lossless)))".contains("is a lossless JPEG"))
    }

    @Test("as TIFF is named by its compression", arguments: [(50002, "JPEG XL"), (34712, "JPEG 2000")])
    func tiff(_ compression: Int, _ name: String) throws {
        let file = try PictureEncoder(.tif).encodeSynchronously(
            Picture(width: 40, height: 24, rgb: [UInt8](repeating: 9, count: 40 * 24 * 3)))
        var editor = try #require(TIFFEditor(file))
        let main = try #require(editor.main)
        editor.set(0x0103, in: main, type: 3, to: compression)
        #expect("\(try #require(Self.error(editor.bytes)))".contains("is a TIFF compressed with \(name)"))
    }

    @Test("as JPEG opens with the height behind its scan")
    func lateHeight() throws {
        let whole = try Self.jpeg()
        var late = whole
        let frame = try Self.frame(late)
        late.replaceSubrange((frame + 5)..<(frame + 7), with: [0, 0])
        late.insert(contentsOf: [0xFF, 0xDC, 0, 4, 0, 24], at: late.count - 2)
        func pixels(_ file: [UInt8]) throws -> [UInt8] {
            let image = try ImageFile(bytes: file)
            let viewport = Viewport(
                imageRect: Rect(origin: .zero, size: image.uprightSize.imageSize), scale: 1)
            return try ViewportRenderer().renderSynchronously(viewport, of: image).picture.bytes
        }
        #expect(try pixels(late) == pixels(whole))
        // Without the marker, the height is not known.
        var lost = whole
        lost.replaceSubrange((frame + 5)..<(frame + 7), with: [0, 0])
        #expect(Self.error(lost) != nil)
        for end in late.indices { _ = try? ImageFile(bytes: Array(late[..<end])) }
    }

    /// An AVIF of 16x16 black pixels without colors, in limited range.
    private static let blackDigits = """
        0000001c667479706176696600000000617669666d6966316d696166000000f06d657461000000000000002868646c72
        0000000000000000706963740000000000000000000000006c696261766966000000000e7069746d0000000000010000
        001e696c6f63000000004400000100010000000100000114000000160000002869696e660000000000010000001a696e
        6665020000000001000061763031436f6c6f72000000006869707270000000496970636f000000146973706500000000
        00000010000000100000000e706978690000000001080000000c6176314381001c0000000013636f6c726e636c780001
        000d0006000000001769706d610000000000000001000104010283040000001e6d64617412000a08180cffd86021a0c4
        32081000001e18b3562a
        """

    @Test("as gray AVIF of limited range is black", .enabled(if: PictureFormat.installed.contains(.avif)))
    func limitedGray() throws {
        let black = try #require([UInt8](hexadecimal: Self.blackDigits.filter { !$0.isNewline }))
        let image = try ImageFile(bytes: black)
        let viewport = Viewport(imageRect: Rect(origin: .zero, size: image.uprightSize.imageSize), scale: 1)
        let picture = try ViewportRenderer().renderSynchronously(viewport, of: image).picture
        #expect(picture.bytes.allSatisfy { $0 == 0 })
    }

    @Test("as JPEG 2000 is refused only where the installed decoder makes it gray")
    func highThroughput() {
        func codestream(
            _ width: UInt32, tile: UInt32, isHighThroughput: Bool
        ) -> FileBytes {
            let sizes = [width, 8, 0, 0, tile, 8, 0, 0].flatMap { $0.bytes(.big) }
            let capabilities: [UInt8] = [0xFF, 0x50, 0, 8, 0, isHighThroughput ? 2 : 1, 0, 0, 0, 2]
            return FileBytes(
                [0xFF, 0x4F, 0xFF, 0x51, 0, 41, 0x40, 0] + sizes + [0, 1, 7, 1, 1] + capabilities + [
                    0xFF, 0x90,
                ])
        }
        func isRefused(_ bytes: FileBytes) -> Bool { UnsupportedKind.wronglyDecoded(bytes) != nil }
        #expect(!isRefused(codestream(2000, tile: 2000, isHighThroughput: false)))
        #expect(!isRefused(codestream(2000, tile: 256, isHighThroughput: true)))
        #expect(!isRefused(codestream(500, tile: 500, isHighThroughput: true)))
        // Of the versions of OpenJPEG that Debian has, 2.5.0 and earlier.
        let known = isRefused(codestream(520, tile: 520, isHighThroughput: true))
        #expect(isRefused(codestream(2000, tile: 2000, isHighThroughput: true)) == known)
    }
}
