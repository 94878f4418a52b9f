internal import Basics
internal import Checksums
internal import Files

/// The directory at the end of a ZIP archive.
struct ZipDirectory {
    /// The position of its first byte.
    private(set) var start = 0
    /// All entries, folders too.
    private(set) var entries: [ZipArchive.Entry] = []

    init(_ file: OpenFile) throws(ZipError.Fault) {
        let end = try Self.end(of: file)
        guard end.start >= 0, end.size >= 0, end.start <= end.limit, end.size <= end.limit - end.start,
            end.count <= end.size / 46
        else { throw .brokenDirectory(entry: 0) }
        start = end.start
        let bytes = try Self.read(file, end.start..<(end.start + end.size))
        entries.reserveCapacity(end.count)
        var position = 0
        for number in 0..<end.count {
            guard let (entry, next) = Self.entry(bytes, position) else {
                throw .brokenDirectory(entry: number)
            }
            entries.append(entry)
            position = next
        }
    }

    private struct End {
        var start: Int
        var size: Int
        var count: Int
        /// The position of the record that states these.
        var limit: Int
    }

    private static func read(_ file: OpenFile, _ range: Range<Int>) throws(ZipError.Fault) -> [UInt8] {
        do throws(FileError) {
            return try file.bytes(range)
        } catch {
            throw .unreadable(error.description)
        }
    }

    /// Finds the last record, which a comment of 65,535 bytes at most follows.
    private static func end(of file: OpenFile) throws(ZipError.Fault) -> End {
        let from = max(0, file.count - 22 - 0xFFFF)
        let tail = try read(file, from..<file.count)
        guard
            let at = stride(from: tail.count - 22, through: 0, by: -1).first(where: { at in
                tail.uint32(at: at, .little) == 0x0605_4B50
                    && tail.uint16(at: at + 20, .little) == tail.count - at - 22
            })
        else { throw .noDirectory }
        func number(_ size: Int, _ offset: Int) -> Int { tail.unsigned(size, at: at + offset, .little) ?? -1 }
        var end = End(start: number(4, 16), size: number(4, 12), count: number(2, 10), limit: from + at)
        let isLarge = end.start == 0xFFFF_FFFF || end.size == 0xFFFF_FFFF || end.count == 0xFFFF
        if isLarge, from + at >= 20 {
            let locator = try read(file, (from + at - 20)..<(from + at))
            if locator.uint32(at: 0, .little) == 0x0706_4B50 {
                guard locator.uint32(at: 16, .little).map({ $0 <= 1 }) == true else { throw .severalParts }
                return try largeEnd(file, locator.uint64(at: 8, .little) ?? -1, limit: from + at - 20)
            }
        }
        guard number(2, 4) == 0, number(2, 6) == 0, number(2, 8) == end.count else { throw .severalParts }
        end.count = max(0, end.count)
        return end
    }

    /// Reads the record of ZIP64.
    private static func largeEnd(_ file: OpenFile, _ at: Int, limit: Int) throws(ZipError.Fault) -> End {
        guard at >= 0, at <= limit - 56 else { throw .noDirectory }
        let record = try read(file, at..<(at + 56))
        guard record.uint32(at: 0, .little) == 0x0606_4B50 else { throw .noDirectory }
        guard record.uint32(at: 16, .little) == 0, record.uint32(at: 20, .little) == 0 else {
            throw .severalParts
        }
        func number(_ offset: Int) -> Int { record.uint64(at: offset, .little) ?? -1 }
        guard number(32) >= 0 else { throw .brokenDirectory(entry: 0) }
        return End(start: number(48), size: number(40), count: number(32), limit: at)
    }

    /// Reads an entry; nil if it is not complete.
    private static func entry(_ bytes: [UInt8], _ at: Int) -> (entry: ZipArchive.Entry, next: Int)? {
        func number(_ size: Int, _ offset: Int) -> Int? { bytes.unsigned(size, at: at + offset, .little) }
        guard number(4, 0) == 0x0201_4B50, let maker = number(2, 4), let flags = number(2, 8),
            let method = number(2, 10), let time = number(2, 12), let day = number(2, 14),
            let checksum = number(4, 16), var compressed = number(4, 20), var size = number(4, 24),
            let nameLength = number(2, 28), let extraLength = number(2, 30),
            let commentLength = number(2, 32),
            let attributes = number(4, 38), var header = number(4, 42),
            bytes.contains(nameLength + extraLength + commentLength, at: at + 46)
        else { return nil }
        let storedName = Array(bytes[(at + 46)..<(at + 46 + nameLength)])
        let extra = at + 46 + nameLength
        var modified = clock(day, time)
        var betterName: String?
        var field = extra
        while field + 4 <= extra + extraLength {
            guard let id = bytes.uint16(at: field, .little),
                let length = bytes.uint16(at: field + 2, .little),
                field + 4 + length <= extra + extraLength
            else { break }
            var next = field + 4
            switch id {
            case 0x0001:
                // Only the numbers that do not fit in the record, in this order.
                for keyPath in [0, 1, 2] {
                    let value = [size, compressed, header][keyPath]
                    guard value == 0xFFFF_FFFF else { continue }
                    guard next + 8 <= field + 4 + length, let large = bytes.uint64(at: next, .little) else {
                        return nil
                    }
                    if keyPath == 0 {
                        size = large
                    } else if keyPath == 1 {
                        compressed = large
                    } else {
                        header = large
                    }
                    next += 8
                }
            case 0x5455:
                if length >= 5, bytes[next] & 1 == 1, let seconds = bytes.uint32(at: next + 1, .little) {
                    modified = Int(Int32(truncatingIfNeeded: seconds)) * 1_000_000_000
                }
            case 0x7075:
                if length > 5, let stated = bytes.uint32(at: next + 1, .little),
                    UInt32(stated) == CRC32.of(storedName.span)
                {
                    betterName = String(validating: bytes[(next + 5)..<(next + length)], as: UTF8.self)
                }
            default: break
            }
            field += 4 + length
        }
        let name = betterName ?? Self.name(storedName, isUTF8: flags & 0x800 != 0)
        var entry = ZipArchive.Entry(
            path: FilePath(name ?? String(decoding: storedName, as: UTF8.self)), size: size,
            modified: modified, method: method, compressedSize: compressed, checksum: UInt32(checksum),
            header: header,
            storedName: storedName)
        entry.fault = fault(
            entry, isNamed: name != nil, flags, isLink: maker >> 8 == 3 && attributes >> 28 == 0xA)
        return (entry, extra + extraLength + commentLength)
    }

    private static func fault(
        _ entry: ZipArchive.Entry, isNamed: Bool, _ flags: Int, isLink: Bool
    ) -> ZipError.Fault? {
        if !isNamed { return .nameNotUTF8 }
        if !isInside(entry.path) { return .unsafeName }
        if isLink { return .link }
        if flags & 0x41 != 0 || entry.method == 99 { return .encrypted }
        guard entry.method == 0 || entry.method == 8 else { return .method(entry.method) }
        if entry.method == 0, entry.size != entry.compressedSize { return .size(stated: entry.size) }
        // Deflate makes at most 1,032 bytes of one.
        let most = entry.compressedSize.multipliedReportingOverflow(by: 1_032)
        if entry.method == 8, !most.overflow, entry.size > most.partialValue {
            return .size(stated: entry.size)
        }
        return nil
    }

    /// Whether a name is a relative path without steps upwards.
    private static func isInside(_ path: FilePath) -> Bool {
        var parts = path.text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        return !parts.isEmpty && !parts.contains { ["", ".", ".."].contains(FilePath(Substring($0))) }
            && !path.text.unicodeScalars.contains { $0.value < 0x20 || $0 == "\\" }
    }

    /// Decodes a name; nil if it is not the UTF-8 that it states to be.
    ///
    /// Many programs write UTF-8 without stating it.
    private static func name(_ bytes: [UInt8], isUTF8: Bool) -> String? {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        guard !isUTF8 else { return nil }
        return String(
            String.UnicodeScalarView(bytes.map { $0 < 0x80 ? Unicode.Scalar($0) : upper[Int($0) - 0x80] }))
    }

    /// The upper half of code page 437.
    private static let upper = Array(
        ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
            + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars)

    /// A DOS date and time as nanoseconds since 1970.
    private static func clock(_ day: Int, _ time: Int) -> Int {
        let (year, month, date) = (1980 + day >> 9, max(1, min(12, day >> 5 & 15)), max(1, day & 31))
        let days = CalendarDay(year: year, month: month, day: date).number
        return (days * 86_400 + (time >> 11) * 3600 + (time >> 5 & 63) * 60 + (time & 31) * 2) * 1_000_000_000
    }
}
