import Resampling
import Testing

@Suite("The memory of a picture")
struct PictureMemoryTests {
    /// From nothing to several large pages, and sizes that end within a page.
    private static let sizes = [0, 1, 4095, 2 << 20, (2 << 20) + 1, (9 << 20) + 4097]

    @Test("is zero", arguments: sizes)
    func zeros(_ count: Int) {
        let bytes = [UInt8](zeros: count)
        #expect(bytes.count == count)
        #expect(bytes.allSatisfy { $0 == 0 })
    }

    @Test("has room for all bytes that are appended, and no others", arguments: sizes)
    func room(_ count: Int) {
        var bytes = [UInt8](room: count)
        #expect(bytes.isEmpty && bytes.capacity >= count)
        let capacity = bytes.capacity
        for number in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number)) }
        #expect(bytes.capacity == capacity)
        #expect(bytes.indices.allSatisfy { bytes[$0] == UInt8(truncatingIfNeeded: $0) })
    }
}
