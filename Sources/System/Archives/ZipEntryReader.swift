internal import Basics
internal import Checksums
internal import Files

/// Reads an entry of an archive from its beginning to its end, in pieces.
package final class ZipEntryReader {
    private let archive: ZipArchive
    private let entry: ZipArchive.Entry
    private let inflater: RawInflater?
    private var input: [UInt8] = []
    private var used = 0
    /// The position of the next compressed byte in the archive, and of the end.
    private var position: Int
    private let end: Int
    private var output: [UInt8]
    private var checksum: UInt32 = 0
    /// The number of bytes that were read.
    private(set) var count = 0
    private var isAtEnd = false

    private static let pieceSize = 1 << 17

    package init(_ entry: ZipArchive.Entry, of archive: ZipArchive) throws(ZipError) {
        (self.entry, self.archive) = (entry, archive)
        position = try archive.start(of: entry)
        end = position + entry.compressedSize
        if entry.method == 0 {
            (inflater, output) = (nil, [])
        } else {
            guard let inflater = RawInflater() else {
                throw archive.error(entry, .unreadable("there is no memory"))
            }
            (self.inflater, output) = (inflater, [UInt8](repeating: 0, count: Self.pieceSize))
        }
    }

    /// Lends the next piece; nil at the end.
    ///
    /// - Throws: `ZipError`; at the end also if the size or the checksum is not the stated one.
    package func next<R>(_ body: (Span<UInt8>) -> R) throws(ZipError) -> R? {
        guard !isAtEnd else { return nil }
        let made = if let inflater { try fill(inflater) } else { try copy() }
        guard made > 0 else {
            isAtEnd = true
            guard count == entry.size else { throw archive.error(entry, .size(stated: entry.size)) }
            guard checksum == entry.checksum else { throw archive.error(entry, .checksum) }
            if let fault = archive.excess(count, from: consumed) { throw archive.error(entry, fault) }
            return nil
        }
        count += made
        guard count <= entry.size else { throw archive.error(entry, .size(stated: entry.size)) }
        let piece = output
        let bytes = piece.span.extracting(0..<made)
        checksum = CRC32.of(bytes, after: checksum)
        return body(bytes)
    }

    /// The number of bytes that were decompressed or copied.
    private var consumed: Int { position - end + entry.compressedSize - input.count + used }

    private func copy() throws(ZipError) -> Int {
        output = try archive.read(position..<min(position + Self.pieceSize, end), entry)
        position += output.count
        return output.count
    }

    private var hasEnded = false

    private func fill(_ inflater: RawInflater) throws(ZipError) -> Int {
        while !hasEnded {
            if used == input.count, position < end {
                input = try archive.read(position..<min(position + Self.pieceSize, end), entry)
                position += input.count
                used = 0
            }
            // Without more input, it may still have output to make.
            guard !input.isEmpty else { throw archive.error(entry, .brokenData) }
            let step = inflater.inflate(input, from: used, into: &output)
            used += step.used
            switch step.outcome {
            case .end: hasEnded = true
            case .broken: throw archive.error(entry, .brokenData)
            case .more:
                guard step.used > 0 || step.made > 0 else { throw archive.error(entry, .brokenData) }
            }
            if step.made > 0 { return step.made }
        }
        return 0
    }
}

/// A compressed entry that is read at any position: from where the last read ended, or again from the beginning.
final class ZipEntryBytes: RandomAccessBytes {
    private struct State {
        var reader: ZipEntryReader
        /// The last piece and its position.
        var piece: [UInt8] = []
        var start = 0
        /// The first piece, so that readers that return to the header decompress nothing again.
        var first: [UInt8] = []
    }

    let count: Int
    private let archive: ZipArchive
    private let entry: ZipArchive.Entry
    private let state: Exclusive<State?>

    init(_ entry: ZipArchive.Entry, of archive: ZipArchive) {
        (self.entry, self.archive) = (entry, archive)
        count = entry.size
        state = Exclusive(nil)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        let range = position..<(position + buffer.count)
        let bytes = try state.withValue(cancelled: .cancelled) { state throws(FileError) in
            do throws(ZipError) {
                return try collect(range, &state)
            } catch {
                throw .unreadable(error.fault.description)
            }
        }
        guard bytes.count == buffer.count else {
            throw .unreadable(ZipError.Fault.size(stated: count).description)
        }
        // As many as the buffer has room for.
        unsafe buffer.copyBytes(from: bytes)
    }

    private func collect(_ range: Range<Int>, _ state: inout State?) throws(ZipError) -> [UInt8] {
        if let first = state?.first, range.upperBound <= first.count { return Array(first[range]) }
        if state.map({ range.lowerBound < $0.start }) ?? true {
            let first = state?.first ?? []
            state = State(reader: try ZipEntryReader(entry, of: archive), first: first)
        }
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var next = range.lowerBound
        while next < range.upperBound {
            guard let now = state else { break }
            if next < now.start + now.piece.count {
                let end = min(range.upperBound, now.start + now.piece.count)
                result += now.piece[(next - now.start)..<(end - now.start)]
                next = end
                continue
            }
            let start = now.start + now.piece.count
            guard let piece = try now.reader.next({ span in Self.array(span) }) else { break }
            state?.piece = piece
            state?.start = start
            if start == 0 { state?.first = piece }
        }
        return result
    }

    private static func array(_ span: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(0..<span.count, of: span)
        return bytes
    }
}
