internal import Basics
package import Files

/// The bytes of a file, read page by page on access, or bytes in memory.
///
/// Bytes that can no longer be read are zero, and `check` throws from then on.
package struct FileBytes: ContainerBytes {
    private let pages: FilePages
    private let start: Int
    package let count: Int

    private init(_ pages: FilePages, _ start: Int, _ count: Int) {
        self.pages = pages
        self.start = start
        self.count = count
    }

    package init(_ file: any RandomAccessBytes) { self.init(FilePages(file), 0, file.count) }

    package init(_ bytes: [UInt8]) { self.init(FilePages(bytes), 0, bytes.count) }

    package var indices: Range<Int> { 0..<count }

    /// Whether they are read over a network, where each piece takes long.
    package var isRemote: Bool { pages.isRemote }

    package func expect(_ ranges: [Range<Int>]) {
        pages.expect(ranges.map { ($0.lowerBound + start)..<($0.upperBound + start) })
    }

    /// The bytes that are read together from a file that is not on this machine.
    package static let remotePageSize = 1 << 12

    package subscript(_ index: Int) -> UInt8 {
        precondition(index >= 0 && index < count)
        return pages[start + index]
    }

    /// The bytes of a range, which must be inside.
    package func extracting(_ range: Range<Int>) -> FileBytes {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return FileBytes(pages, start + range.lowerBound, range.count)
    }

    /// The bytes from a position on, which must be inside or at the end.
    package func extracting(_ range: PartialRangeFrom<Int>) -> FileBytes {
        extracting(range.lowerBound..<count)
    }

    package func check() throws(FileError) {
        if let failure = pages.failure { throw failure }
    }

    /// A copy of the bytes.
    package var array: [UInt8] { pages.array(start..<(start + count)) }

    /// Passes the bytes on in arrays of at most 64 KiB.
    package func withChunks(_ body: ([UInt8]) -> Void) {
        let chunk = 1 << 16
        for begin in stride(from: 0, to: count, by: chunk) {
            body(pages.array((start + begin)..<(start + min(begin + chunk, count))))
        }
    }
}

extension FileBytes {
    /// The `length` bytes from `offset` on; nil if not all of them exist.
    package func slice(_ offset: Int, _ length: Int) -> FileBytes? {
        contains(length, at: offset) ? extracting(offset..<(offset + length)) : nil
    }

    /// The bytes of a range; nil if not all of them exist.
    package func slice(_ range: Range<Int>) -> FileBytes? { slice(range.lowerBound, range.count) }

    /// The UTF-8 text up to the first NUL, without surrounding white space; nil if it is empty.
    package var text: String? {
        let end = indices.first { self[$0] == 0 } ?? count
        guard let first = (0..<end).first(where: { self[$0] > 0x20 }),
            let last = (first..<end).last(where: { self[$0] > 0x20 })
        else { return nil }
        return String(decoding: extracting(first..<(last + 1)).array, as: UTF8.self)
    }
}

/// The cached pages of a file.
private final class FilePages {
    private let file: (any RandomAccessBytes)?
    /// The error of the first read that failed.
    private(set) var failure: FileError?
    /// The page of the last access, or all bytes if they are in memory.
    private var page: [UInt8]
    private var pageStart = 0
    private var others: [Int: [UInt8]] = [:]
    /// Ranges that were requested, and are read alone.
    private var expected = ExpectedRanges()

    var isRemote: Bool { file?.isRemote ?? false }
    private let pageSize: Int
    /// The most cached pages, at most 4 MiB; beyond that, all are dropped.
    private static let mostPages = 256

    init(_ file: any RandomAccessBytes) {
        self.file = file
        page = []
        pageSize = file.isRemote ? FileBytes.remotePageSize : 1 << 14
    }

    init(_ bytes: [UInt8]) {
        file = nil
        page = bytes
        pageSize = 1 << 14
    }

    subscript(_ index: Int) -> UInt8 {
        let offset = index - pageStart
        if offset >= 0, offset < page.count { return page[offset] }
        load(pageOf: index)
        return page[index - pageStart]
    }

    func array(_ range: Range<Int>) -> [UInt8] {
        if range.lowerBound >= pageStart, range.upperBound <= pageStart + page.count {
            return Array(page[(range.lowerBound - pageStart)..<(range.upperBound - pageStart)])
        }
        return read(range)
    }

    func expect(_ ranges: [Range<Int>]) {
        guard let file, file.isRemote else { return }
        expected.insert(ranges, of: file)
    }

    private func load(pageOf index: Int) {
        guard let file else { preconditionFailure("all bytes are in memory") }
        let start = index & ~(pageSize - 1)
        if let cached = others[start] {
            page = cached
        } else if let range = expected.range(with: index) {
            (page, pageStart) = (read(range), range.lowerBound)
            return
        } else {
            page = read(start..<min(start + pageSize, file.count))
            if others.count >= Self.mostPages { others = [:] }
            others[start] = page
        }
        pageStart = start
    }

    private func read(_ range: Range<Int>) -> [UInt8] {
        do throws(FileError) {
            if let file { return try file.bytes(range) }
        } catch {
            failure = failure ?? error
        }
        return [UInt8](repeating: 0, count: range.count)
    }
}
