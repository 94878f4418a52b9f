internal import Assets
internal import Basics
internal import Files

/// A list of an export of iCloud Photos, as comma-separated values.
package enum ICloudList {
    /// Dates and marks of the files in the folder.
    case details([Detail])
    /// The names of the files of an album or a memory.
    case names([String], isMemory: Bool)

    /// A row of "Photo Details.csv".
    package struct Detail: Equatable, Sendable {
        package var name: String
        package var isFavorite = false
        package var isHidden = false
        package var isDeleted = false
        /// Seconds since 1970 UTC; nil if there is no date, or one that is not understood.
        package var taken: Int?
        /// A date that is not understood.
        package var unreadDate: String?
    }

    /// The most bytes of a list: about 600,000 files.
    package static let limit = 1 << 26

    private static let nameColumns = ["imgname", "imagename", "images", "image", "filename"]

    /// Reads a list; nil for other tables.
    ///
    /// Columns are found by their names, or by their order where these are in a language that is not known.
    package init?(_ bytes: [UInt8]) {
        var bytes = bytes[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        var rows = Self.rows(String(decoding: bytes, as: UTF8.self))
        guard let header = rows.first else { return nil }
        rows.removeFirst()
        rows.removeAll { $0.allSatisfy(\.isEmpty) }
        if header.count == 1 {
            let key = header[0].lowercased()
            let isKnown = Self.nameColumns.contains(key)
            guard isKnown || !rows.isEmpty && rows.allSatisfy({ FileExtension.isMedia(FilePath($0[0])) }),
                !FileExtension.isMedia(FilePath(header[0]))
            else { return nil }
            self = .names(rows.map { $0[0] }, isMemory: key == "imagename")
            return
        }
        let names = header.map { $0.lowercased() }
        // imgName, fileChecksum, favorite, hidden, deleted, originalCreationDate, viewCount, importDate
        let isKnown = Self.nameColumns.contains(names[0]) && names.contains("originalcreationdate")
        let isShaped = header.count == 8 && rows.contains { Self.date($0, 5, 8).taken != nil }
        guard isKnown || isShaped else { return nil }
        func column(_ name: String, _ usual: Int) -> Int { names.firstIndex(of: name) ?? usual }
        let date = column("originalcreationdate", 5)
        let (favorite, hidden, deleted) = (
            isKnown ? names.firstIndex(of: "favorite") : 2, isKnown ? names.firstIndex(of: "hidden") : 3,
            isKnown ? names.firstIndex(of: "deleted") : 4
        )
        self = .details(
            rows.map { row in
                func isMarked(_ column: Int?) -> Bool {
                    column.map { $0 < row.count && ICloudNames.isYes(row[$0]) } ?? false
                }
                var detail = Detail(name: row[0])
                detail.isFavorite = isMarked(favorite)
                detail.isHidden = isMarked(hidden)
                detail.isDeleted = isMarked(deleted)
                (detail.taken, detail.unreadDate) = Self.date(row, date, header.count)
                return detail
            })
    }

    /// Reads the date in a column; one that is not quoted is in two columns, "June 4" and "2016 12:11 PM GMT".
    private static func date(_ row: [String], _ column: Int, _ count: Int) -> (taken: Int?, unread: String?) {
        guard column < row.count else { return (nil, nil) }
        let text = row.count > count ? row[column...].prefix(2).joined(separator: ",") : row[column]
        guard !text.allSatisfy({ $0.isWhitespace || $0 == "," }) else { return (nil, nil) }
        let taken = ICloudDate.seconds(text)
        return (taken, taken == nil ? text : nil)
    }

    /// Splits comma-separated values, in which quoted ones have commas, newlines and doubled quotation marks.
    private static func rows(_ text: String) -> [[String]] {
        var rows: [[String]] = []
        var row: [String] = []
        var value: [UInt8] = []
        var isQuoted = false
        func end() { row.append(String(decoding: value, as: UTF8.self)); value = [] }
        var bytes = text.utf8.makeIterator()
        var next = bytes.next()
        while let byte = next {
            next = bytes.next()
            switch byte {
            case UInt8(ascii: "\"") where isQuoted && next == UInt8(ascii: "\""):
                value.append(byte)
                next = bytes.next()
            case UInt8(ascii: "\"") where isQuoted || value.isEmpty: isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted: end()
            case UInt8(ascii: "\r") where !isQuoted: break
            case UInt8(ascii: "\n") where !isQuoted:
                end()
                rows.append(row)
                row = []
            default: value.append(byte)
            }
        }
        if !value.isEmpty || !row.isEmpty {
            end()
            rows.append(row)
        }
        return rows
    }
}
