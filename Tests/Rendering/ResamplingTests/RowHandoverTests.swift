import Resampling
import TestHarness
import Testing

@Suite("Rows that are handed to another thread", .ownThread)
struct RowHandoverTests {
    private struct Failure: Error, Equatable { let row: Int }

    private static let rowBytes = 4000
    private static let rows = 1200

    /// Lends rows that begin with their number.
    private static func read(_ count: Int, to row: (RawSpan) throws -> Void) throws {
        for y in 0..<count {
            var bytes = [UInt8](repeating: 7, count: rowBytes)
            bytes[0] = UInt8(y & 255)
            bytes[1] = UInt8(y >> 8)
            // Bytes have no padding.
            try row(unsafe bytes.span.bytes)
        }
    }

    private static func number(_ row: RawSpan) -> Int {
        // Two bytes of the row.
        unsafe Int(row.unsafeLoad(as: UInt8.self)) + 256
            * Int(row.unsafeLoad(fromByteOffset: 1, as: UInt8.self))
    }

    @Test("arrive all, in order", arguments: [1, 2, 8])
    func order(_ threads: Int) throws {
        nonisolated(unsafe) var numbers: [Int] = []
        try RowHandover.run(
            rowBytes: Self.rowBytes, rows: Self.rows, threads: threads,
            { push in try Self.read(Self.rows, to: push) },
            consume: { row in
                #expect(row.byteCount == Self.rowBytes)
                unsafe numbers.append(Self.number(row))
            })
        #expect(unsafe numbers == Array(0..<Self.rows))
    }

    @Test("end with the error of their reader, after the rows before it", arguments: [1, 2])
    func readingFails(_ threads: Int) {
        nonisolated(unsafe) var count = 0
        #expect(throws: Failure(row: 700)) {
            try RowHandover.run(
                rowBytes: Self.rowBytes, rows: Self.rows, threads: threads,
                { push in
                    try Self.read(700, to: push)
                    throw Failure(row: 700)
                }, consume: { _ in unsafe count += 1 })
        }
        #expect(unsafe count <= 700)
    }

    @Test("end with the error of their consumer, which gets no more of them", arguments: [1, 2])
    func consumingFails(_ threads: Int) {
        nonisolated(unsafe) var last = -1
        #expect(throws: Failure(row: 300)) {
            try RowHandover.run(
                rowBytes: Self.rowBytes, rows: Self.rows, threads: threads,
                { push in try Self.read(Self.rows, to: push) },
                consume: { row in
                    unsafe last = Self.number(row)
                    if unsafe last == 300 { throw Failure(row: 300) }
                })
        }
        #expect(unsafe last == 300)
    }
}
