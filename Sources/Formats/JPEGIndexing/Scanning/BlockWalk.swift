/// Reads up to four chunks at once on one thread.
///
/// Where a code begins is known only once the code before it was looked up, so that one reader waits most of the time.
/// Four of them take turns here, and none has a branch that depends on the data, but for rare codes. It gains a third.
///
/// A round has two parts. `walk` makes a fixed number of steps in each lane: it looks up several codes of a block
/// (T.81, F.2.2.1 and F.2.2.2) by one index, adds the entry to the position and to a count of coefficients, and writes
/// both to a slot. A count behind the last coefficient leads to the next slot. The walk neither makes MCUs nor looks
/// for the end of the data, which is a copy without stuffed zeros (F.1.2.3), with zeros behind it for all steps of a
/// round. `takeMCUs` then checks the slots, adds up DC differences, and reads again what a reduced image needs of a
/// block: where it begins is known. The walk runs over restart markers, which the copy does not have; what it read
/// behind one is dropped.
///
/// Before, one reader at a time decoded values while it passed the codes.
// One thread uses it.
final class BlockWalk {
    /// The chunks that are read at once.
    static let width = 4

    private let lanes: [Lane]

    /// - Parameter capacity: the most bytes that are loaded for a chunk.
    init(_ tables: StepTables, _ plan: ReductionPlan?, capacity: Int) {
        lanes = (0..<Self.width).map { _ in Lane(tables, plan, capacity: capacity) }
    }

    /// Reads some chunks as far as possible.
    func read(_ chunks: [Chunk]) {
        for (lane, chunk) in zip(lanes, chunks) { lane.begin(chunk) }
        while lanes.contains(where: \.isActive) {
            Lane.walk(lanes[0], lanes[1], lanes[2], lanes[3])
            for lane in lanes where lane.isActive { lane.takeMCUs() }
        }
    }
}

/// One of the readers of `BlockWalk`.
// Owned memory, freed in deinit, that steps reach through addresses. They stay inside of it: see `walk`.
@safe private final class Lane {
    /// The last step over the codes of a block's DC value, or of its AC values.
    @safe struct Slot {
        /// The entries of the table for these codes.
        var table: UnsafePointer<UInt32>
        /// The position before the step, less its highest bits.
        var position: UInt32 = 0
        /// What `StepTable` makes of the count of coefficients.
        var count: Int32 = 0
    }

    /// The steps between two looks at what was read.
    private static let steps = 256
    /// Zeros behind the data, for steps of 63 bits at most, and then for the 64 codes of a block with 31 bits at most.
    private static let padding = steps * 8 + 512

    private let tables: StepTables
    private let scanner: EntropyScanner
    private let plan: ReductionPlan?
    private let slotsPerMCU: Int

    private let data: UnstuffedData
    private var chunk: Chunk?
    private var chunkEnd: UInt64 = 0
    /// The number of times that a start turned out not to lead to MCUs.
    private var attempts = 0
    /// The next restart marker.
    private var nextRestart = 0
    /// The DC values of the components, in memory: a vector would be stored in parts and loaded as a whole.
    private let predictors: UnsafeMutablePointer<Int32>
    /// The bits up to the next restart marker.
    private var dataEnd = 0
    /// The MCUs up to there, where there are restart markers.
    private var mcusToRestart = 0

    /// The present MCU and what was read behind it.
    private let slots: UnsafeMutablePointer<Slot>
    /// The position in bits, counted from address 0.
    private var position: UInt
    /// The count of coefficients of the present block, as of `StepTable`.
    private var coefficients = StepTable.first
    /// The slot of the next step.
    private var slot: UnsafeMutablePointer<Slot>

    init(_ tables: StepTables, _ plan: ReductionPlan?, capacity: Int) {
        self.tables = tables
        self.plan = plan
        scanner = tables.scanner
        slotsPerMCU = tables.order.count
        data = UnstuffedData(capacity: capacity, padding: Self.padding)
        // The present MCU, and one slot for each step behind it at most.
        let slotCount = slotsPerMCU + Self.steps + 1
        unsafe slots = .allocate(capacity: slotCount)
        for index in 0..<slotCount {
            // As many as allocated; `tables` owns what they show.
            unsafe (slots + index).initialize(to: Slot(table: tables.order[index % slotsPerMCU].entries))
        }
        unsafe slot = slots
        unsafe predictors = .allocate(capacity: 4)
        // As many as allocated.
        unsafe predictors.initialize(repeating: 0, count: 4)
        position = data.origin
    }

    // Nobody else has the addresses.
    deinit {
        unsafe slots.deallocate()
        unsafe predictors.deallocate()
    }

    var isActive: Bool { chunk != nil }

    /// Makes the steps of a round for four lanes.
    ///
    /// A lane begins a round inside of its data, and ends at most `steps` times 63 bits behind: its padding has as
    /// many. Each step takes one more slot at most. A lane without a chunk makes steps from its first byte on.
    static func walk(_ first: Lane, _ second: Lane, _ third: Lane, _ fourth: Lane) {
        var (a, b, c, d) = (first.position, second.position, third.position, fourth.position)
        var (countA, countB) = (first.coefficients, second.coefficients)
        var (countC, countD) = (third.coefficients, fourth.coefficients)
        var (slotA, slotB) = unsafe (first.slot, second.slot)
        var (slotC, slotD) = unsafe (third.slot, fourth.slot)
        for _ in 0..<steps {
            unsafe step(&a, &countA, slotA)
            unsafe step(&b, &countB, slotB)
            unsafe step(&c, &countC, slotC)
            unsafe step(&d, &countD, slotD)
            // An unknown count lacks a bit that all others have: one branch for four lanes.
            if StepTable.isUnknown(countA & countB & countC & countD) {
                unsafe stepAgain(&a, &countA, slotA)
                unsafe stepAgain(&b, &countB, slotB)
                unsafe stepAgain(&c, &countC, slotC)
                unsafe stepAgain(&d, &countD, slotD)
            }
            unsafe passEnd(&countA, &slotA)
            unsafe passEnd(&countB, &slotB)
            unsafe passEnd(&countC, &slotC)
            unsafe passEnd(&countD, &slotD)
        }
        unsafe first.end(a, countA, slotA)
        unsafe second.end(b, countB, slotB)
        unsafe third.end(c, countC, slotC)
        unsafe fourth.end(d, countD, slotD)
    }

    private func end(_ position: UInt, _ coefficients: Int, _ slot: UnsafeMutablePointer<Slot>) {
        guard isActive else { return }
        self.position = position
        self.coefficients = coefficients
        unsafe self.slot = slot
    }

    /// Passes as many codes as an index of the table holds.
    @inline(__always)
    private static func step(
        _ position: inout UInt, _ coefficients: inout Int, _ slot: UnsafeMutablePointer<Slot>
    ) {
        // The bits of an index are always inside of the table.
        let entry = unsafe slot.pointee.table[StepTable.index(word(position), position)]
        unsafe slot.pointee.position = UInt32(truncatingIfNeeded: position)
        (position, coefficients) = StepTable.step(entry, position, coefficients)
    }

    /// Passes one code instead of several where a block has no such end.
    @inline(__always)
    private static func stepAgain(
        _ position: inout UInt, _ coefficients: inout Int, _ slot: UnsafeMutablePointer<Slot>
    ) {
        guard StepTable.isUnknown(coefficients) else { return }
        let passed = unsafe UInt32(truncatingIfNeeded: position) &- slot.pointee.position
        position &-= UInt(passed)
        (position, coefficients) = unsafe StepTable.stepOne(
            slot.pointee.table, word(position), position, coefficients)
    }

    /// Goes to the next slot if the present one is done.
    @inline(__always)
    private static func passEnd(_ coefficients: inout Int, _ slot: inout UnsafeMutablePointer<Slot>) {
        unsafe slot.pointee.count = Int32(truncatingIfNeeded: coefficients)
        // Ones if the block goes on: computed, or it would be a branch that cannot be predicted.
        let goesOn = (coefficients &- StepTable.full) &>> 63
        coefficients = StepTable.first ^ ((coefficients ^ StepTable.first) & goesOn)
        unsafe slot += 1 &+ goesOn
    }

    /// Four bytes from that of a position on.
    @inline(__always)
    private static func word(_ position: UInt) -> UInt32 {
        // The callers know that these bytes exist.
        unsafe UnsafeRawPointer(bitPattern: position &>> 3).unsafelyUnwrapped
            .loadUnaligned(as: UInt32.self).bigEndian
    }
}

extension Lane {
    /// Begins to read a chunk; stays without one where it has nothing to begin with.
    func begin(_ chunk: Chunk) {
        self.chunk = chunk
        chunkEnd = chunk.end
        attempts = 0
        nextRestart = 0
        data.load(chunk, hasRestarts: scanner.header.restartInterval > 0)
        chunk.read { content in
            if scanner.header.restartInterval == 0 {
                begin(&content, at: 0)
            } else if let first = data.restarts.first {
                // The marker's number sets the count, so that the next markers are expected with theirs.
                let state = passRestart()
                content.begin(at: state.bitPosition, mcu: (Int(first.number) + 1) * mcusToRestart)
                if state.bitPosition >= chunkEnd { finish() }
            } else {
                finish()
            }
        }
    }

    /// Begins at a byte that most likely is not between two MCUs, with DC values counted from 0.
    private func begin(_ content: inout Chunk.Content, at byte: Int) {
        let bitPosition = data.firstBitPosition(byte << 3)
        guard byte < data.count, bitPosition < chunkEnd else { return finish() }
        goOn(at: byte)
        content.begin(at: bitPosition, mcu: 0)
    }

    /// Passes the next restart marker.
    private func passRestart() -> MCUStart {
        let restart = data.restarts[nextRestart]
        nextRestart += 1
        goOn(at: restart.offset)
        mcusToRestart = scanner.header.restartInterval
        return MCUStart(bitPosition: UInt64(restart.end) << 3, predictors: .zero)
    }

    private func finish() {
        chunk = nil
        // Where a round may begin: the others go on.
        goOn(at: 0)
    }

    /// Goes on at a byte, with DC values counted from 0.
    private func goOn(at byte: Int) {
        let restarts = data.restarts
        dataEnd = 8 * (nextRestart < restarts.count ? restarts[nextRestart].offset : data.count)
        // There are four.
        unsafe predictors.update(repeating: 0, count: 4)
        coefficients = StepTable.first
        unsafe slot = slots
        position = data.origin &+ UInt(byte) << 3
    }
}

extension Lane {
    /// Takes the MCUs that were walked over since the last time.
    func takeMCUs() {
        chunk?.read { content in
            switch plan {
            case nil:
                take(to: &content) { _, _, _, _, _ in true }
            case .overview(let plan):
                take(to: &content) { content, group, dc, isFlat, bits in
                    let component = plan.components[group.component]
                    let value = dc &* component.quantization
                    if component.side == 1 {
                        content.samples.append(value)
                    } else if isFlat {
                        content.samples.append(four: value)
                    } else {
                        bits.passDifference(scanner, group)
                        guard let sums = scanner.readSums(group, component, 0, (), &bits) else {
                            return false
                        }
                        content.samples.append(sums, value)
                    }
                    return true
                }
            case .quarter(let plan):
                unsafe content.addQuarters(upTo: (slot - slots) / 2) { content, blocks in
                    take(to: &content) { content, group, dc, isFlat, bits in
                        let codes = plan.components[group.component].codes
                        var lowest = LowestCoefficients()
                        if !isFlat {
                            bits.passDifference(scanner, group)
                            guard
                                let read = LowestCoefficients(codes, bits.buffer)
                                    ?? scanner.readLowest(group, codes, (), &bits)
                            else { return false }
                            lowest = read
                        }
                        // There are not more blocks than pairs of slots.
                        unsafe blocks[content.quarterCount] = lowest.block(dc)
                        content.quarterCount &+= 1
                        return true
                    }
                }
            }
        }
    }

    /// The same, with what to do with the DC value of each block, whether there is no other, and its bits.
    @inline(__always)
    private func take(
        to content: inout Chunk.Content,
        _ read: (inout Chunk.Content, EntropyScanner.Group, Int32, Bool, inout UnstuffedBits) -> Bool
    ) {
        let (groups, slotsPerMCU, slot) = unsafe (scanner.groups, slotsPerMCU, slot)
        var first = unsafe slots
        while unsafe slot - first >= slotsPerMCU {
            var isValid = true
            for index in 0..<slotsPerMCU where StepTable.isUnknown(Int(unsafe first[index].count)) {
                isValid = false
            }
            // Slots behind the present one were written before.
            let isLast = unsafe slot - first == slotsPerMCU
            let end = bit(isLast ? UInt32(truncatingIfNeeded: position) : unsafe first[slotsPerMCU].position)
            guard isValid else { return fail(&content) }
            guard end <= dataEnd else { return finish() }
            for group in groups {
                // DC values are differences from the block before of the same component (T.81, F.1.1.5.1).
                // The components of a frame are four at most.
                var dc = unsafe predictors[group.component]
                for _ in 0..<group.blocks {
                    // Inside of the data, as the end is.
                    var bits = data.bits(at: bit(unsafe first.pointee.position))
                    dc &+=
                        StepTable.difference(unsafe first.pointee.count)
                        ?? Int32(truncatingIfNeeded: scanner.difference(group, bits.buffer).difference)
                    let isFlat = StepTable.isFlat(unsafe first[1].count)
                    guard read(&content, group, dc, isFlat, &bits) else { return fail(&content) }
                    unsafe first += 2
                }
                unsafe predictors[group.component] = dc
            }
            mcusToRestart &-= 1
            let isKept = content.countMCU()
            if mcusToRestart == 0 { return restart(&content, isKept: isKept, behind: end) }
            if isKept {
                let state = MCUStart(
                    bitPosition: data.bitPosition(end),
                    predictors: unsafe SIMD4(predictors[0], predictors[1], predictors[2], predictors[3]))
                content.append(state)
                if state.bitPosition >= chunkEnd { return finish() }
            }
        }
        // What is there of the next MCU goes to the front.
        let rest = unsafe slot - first
        for index in 0..<rest {
            unsafe slots[index].position = first[index].position
            unsafe slots[index].count = first[index].count
        }
        unsafe self.slot = slots + rest
        if bit(UInt32(truncatingIfNeeded: position)) > 8 * data.count { finish() }
    }

    /// Goes on behind the restart marker that must follow the MCU that ends at a bit.
    private func restart(_ content: inout Chunk.Content, isKept: Bool, behind end: Int) {
        let restarts = data.restarts
        // Ones fill up the byte before a marker (T.81, F.1.2.3), and markers are numbered modulo 8 (B.2.1).
        guard nextRestart < restarts.count, restarts[nextRestart].offset == (end + 7) >> 3,
            Int(restarts[nextRestart].number) == (content.nextMCU / scanner.header.restartInterval - 1) & 7
        else { return finish() }
        let state = passRestart()
        guard isKept else { return }
        content.append(state)
        if state.bitPosition >= chunkEnd { finish() }
    }

    /// The bits from the first byte to a position, of which the lowest bits are given.
    @inline(__always)
    private func bit(_ position: UInt32) -> Int {
        Int(position &- UInt32(truncatingIfNeeded: data.origin))
    }

    /// Begins again where the data breaks so early that the start most likely was not one of an MCU.
    private func fail(_ content: inout Chunk.Content) {
        // A reader is in step after 55 MCUs or so. What breaks later is damage of the file,
        // which the reader from the beginning reports when it gets there.
        guard content.states.count <= 64, scanner.header.restartInterval == 0, attempts < 32 else {
            return finish()
        }
        attempts += 1
        // A start inside of a code may lead to what is no code at all: a start some bytes on is in another phase.
        begin(&content, at: 61 * attempts)
    }
}
