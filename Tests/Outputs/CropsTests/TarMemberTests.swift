import Archives
import Foundation
import TestSupport
import Testing

@Suite("Tar archives")
struct TarMemberTests {
    @Test("are what tar reads", arguments: [0, 1, 511, 512, 513, 70_000])
    func read(_ count: Int) async throws {
        let folder = try TemporaryFolder()
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let long = String(repeating: "n", count: 96) + ".jpg"
        let bytes =
            TarMember.bytes("0001.jpg", content) + TarMember.bytes(long, [1, 2, 3]) + TarMember.end
        #expect(bytes.count % 512 == 0)
        try Data(bytes).write(to: folder.url.appendingPathComponent("a.tar"))
        let tar = try #require(BuiltProgram(installed: "tar"))
        let result = try await tar.run(["-xvf", "a.tar"], in: folder.url)
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(try folder.data("0001.jpg") == Data(content))
        #expect(try folder.data(long) == Data([1, 2, 3]))
        let member = try #require(TarMember(header: Array(bytes[..<512])))
        #expect(member == TarMember(name: "0001.jpg", size: count) && member.header == Array(bytes[..<512]))
    }

    @Test("have no member where a byte of a header is another one")
    func damaged() {
        let header = TarMember(name: "a", size: 5).header
        // The last byte of the checksum's field is not part of the number.
        for index in header.indices where index != 155 {
            var other = header
            other[index] ^= 0x11
            #expect(TarMember(header: other) == nil, "\(index)")
        }
    }
}
