/// SplitScan a picture several times while its rows come in one by one, from the top.
///
/// Sides are rounded up: the last row or column of an odd number is its own partner. It holds one row of each
/// size.
package final class RowShrinker {
    private let halver: RowHalver
    /// SplitScan what this one makes; nil for the last.
    private let next: RowShrinker?
    /// The row that waits for its partner.
    private var upper: [UInt8] = []
    private var isWaiting = false
    private var half: [UInt8]

    /// - Parameter times: how often it is halved, at least once.
    package init(width: Int, layout: SampleLayout, times: Int) {
        precondition(times >= 1)
        halver = RowHalver(width: width, layout: layout)
        half = [UInt8](repeating: 0, count: halver.halfBytes)
        next = times > 1 ? RowShrinker(width: halver.halfWidth, layout: layout, times: times - 1) : nil
    }

    /// Takes the next row, and lends the row that is complete with it, if one is.
    ///
    /// - Parameter isLast: whether no row of the picture follows.
    package func push(_ row: RawSpan, isLast: Bool, _ body: (RawSpan) throws -> Void) rethrows {
        guard isWaiting || isLast else {
            upper.removeAll(keepingCapacity: true)
            // The bytes are copied before the call returns.
            unsafe row.withUnsafeBytes { unsafe upper.append(contentsOf: $0) }
            isWaiting = true
            return
        }
        if isWaiting {
            isWaiting = false
            try upper.withRow(0..<upper.count) { upper in
                try halver.halve(upper, row, into: &half) { try lend($0, isLast, body) }
            }
        } else {
            try halver.halve(row, row, into: &half) { try lend($0, isLast, body) }
        }
    }

    private func lend(_ made: RawSpan, _ isLast: Bool, _ body: (RawSpan) throws -> Void) rethrows {
        if let next { try next.push(made, isLast: isLast, body) } else { try body(made) }
    }
}
