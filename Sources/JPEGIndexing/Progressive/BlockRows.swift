internal import ViewportGeometry

/// The blocks of some rows of MCUs: which coefficients are not zero, and their values where they are kept.
///
/// Coefficients are in zigzag order.
// Owned memory; one thread at a time uses it, and every run is checked.
@safe final class BlockRows: @unchecked Sendable {
    /// The rows of MCUs that there is room for.
    let capacity: Int
    /// The columns of MCUs.
    let columns: Range<Int>
    /// The rows of MCUs that are in it.
    private(set) var rows = 0..<0
    /// Whether the present rows have values.
    private(set) var hasValues = false
    private let shapes: [(across: Int, down: Int, start: Int)]
    private let count: Int
    private let masks: UnsafeMutablePointer<UInt64>
    private var values: UnsafeMutablePointer<Int16>?

    init(_ header: JPEGHeader, columns: Range<Int>, capacity: Int) {
        self.capacity = capacity
        self.columns = columns
        var total = 0
        shapes = header.components.indices.map { component in
            let (across, down) = header.blocks(of: component)
            defer { total += across * down * columns.count * capacity }
            return (across, down, total)
        }
        count = total
        // Freed in deinit; set before it is read.
        unsafe masks = .allocate(capacity: total)
    }

    // Nobody else holds the memory.
    deinit {
        unsafe masks.deallocate()
        unsafe values?.deallocate()
    }

    /// Begins with other rows, whose coefficients are all zero.
    func reset(_ rows: Range<Int>, hasValues: Bool) {
        precondition(rows.count <= capacity, "more rows than there is room for")
        self.rows = rows
        self.hasValues = hasValues
        // All of the memory.
        unsafe masks.initialize(repeating: 0, count: count)
        guard hasValues else { return }
        if unsafe values == nil { unsafe values = .allocate(capacity: 64 * count) }
        unsafe values!.initialize(repeating: 0, count: 64 * count)
    }

    /// Some blocks of a line of blocks in a row of MCUs.
    ///
    /// - Parameters:
    ///   - line: The line of blocks within the row.
    ///   - first: The column of the first block in the image.
    func run(_ component: Int, row: Int, line: Int, from first: Int, count: Int) -> BlockRun {
        let (across, down, start) = shapes[component]
        let column = first - columns.lowerBound * across
        precondition(
            rows.contains(row) && line >= 0 && line < down && column >= 0 && count >= 0
                && column + count <= columns.count * across, "blocks outside of the rows")
        let offset =
            start + ((row - rows.lowerBound) * down + line) * columns.count * across + column
        // Checked above; the rows outlive the run.
        return unsafe BlockRun(
            masks: masks + offset, values: hasValues ? values.map { unsafe $0 + 64 * offset } : nil,
            count: count)
    }

    /// The memory of a row of MCUs, in bytes.
    static func rowBytes(_ header: JPEGHeader, columns: Int, hasValues: Bool) -> Int {
        header.components.indices.reduce(0) { sum, component in
            let (across, down) = header.blocks(of: component)
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
