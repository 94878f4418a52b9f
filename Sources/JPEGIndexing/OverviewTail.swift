internal import Dispatch
internal import Synchronization

/// What a reader made of the second half of the compressed data without knowing the first.
// One thread reads, whichever took the work; the other looks at what it made after `end` alone.
final class OverviewTail: @unchecked Sendable {
    private let scanner: EntropyScanner
    private let window: ByteWindow
    private let plan: OverviewPlan
    private let valuesPerMCU: Int
    private let isTaken = Atomic(false)
    private let isDone = DispatchSemaphore(value: 0)
    private var samples = DCRelativeSamples()
    /// The MCUs that were read.
    private(set) var count = 0
    /// Where the first of them begin, and their DC values but for a constant: where the readers meet.
    private(set) var places: [UInt64] = []
    private(set) var predictors: [SIMD4<Int32>] = []

    init(_ scanner: EntropyScanner, _ window: ByteWindow, _ plan: OverviewPlan) {
        self.scanner = scanner
        self.window = window
        self.plan = plan
        valuesPerMCU = scanner.groups.reduce(0) { sum, group in
            let side = plan.components[group.component].side
            return sum + group.blocks * side * side
        }
    }

    /// Whether all was read that the readers may meet in, and nothing that could not be floated.
    var isUsable: Bool { places.count == placeCount && samples.isExact }

    // The reader from the beginning ends with a row: the place where they meet is less than two rows away, but
    // for the MCUs that synchronising takes.
    private var placeCount: Int { 1024 + 2 * scanner.header.mcusPerRow }

    /// Lets another thread read from a byte on, when one has time.
    func start(at byte: Int) {
        DispatchQueue.global().async {
            guard self.take() else { return }
            self.read(from: byte)
            self.isDone.signal()
        }
    }

    /// Waits until nobody reads; what no thread has begun is not begun.
    func end() {
        if !take() { isDone.wait() }
    }

    /// Whether nobody took the work before.
    private func take() -> Bool {
        isTaken.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }

    /// Reads from a byte to the end, where anything can be read from there or from a few places behind it.
    private func read(from start: Int) {
        for attempt in 0..<32 {
            guard let cursor = MCUCursor(scanner, window, near: start + 61 * attempt) else { return }
            read(cursor)
            if places.count == placeCount { return }
        }
    }

    private func read(_ start: MCUCursor) {
        var cursor = start
        samples = DCRelativeSamples(capacity: scanner.header.mcuCount * 9 / 16 * valuesPerMCU)
        count = 0
        places = []
        predictors = []
        while true {
            if places.count < placeCount {
                places.append(cursor.place)
                predictors.append(cursor.state.predictors)
            }
            _ = cursor.readable(1)
            guard scanner.decode(window.data, &cursor.state, plan, to: &samples) else { return }
            count += 1
            guard (try? cursor.passed(1)) != nil else { return }
        }
    }

    /// Sets the samples of an MCU; false where they may not be floated.
    func set(_ number: Int, adding constants: SIMD4<Int32>, to rows: SampleRows, column: Int) -> Bool {
        var index = number * valuesPerMCU
        for group in scanner.groups {
            let component = plan.components[group.component]
            let constant = constants[group.component] &* component.quantization
            let stride = rows.strides[group.component]
            let start = rows.starts[group.component] + column * component.across * component.side
            for y in 0..<component.down {
                for x in 0..<component.across {
                    let place = start + (y * stride + x) * component.side
                    if component.side == 1 {
                        rows[place] = DCRelativeSamples.one(samples.values[index], adding: constant)
                        index += 1
                        continue
                    }
                    for corner in 0..<4 {
                        guard let sample = DCRelativeSamples.four(samples.values[index], adding: constant)
                        else {
                            return false
                        }
                        rows[place + (corner >> 1) * stride + corner & 1] = sample
                        index += 1
                    }
                }
            }
        }
        return true
    }
}
