import Basics
import Files
import Testing

@testable import Containers

@Suite("The tail of a WebP")
struct WebPTailTests {
    private static func chunk(_ type: FourCC, _ count: Int) -> [UInt8] {
        RIFFChunk.bytes(type, [UInt8](repeating: 7, count: count))
    }

    /// The bytes that are put there.
    private static let text = Array("12345678".utf8)

    private static func inserted(into file: [UInt8]) throws -> [UInt8] {
        let tail = try #require(WebPTail(FileBytes(file)))
        let longer = tail.lengthened(file, by: text.count)
        return longer[..<tail.end] + text + longer[tail.end...]
    }

    private static func chunks(_ file: [UInt8], _ range: Range<Int>? = nil) -> [RIFFChunk] {
        var walk = RIFFChunks(FileBytes(file), in: range ?? 12..<file.count)
        var all: [RIFFChunk] = []
        while let chunk = (try? walk.next()) ?? nil { all.append(chunk) }
        return all
    }

    @Test("lies in the chunk of the picture, before metadata", arguments: [10, 11])
    func still(_ count: Int) throws {
        let metadata = Self.chunk("XMP ", 5)
        for type in ["VP8 ", "VP8L"] as [FourCC] {
            let file = RIFFChunk.file("WEBP", Self.chunk("VP8X", 10) + Self.chunk(type, count) + metadata)
            let marked = try Self.inserted(into: file)
            let chunks = Self.chunks(marked)
            #expect(chunks.map(\.type) == ["VP8X", type, "XMP "] && chunks.allSatisfy(\.isWhole))
            #expect(marked[chunks[1].body].suffix(8).elementsEqual(Self.text))
            #expect(
                chunks[1].body.count == count + 8 && marked.suffix(metadata.count).elementsEqual(metadata))
            #expect(RIFFChunk.statedLength(of: FileBytes(marked)) == marked.count)
        }
    }

    @Test("lies in the last frame of an animation")
    func frames() throws {
        let frame = RIFFChunk.bytes(
            "ANMF", [UInt8](repeating: 0, count: 16) + Self.chunk("ALPH", 3) + Self.chunk("VP8 ", 9))
        let marked = try Self.inserted(into: RIFFChunk.file("WEBP", frame + frame))
        let frames = Self.chunks(marked)
        #expect(frames.map(\.body.count) == [frame.count - 8, frame.count] && frames.allSatisfy(\.isWhole))
        let parts = Self.chunks(marked, (frames[1].body.lowerBound + 16)..<frames[1].body.upperBound)
        #expect(parts.map(\.type) == ["ALPH", "VP8 "] && parts[1].body.count == 17)
        #expect(marked[parts[1].body].suffix(8).elementsEqual(Self.text))
    }

    @Test("is not there where the picture is not whole")
    func damaged() {
        let file = RIFFChunk.file("WEBP", Self.chunk("VP8 ", 20))
        for count in 0..<file.count { #expect(WebPTail(FileBytes(Array(file[..<count]))) == nil) }
        #expect(WebPTail(FileBytes(RIFFChunk.file("WEBP", Self.chunk("EXIF", 20)))) == nil)
        #expect(WebPTail(FileBytes(RIFFChunk.file("AVI ", Self.chunk("VP8 ", 20)))) == nil)
    }
}
