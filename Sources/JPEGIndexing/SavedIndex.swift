package import Files

/// The saved form, version 1.
///
/// All numbers are little-endian:
///
///     0   "JPIX", version (1 byte), components (1 byte), 2 bytes zero
///     8   interval, MCUs in a row, rows (4 bytes each), bytes of places (4 bytes)
///     24  identity: size, modified, head, tail (8 bytes each)
///     56  places: Rice codes of the differences to what neighbors foretell
///     end hash of everything before (8 bytes)
private enum SavedForm {
    static let magic: [UInt8] = Array("JPIX".utf8)
    static let version: UInt8 = 1
    static let headerSize = 56
}

extension JPEGIndex {
    /// The greatest part of a file that its saved index may take.
    public static var greatestShare: Double { 0.0025 }

    /// The index as bytes to keep beside a file.
    ///
    /// Where that would be more than 0.25 % of the file, places between others are left out, down to one for
    /// each row of MCUs.
    public func saved(for identity: JPEGFileIdentity, componentCount: Int) -> [UInt8] {
        var index = self
        var bytes = index.encoded(identity, componentCount)
        while Double(bytes.count) > Self.greatestShare * Double(identity.size), index.placesPerRow > 1 {
            index = index.thinned()
            bytes = index.encoded(identity, componentCount)
        }
        return bytes
    }

    /// The index that `saved` gave; throws `staleIndex` where it is of another file, or damaged.
    public init(
        saved bytes: [UInt8], for identity: JPEGFileIdentity, header: JPEGHeader
    ) throws(JPEGIndexError) {
        guard bytes.count >= SavedForm.headerSize + 8, bytes.starts(with: SavedForm.magic),
            bytes[4] == SavedForm.version, Int(bytes[5]) == header.components.count
        else { throw .staleIndex }
        var reader = LittleEndianReader(bytes[8...])
        let interval = Int(reader.take(4))
        let mcusPerRow = Int(reader.take(4))
        let rows = Int(reader.take(4))
        let length = Int(reader.take(4))
        let found = JPEGFileIdentity(
            size: reader.take(8), modified: Int64(bitPattern: reader.take(8)), head: reader.take(8),
            tail: reader.take(8))
        guard bytes.count == SavedForm.headerSize + length + 8 else { throw .staleIndex }
        var end = LittleEndianReader(bytes[(bytes.count - 8)...])
        guard end.take(8) == FNV1a.hash(bytes.dropLast(8)), found == identity, interval > 0,
            mcusPerRow == header.mcusPerRow, rows == header.mcuRows
        else { throw .staleIndex }
        self.init(interval: interval, rows: rows, mcusPerRow: mcusPerRow)
        try decode(bytes[SavedForm.headerSize..<(SavedForm.headerSize + length)], identity, header)
    }

    /// The same with every second place of each row.
    package func thinned() -> JPEGIndex {
        var result = JPEGIndex(interval: interval * 2, rows: rows, mcusPerRow: mcusPerRow)
        for number in places.indices where number % placesPerRow % 2 == 0 {
            result.places.append(places[number])
            result.predictors.append(predictors[number])
        }
        return result
    }

    private func encoded(_ identity: JPEGFileIdentity, _ components: Int) -> [UInt8] {
        var rice = RiceWriter(kinds: 1 + components)
        var previous: UInt64 = 0
        for number in places.indices {
            let distance = Int(places[number] - previous)
            previous = places[number]
            rice.append(distance - foretoldDistance(number), kind: 0)
            let above = number >= placesPerRow ? predictors[number - placesPerRow] : .zero
            for component in 0..<components {
                rice.append(Int(predictors[number][component]) - Int(above[component]), kind: 1 + component)
            }
        }
        let payload = rice.finish()
        var result = SavedForm.magic + [SavedForm.version, UInt8(components), 0, 0]
        for value in [interval, mcusPerRow, rows, payload.count] { result += littleEndian(UInt64(value), 4) }
        for value in [identity.size, UInt64(bitPattern: identity.modified), identity.head, identity.tail] {
            result += littleEndian(value, 8)
        }
        result += payload
        return result + littleEndian(FNV1a.hash(result[...]), 8)
    }

    private mutating func decode(
        _ payload: ArraySlice<UInt8>, _ identity: JPEGFileIdentity, _ header: JPEGHeader
    ) throws(JPEGIndexError) {
        var rice = RiceReader(payload, kinds: 1 + header.components.count)
        var previous = 0
        for number in 0..<placeCount {
            guard let difference = rice.next(kind: 0) else { throw .staleIndex }
            let (place, overflow) = (previous + foretoldDistance(number)).addingReportingOverflow(difference)
            guard !overflow, place >= max(previous, header.dataStart << 3), place <= Int(identity.size) << 3
            else { throw .staleIndex }
            previous = place
            var values = number >= placesPerRow ? predictors[number - placesPerRow] : .zero
            for component in header.components.indices {
                guard let difference = rice.next(kind: 1 + component),
                    let value = Int16(
                        exactly: Int(values[component]).addingReportingOverflow(difference).partialValue)
                else { throw .staleIndex }
                values[component] = value
            }
            places.append(UInt64(place))
            predictors.append(values)
        }
    }

    /// How far a place is from the one before, as the places on the left and above let expect.
    private func foretoldDistance(_ number: Int) -> Int {
        func distance(_ number: Int) -> Int {
            number > 0 ? Int(places[number] - places[number - 1]) : 0
        }
        let column = number % placesPerRow
        if number < placesPerRow { return number > 1 ? distance(number - 1) : 0 }
        let above = distance(number - placesPerRow)
        // The first distance of a row is that of the last, shorter run of the row above.
        if column < 2 || number == placesPerRow { return number == placesPerRow ? 0 : above }
        return (above + distance(number - 1)) / 2
    }
}

private func littleEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
}

/// Integers from bytes; the caller has checked that they are there.
private struct LittleEndianReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    mutating func take(_ count: Int) -> UInt64 {
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Numbers near zero in few bits: Golomb-Rice codes that follow the numbers' size.
///
/// Source: the adaptation of JPEG-LS (ITU-T T.87, A.3).
private struct RiceParameter {
    private var sum: UInt64 = 32
    private var count: UInt64 = 1

    var bits: Int {
        var bits = 0
        while count << UInt64(bits) < sum, bits < 40 { bits += 1 }
        return bits
    }

    mutating func follow(_ value: UInt64) {
        sum += min(value, 1 << 40)
        count += 1
        guard count == 32 else { return }
        sum /= 2
        count /= 2
    }
}

/// Unary parts longer than this are written as 64 plain bits instead.
private let longestUnary = 24

/// Writes signed numbers, each with the parameter of its kind.
struct RiceWriter {
    private var parameters: [RiceParameter]
    private var bits = BitWriter()

    init(kinds: Int) { parameters = Array(repeating: RiceParameter(), count: kinds) }

    mutating func append(_ value: Int, kind: Int) {
        // 0, -1, 1, -2 as 0, 1, 2, 3.
        let folded = UInt64(bitPattern: Int64(value << 1 ^ value >> 63))
        let low = parameters[kind].bits
        let high = folded >> UInt64(low)
        if high < longestUnary {
            // So many ones, and a zero.
            bits.append(1 << (high + 1) - 2, count: Int(high) + 1)
            appendLow(folded, low)
        } else {
            bits.append(1 << UInt64(longestUnary) - 1, count: longestUnary)
            appendLow(folded, 64)
        }
        parameters[kind].follow(folded)
    }

    private mutating func appendLow(_ value: UInt64, _ count: Int) {
        if count > 32 { bits.append(value >> 32 & (1 << UInt64(count - 32) - 1), count: count - 32) }
        let low = min(count, 32)
        bits.append(value & (1 << UInt64(low) - 1), count: low)
    }

    consuming func finish() -> [UInt8] { bits.finishUnstuffed() }
}

/// Reads what a `RiceWriter` wrote with as many kinds; nil behind the end.
struct RiceReader {
    private var parameters: [RiceParameter]
    private let bytes: ArraySlice<UInt8>
    private var position = 0

    init(_ bytes: ArraySlice<UInt8>, kinds: Int) {
        self.bytes = bytes
        parameters = Array(repeating: RiceParameter(), count: kinds)
    }

    mutating func next(kind: Int) -> Int? {
        let low = parameters[kind].bits
        var high = 0
        while high < longestUnary {
            guard let bit = take(1) else { return nil }
            if bit == 0 { break }
            high += 1
        }
        guard let rest = take(high == longestUnary ? 64 : low) else { return nil }
        let folded = high == longestUnary ? rest : UInt64(high) << UInt64(low) | rest
        parameters[kind].follow(folded)
        return Int(truncatingIfNeeded: folded >> 1) ^ -Int(folded & 1)
    }

    private mutating func take(_ count: Int) -> UInt64? {
        guard position + count <= bytes.count * 8 else { return nil }
        var value: UInt64 = 0
        for _ in 0..<count {
            let byte = bytes[bytes.startIndex + (position >> 3)]
            value = value << 1 | UInt64(byte >> UInt8(7 - (position & 7)) & 1)
            position += 1
        }
        return value
    }
}

/// What tells one state of a file from another without reading all of it.
///
/// Size, modification time, and hashes of the first and the last 4096 bytes.
public struct JPEGFileIdentity: Hashable, Sendable {
    public let size: UInt64
    /// Nanoseconds since 1970.
    public let modified: Int64
    let head: UInt64
    let tail: UInt64

    /// Of a file that was last changed at `modified`, in nanoseconds since 1970.
    public init(_ file: RawSpan, modified: Int64) {
        self = UnsafeByteView.of(file) { data in
            let count = min(data.count, Self.edge)
            return JPEGFileIdentity(
                data.count, modified, data.array(0..<count), data.array((data.count - count)..<data.count))
        }
    }

    /// Of an open file.
    package init(_ file: OpenFile) throws(FileError) {
        let count = min(file.count, Self.edge)
        self.init(
            file.count, Int64(file.status.modified), try file.bytes(0..<count),
            try file.bytes((file.count - count)..<file.count))
    }

    /// The bytes of the head and of the tail.
    private static let edge = 4096

    private init(_ size: Int, _ modified: Int64, _ head: [UInt8], _ tail: [UInt8]) {
        self.init(
            size: UInt64(size), modified: modified, head: FNV1a.hash(head[...]), tail: FNV1a.hash(tail[...]))
    }

    init(size: UInt64, modified: Int64, head: UInt64, tail: UInt64) {
        self.size = size
        self.modified = modified
        self.head = head
        self.tail = tail
    }
}

/// The hash of Fowler, Noll and Vo: finds accidents, not attackers.
enum FNV1a {
    static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
