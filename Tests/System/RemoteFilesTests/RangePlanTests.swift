import Testing

@testable import RemoteFiles

@Suite("A plan of requests")
struct RangePlanTests {
    @Test("does not bring most of a file for a few bytes, where a host sends one range")
    func farApart() {
        let ranges = (0..<400).map { ($0 * 360_000)..<($0 * 360_000 + 200) }
        #expect(RangePlan.groups(ranges, mostRanges: 1) == ranges.map { [$0] })
        let near = (0..<400).map { ($0 * 5000)..<($0 * 5000 + 200) }
        #expect(RangePlan.groups(near, mostRanges: 1).count <= 12)
    }

    @Test("joins ranges with small gaps, and keeps the order")
    func joins() {
        let ranges = [1000..<1100, 0..<10, 12..<20, 1100..<1200]
        #expect(ranges.joined(gap: 2) == [0..<20, 1000..<1200])
    }

    @Test("subtracts a range from others")
    func subtracts() {
        let ranges = [0..<10, 20..<30]
        #expect(ranges.subtracting(5..<25) == [0..<5, 25..<30])
        #expect(ranges.subtracting(0..<30) == [])
        #expect(ranges.subtracting(7..<7) == ranges)
        #expect(ranges.subtracting(40..<50) == ranges)
    }

    @Test("asks for a hundred rows in at most four requests")
    func rows() {
        let rows = (0..<96).map { $0 * 62_000..<($0 * 62_000 + 6300) }
        let several = RangePlan.groups(rows, mostRanges: 100)
        #expect(several.count <= 4)
        #expect(several.flatMap(\.self) == rows)
        let single = RangePlan.groups(rows, mostRanges: 1)
        #expect(single.allSatisfy { $0.count == 1 })
        #expect(single.count <= 12)
        #expect(rows.allSatisfy { row in single.contains { $0[0].lowerBound <= row.lowerBound } })
    }
}
