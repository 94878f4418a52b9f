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
