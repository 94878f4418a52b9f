internal import Basics
package import Files

/// A ZIP archive that is read in place; its entries are never unpacked to the disk.
///
/// Nothing in it is trusted: every offset is checked, entries that share bytes are refused, and sizes and checksums are
/// compared when an entry was read to its end. Source: PKWARE APPNOTE 6.3.10.
package final class ZipArchive: Sendable {
    /// A file in the archive.
    package struct Entry: Hashable, Sendable {
        /// The path inside of the archive.
        package let path: FilePath
        /// The size in bytes.
        package let size: Int
        /// The modification time, in nanoseconds since 1970; times without a zone are taken as UTC.
        package let modified: Int
        /// Why it cannot be read.
        package internal(set) var fault: ZipError.Fault?
        let method: Int
        let compressedSize: Int
        let checksum: UInt32
        /// The position of its header in the archive.
        package let header: Int
        /// The name as it is stored.
        let storedName: [UInt8]
    }

    package let path: String
    /// The most bytes of an entry; nil for `maximumGrowth(to:)` times its compressed size.
    private let limit: Int?
    /// The files, in the order of the directory; folders are left out.
    package let entries: [Entry]
    /// The state of the archive when it was opened.
    package let moment: FileMoment
    let file: OpenFile
    /// The position of the directory, behind all entries.
    private let directory: Int

    /// Whether a name is that of a ZIP archive.
    package static func isNamed(_ name: String) -> Bool { name.lowercased().hasSuffix(".zip") }

    /// How many times its compressed size an entry may have, unless a limit is given.
    ///
    /// Pictures have twice, an empty page of a scanner almost 1,000 times. What fills a disk in earnest is no such page:
    /// deflate cannot compress anything to less than a 1,030th, so that 1,000 alone would stop almost nothing.
    package static func maximumGrowth(to size: Int) -> Int { size > 1 << 30 ? 100 : 1_000 }

    /// Opens an archive and reads its directory.
    ///
    /// - Parameter limit: the most bytes of an entry; nil for `maximumGrowth(to:)` times its compressed size. Larger
    ///   entries have a fault, and are not read.
    /// - Throws: `ZipError` if the directory is missing, damaged or contradictory.
    package init(_ path: String, limit: Int? = nil) throws(ZipError) {
        func error(_ fault: ZipError.Fault, _ entry: FilePath? = nil) -> ZipError {
            ZipError(archive: path, entry: entry, fault: fault)
        }
        (self.path, self.limit) = (path, limit)
        do throws(FileError) {
            let before = FileMoment(path)
            file = try OpenFile(path)
            guard let before, before.status == file.status || FileMoment(path)?.status == file.status else {
                throw .changed
            }
            moment = FileMoment(path) ?? before
        } catch {
            throw ZipError(
                archive: path, entry: nil, fault: error == .empty ? .noDirectory : .unreadable("\(error)"))
        }
        let bytes: ZipDirectory
        do {
            bytes = try ZipDirectory(file)
        } catch {
            throw ZipError(archive: path, entry: nil, fault: error)
        }
        directory = bytes.start
        var entries = bytes.entries
        // Entries that share bytes are those of archives that expand to far more than they have.
        let order = entries.indices.sorted { entries[$0].header < entries[$1].header }
        var end = (position: 0, entry: 0)
        for index in order {
            let entry = entries[index]
            // Sums of larger offsets overflow.
            guard entry.header <= directory else { throw error(.overlap("the directory"), entry.path) }
            if entry.header < end.position { throw error(.overlap("\(entries[end.entry].path)"), entry.path) }
            let (last, isTooLarge) = (entry.header + 30 + entry.storedName.count)
                .addingReportingOverflow(entry.compressedSize)
            guard !isTooLarge, last <= directory else { throw error(.overlap("the directory"), entry.path) }
            end = (last, index)
        }
        var names: Set<FilePath> = []
        entries.removeAll { $0.path.hasSuffix("/") && $0.size == 0 }
        for index in entries.indices {
            let entry = entries[index]
            let fault =
                names.insert(entry.path).inserted
                ? Self.excess(entry.size, from: entry.compressedSize, limit) : .repeatedName
            entries[index].fault = entry.fault ?? fault
        }
        self.entries = entries
    }

    /// The fault of an entry that became too large; nil if it did not.
    ///
    /// - Parameter compressed: the number of bytes from which it was decompressed, which its header may overstate.
    func excess(_ size: Int, from compressed: Int) -> ZipError.Fault? {
        Self.excess(size, from: compressed, limit)
    }

    private static func excess(_ size: Int, from compressed: Int, _ limit: Int?) -> ZipError.Fault? {
        if let limit { return size > limit ? .tooLarge(limit: limit) : nil }
        let most = compressed.multipliedReportingOverflow(by: maximumGrowth(to: size))
        return most.overflow || size <= most.partialValue ? nil : .grows(from: compressed, to: size)
    }

    /// Returns the position of an entry's data.
    func start(of entry: Entry) throws(ZipError) -> Int {
        if let fault = entry.fault { throw error(entry, fault) }
        let header = try read(entry.header..<(entry.header + 30), entry)
        guard header.uint32(at: 0, .little) == 0x0403_4B50, header.uint16(at: 8, .little) == entry.method,
            let flags = header.uint16(at: 6, .little), flags & 1 == 0,
            header.uint16(at: 26, .little) == entry.storedName.count,
            let extra = header.uint16(at: 28, .little)
        else { throw error(entry, .brokenHeader) }
        let name = entry.header + 30
        let start = name + entry.storedName.count + extra
        guard start + entry.compressedSize <= directory,
            try read(name..<(name + entry.storedName.count), entry) == entry.storedName
        else { throw error(entry, .brokenHeader) }
        return start
    }

    func read(_ range: Range<Int>, _ entry: Entry) throws(ZipError) -> [UInt8] {
        do throws(FileError) {
            let bytes = try file.bytes(range)
            guard file.isUnchanged else { throw .changed }
            return bytes
        } catch {
            throw self.error(entry, .unreadable(error.description))
        }
    }

    func error(_ entry: Entry, _ fault: ZipError.Fault) -> ZipError {
        ZipError(archive: path, entry: entry.path, fault: fault)
    }
}

extension ZipArchive {
    /// Returns all bytes of an entry, whose checksum is compared.
    ///
    /// - Throws: `ZipError`, also for more than `limit` bytes.
    package func contents(of entry: Entry, limit: Int) throws(ZipError) -> [UInt8] {
        if let fault = entry.fault { throw error(entry, fault) }
        guard entry.size <= limit else { throw error(entry, .tooLarge(limit: limit)) }
        let reader = try ZipEntryReader(entry, of: self)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entry.size)
        while try reader.next({ piece in piece.withChunks { bytes += $0 } }) != nil {}
        return bytes
    }

    /// Opens an entry as a file that is read at any position, without a copy of it; its checksum is not compared.
    ///
    /// - Throws: `FileError`, `empty` for entries without bytes.
    package func open(_ entry: Entry) throws(FileError) -> OpenFile {
        guard entry.size > 0 else { throw .empty }
        do throws(ZipError) {
            let start = try start(of: entry)
            // The status of the archive detects changes; the size is that of the entry.
            if entry.method == 0 { return OpenFile(start..<(start + entry.size), of: file) }
            return try opened(ZipEntryBytes(entry, of: self), entry)
        } catch {
            throw .unreadable(error.fault.description)
        }
    }

    private func opened(_ bytes: ZipEntryBytes, _ entry: Entry) throws(ZipError) -> OpenFile {
        do {
            return try OpenFile(
                source: bytes, name: "\(path)/\(entry.path.text)",
                status: FileStatus(size: entry.size, modified: entry.modified, inode: .max, device: .max))
        } catch {
            throw self.error(entry, .unreadable(error.description))
        }
    }
}

/// An entry of an archive, identified by its position.
package struct ZipMember: Sendable {
    package let archive: ZipArchive
    package let entry: ZipArchive.Entry

    package init(_ entry: ZipArchive.Entry, of archive: ZipArchive) {
        (self.archive, self.entry) = (archive, entry)
    }
}

extension ZipMember: Hashable {
    package static func == (a: Self, b: Self) -> Bool {
        FilePath(a.archive.path) == FilePath(b.archive.path) && a.archive.moment == b.archive.moment
            && a.entry == b.entry
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(FilePath(archive.path))
        hasher.combine(entry.path)
    }
}
