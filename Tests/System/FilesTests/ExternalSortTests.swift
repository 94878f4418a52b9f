import Files
import TestSupport
import Testing

@Suite("An external sort")
struct ExternalSortTests {
    @Test("equals a sort in memory, in one run or in many", arguments: [0, 1, 63, 64, 65, 1000, 20_000])
    func equality(_ count: Int) throws {
        var random = SplitMix64(seed: UInt64(count))
        let numbers = (0..<count).map { _ in Int(random.next() % 5000) }
        // The smallest buffer: 64 records.
        var sort = ExternalSort<Int>(memory: 0)
        for number in numbers { try sort.append(number) }
        #expect(sort.count == count)
        var sorted = try sort.sorted()
        var found: [Int] = []
        while let number = try sorted.next() { found.append(number) }
        #expect(found == numbers.sorted())
        #expect(try sorted.next() == nil)
    }
}
