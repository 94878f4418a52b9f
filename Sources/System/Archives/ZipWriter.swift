internal import Basics
internal import Checksums

/// The records of a ZIP archive whose files are stored as they are and follow each other.
///
/// The caller writes each record and the bytes of each file, in order. Names are UTF-8. Files, archives and directories
/// may be of any size (ZIP64). Source: PKWARE's APPNOTE 6.3.9.
package struct ZipWriter {
    /// A file of the archive.
    package struct Entry: Sendable {
        fileprivate let name: [UInt8]
        /// The time and the date as MS-DOS stored them.
        fileprivate let stamp: (time: UInt16, date: UInt16)
        /// Whether its size may be 4 GiB or more.
        fileprivate let isLarge: Bool
        /// Whether its size and checksum follow its bytes.
        fileprivate var isStreamed = true
        fileprivate var sum: UInt32 = 0
        fileprivate var count = 0
        fileprivate var offset = 0

        /// - Parameters:
        ///   - name: the path, with "/" between folders; of at most 65,535 bytes.
        ///   - clock: the wall clock of its date; nil, or before 1980 or after 2107, for the first moment that ZIP can
        ///     store.
        ///   - isLarge: whether its size may be 4 GiB or more.
        package init(name: String, clock: Clock? = nil, isLarge: Bool = false) {
            self.name = Array(name.utf8.prefix(0xFFFF))
            stamp = clock?.stored ?? (0, 0x21)
            self.isLarge = isLarge
        }
    }

    /// A time of day of a date.
    package struct Clock: Sendable {
        private let date: (year: Int, month: Int, day: Int)
        private let time: (hour: Int, minute: Int, second: Int)

        package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
            (date, time) = ((year, month, day), (hour, minute, second))
        }

        fileprivate var stored: (time: UInt16, date: UInt16)? {
            guard (1980...2107).contains(date.year) else { return nil }
            return (
                UInt16(time.hour << 11 | time.minute << 5 | min(time.second, 59) / 2),
                UInt16((date.year - 1980) << 9 | date.month << 5 | date.day)
            )
        }
    }

    private var entries: [Entry] = []
    /// The number of bytes so far, of records and files.
    package private(set) var count = 0

    /// The size from which numbers of 32 bits do not suffice.
    package static let large = 0xFFFF_FFFF

    package init() {}

    /// Returns the record before a file's bytes, whose number and checksum are known.
    package mutating func begin(_ entry: Entry, count: Int, sum: UInt32) -> [UInt8] {
        var entry = entry
        (entry.isStreamed, entry.count, entry.sum) = (false, count, sum)
        let record = start(entry)
        self.count += count
        return record
    }

    /// Returns the record before the bytes of a file, which are noted by `add` and ended by `end`.
    package mutating func begin(_ entry: Entry) -> [UInt8] { start(entry) }

    /// Notes the next bytes of the file that was begun.
    package mutating func add(_ bytes: Span<UInt8>) {
        let last = entries.count - 1
        entries[last].sum = CRC32.of(bytes, after: entries[last].sum)
        skip(bytes.count)
    }

    /// Notes a number of bytes whose checksum is not needed, to compute the length of an archive.
    package mutating func skip(_ count: Int) {
        entries[entries.count - 1].count += count
        self.count += count
    }

    /// Returns the record behind the bytes of the file that was begun.
    package mutating func end() -> [UInt8] {
        guard let entry = entries.last else { return [] }
        var record = ByteWriter(.little, [0x50, 0x4B, 7, 8])
        record.append(entry.sum)
        for _ in 0..<2 { record.append(entry.count, size: entry.isLarge ? 8 : 4) }
        return counted(record.bytes)
    }

    /// Returns the directory behind the last file.
    ///
    /// - Parameter comment: the number of bytes that the caller writes behind it.
    package mutating func finish(comment: Int = 0) -> [UInt8] {
        let start = count
        var record = ByteWriter(.little)
        for entry in entries {
            let isFar = entry.offset >= Self.large
            let numbers = (entry.isLarge ? [entry.count, entry.count] : []) + (isFar ? [entry.offset] : [])
            let extra = numbers.isEmpty ? [] : Self.extra(numbers)
            // Made on Unix, with the permissions of a file.
            record.append(contentsOf: [0x50, 0x4B, 1, 2, 45, 3])
            record.append(contentsOf: Self.head(entry, isInDirectory: true))
            record.append(extra.count, size: 2)
            record.append(0, size: 6)
            record.append(0o100644 << 16, size: 4)
            record.append(isFar ? Self.large : entry.offset, size: 4)
            record.append(contentsOf: entry.name)
            record.append(contentsOf: extra)
        }
        let (number, size, end) = (entries.count, record.bytes.count, start + record.bytes.count)
        if number >= 0xFFFF || end >= Self.large {
            record.append(contentsOf: [0x50, 0x4B, 6, 6])
            record.append(44, size: 8)
            record.append(contentsOf: [45, 3, 45, 0])
            record.append(0, size: 8)
            for value in [number, number, size, start] { record.append(value, size: 8) }
            record.append(contentsOf: [0x50, 0x4B, 6, 7])
            record.append(0, size: 4)
            record.append(end, size: 8)
            record.append(1, size: 4)
        }
        record.append(contentsOf: [0x50, 0x4B, 5, 6, 0, 0, 0, 0])
        for _ in 0..<2 { record.append(min(number, 0xFFFF), size: 2) }
        for value in [size, start] { record.append(min(value, Self.large), size: 4) }
        record.append(comment, size: 2)
        return counted(record.bytes)
    }

    private mutating func start(_ entry: Entry) -> [UInt8] {
        var entry = entry
        entry.offset = count
        entries.append(entry)
        var record = ByteWriter(.little, [0x50, 0x4B, 3, 4])
        record.append(contentsOf: Self.head(entry, isInDirectory: false))
        let extra = entry.isLarge ? Self.extra([0, 0]) : []
        record.append(extra.count, size: 2)
        record.append(contentsOf: entry.name)
        record.append(contentsOf: extra)
        return counted(record.bytes)
    }

    private mutating func counted(_ bytes: [UInt8]) -> [UInt8] {
        count += bytes.count
        return bytes
    }

    /// The extra field of numbers of 64 bits.
    private static func extra(_ numbers: [Int]) -> [UInt8] {
        var field = ByteWriter(.little)
        field.append(1, size: 2)
        field.append(8 * numbers.count, size: 2)
        for number in numbers { field.append(number, size: 8) }
        return field.bytes
    }

    /// The fields that both records of a file share, from the version to the length of the name.
    private static func head(_ entry: Entry, isInDirectory: Bool) -> [UInt8] {
        var head = ByteWriter(.little)
        let needs64 = entry.isLarge || isInDirectory && entry.offset >= large
        // The name is UTF-8 (0x800), sizes follow the bytes (8); stored.
        let flags = entry.isStreamed ? 0x0808 : 0x0800
        for value in [needs64 ? 45 : 20, flags, 0] { head.append(value, size: 2) }
        head.append(entry.stamp.time)
        head.append(entry.stamp.date)
        let isKnown = isInDirectory || !entry.isStreamed
        head.append(isKnown ? entry.sum : 0)
        let size = entry.isLarge ? large : isKnown ? entry.count : 0
        for _ in 0..<2 { head.append(size, size: 4) }
        head.append(entry.name.count, size: 2)
        return head.bytes
    }
}
