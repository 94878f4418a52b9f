/// The blocks of some rows of MCUs: which coefficients are not zero, and their values where they are kept.
///
/// Coefficients are in zigzag order.
// Owned memory; one thread at a time uses it, and every run is checked.
@safe final class BlockRows: @unchecked Sendable {
    /// The columns of MCUs.
    let columns: Range<Int>
    /// The rows of MCUs that are in it.
    private(set) var rows = 0..<0
    /// Whether the present rows have values.
    private(set) var hasValues = false
    /// The blocks of each component in an MCU, and those of the components before it.
    private let shapes: [(across: Int, down: Int, before: Int)]
    /// The blocks of a row of MCUs.
    private let rowCount: Int
    private var masks = unsafe UnsafeMutableBufferPointer<UInt64>(start: nil, count: 0)
    private var values = unsafe UnsafeMutableBufferPointer<Int16>(start: nil, count: 0)

    init(_ header: JPEGHeader, columns: Range<Int>) {
        self.columns = columns
        var blocks = 0
        shapes = header.components.indices.map { component in
            let (across, down) = header.blocks(of: component)
            defer { blocks += across * down }
            return (across, down, blocks)
        }
        rowCount = blocks * columns.count
    }

    // Nobody else holds the memory.
    deinit {
        unsafe masks.deallocate()
        unsafe values.deallocate()
    }

    /// Begins with other rows, whose coefficients are all zero.
    func reset(_ rows: Range<Int>, hasValues: Bool) {
        self.rows = rows
        self.hasValues = hasValues
        unsafe Self.clear(&masks, rowCount * rows.count)
        if hasValues { unsafe Self.clear(&values, 64 * rowCount * rows.count) }
    }

    /// Sets memory to zero, which is made larger where needed.
    private static func clear<Number: FixedWidthInteger>(
        _ memory: inout UnsafeMutableBufferPointer<Number>, _ count: Int
    ) {
        if memory.count < count {
            unsafe memory.deallocate()
            unsafe memory = .allocate(capacity: count)
        }
        // Plain numbers need no deinitialization.
        unsafe memory.initialize(repeating: 0)
    }

    /// Some blocks of a line of blocks in a row of MCUs.
    ///
    /// - Parameters:
    ///   - line: The line of blocks within the row.
    ///   - first: The column of the first block in the image.
    func run(_ component: Int, row: Int, line: Int, from first: Int, count: Int) -> BlockRun {
        let (across, down, before) = shapes[component]
        let column = first - columns.lowerBound * across
        precondition(
            rows.contains(row) && line >= 0 && line < down && column >= 0 && count >= 0
                && column + count <= columns.count * across, "blocks outside of the rows")
        let offset =
            (row - rows.lowerBound) * rowCount + (before + line * across) * columns.count + column
        // Checked above; the rows outlive the run, and `reset` has made the memory.
        return unsafe BlockRun(
            masks: masks.baseAddress! + offset, values: hasValues ? values.baseAddress! + 64 * offset : nil,
            count: count)
    }

    /// The lines of blocks of some components in a row of MCUs, in the order of an MCU.
    func lines(
        _ components: some Sequence<Int>, row: Int, _ columns: Range<Int>
    ) -> [(component: Int, across: Int, run: BlockRun)] {
        var lines: [(component: Int, across: Int, run: BlockRun)] = []
        for component in components {
            let (across, down, _) = shapes[component]
            for line in 0..<down {
                let run = run(
                    component, row: row, line: line, from: columns.lowerBound * across,
                    count: columns.count * across)
                lines.append((component, across, run))
            }
        }
        return lines
    }

    /// The memory of a row of MCUs, in bytes.
    static func rowBytes(_ header: JPEGHeader, columns: Int, hasValues: Bool) -> Int {
        header.components.indices.reduce(0) { sum, component in
            let (across, down) = header.blocks(of: component)
            // A mask of 64 bits, and 64 values of 16 bits.
            return sum + across * down * columns * (hasValues ? 136 : 8)
        }
    }
}

/// Blocks next to each other, which `BlockRows` keeps.
// The memory stays in place while the rows live; blocks are checked, coefficients are within their block.
@safe struct BlockRun {
    fileprivate let masks: UnsafeMutablePointer<UInt64>
    fileprivate let values: UnsafeMutablePointer<Int16>?
    let count: Int

    @unsafe fileprivate init(
        masks: UnsafeMutablePointer<UInt64>, values: UnsafeMutablePointer<Int16>?, count: Int
    ) {
        unsafe self.masks = masks
        unsafe self.values = values
        self.count = count
    }

    /// Whether coefficients have values.
    var hasValues: Bool { unsafe values != nil }

    /// The AC coefficients of a block that are not zero.
    @inline(__always)
    subscript(mask block: Int) -> UInt64 {
        get {
            precondition(UInt(bitPattern: block) < UInt(bitPattern: count), "a block outside of the run")
            // Checked above.
            return unsafe masks[block]
        }
        nonmutating set {
            precondition(UInt(bitPattern: block) < UInt(bitPattern: count), "a block outside of the run")
            // Checked above.
            unsafe masks[block] = newValue
        }
    }

    /// A coefficient, of a run with values.
    @inline(__always)
    subscript(block: Int, coefficient: Int) -> Int16 {
        get {
            precondition(UInt(bitPattern: block) < UInt(bitPattern: count), "a block outside of the run")
            // Six bits are always within the block.
            return unsafe values![block &* 64 &+ coefficient & 63]
        }
        nonmutating set {
            precondition(UInt(bitPattern: block) < UInt(bitPattern: count), "a block outside of the run")
            // Six bits are always within the block.
            unsafe values![block &* 64 &+ coefficient & 63] = newValue
        }
    }
}
