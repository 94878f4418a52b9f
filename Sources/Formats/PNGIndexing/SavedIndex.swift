internal import Basics
package import Files
internal import ViewportGeometry

/// The saved form, version 1.
///
/// All numbers are little-endian:
///
///     0   "PNIX", version (1 byte), bit depth, color type (1 byte each), zero
///     8   width, height, checkpoints (8 bytes each), fingerprint of the file (32 bytes)
///     64  checkpoints: nine numbers (8 bytes each), the window, the row above
///     end FNV-1a hash of everything before (8 bytes)
extension PNGIndex {
    private static let magic: [UInt8] = Array("PNIX".utf8)
    private static let version: UInt8 = 1
    /// The bytes besides checkpoints.
    static let savedHeaderSize = 72

    /// Returns the index as bytes, to load with `init(saved:for:header:)`.
    package func saved(for fingerprint: FileFingerprint, header: PNGHeader) -> [UInt8] {
        var writer = ByteWriter(
            .little,
            Self.magic + [Self.version, UInt8(header.bitDepth), header.colorType.rawValue, 0])
        for number in [header.size.width, header.size.height, count] { writer.append(UInt64(number)) }
        fingerprint.append(to: &writer)
        for checkpoint in checkpoints {
            for number in checkpoint.savedNumbers { writer.append(UInt64(number)) }
            writer.append(contentsOf: checkpoint.window)
            writer.append(contentsOf: checkpoint.above)
        }
        writer.append(FNV1a.hash(writer.bytes.span))
        return writer.bytes
    }

    /// Loads an index from the bytes that `saved(for:header:)` returned.
    ///
    /// - Throws: `PNGIndexError.staleIndex` where it belongs to another file or another state of the file, or is
    ///   damaged.
    package init(
        saved bytes: [UInt8], for fingerprint: FileFingerprint, header: PNGHeader
    ) throws(PNGIndexError) {
        let end = bytes.count - 8
        guard end >= Self.savedHeaderSize - 8, bytes.starts(with: Self.magic), bytes[4] == Self.version,
            bytes[5] == UInt8(header.bitDepth), bytes[6] == header.colorType.rawValue,
            bytes.bits(8, at: end, .little) == FNV1a.hash(bytes.span.extracting(..<end)),
            bytes.uint64(at: 8, .little) == header.size.width,
            bytes.uint64(at: 16, .little) == header.size.height,
            let count = bytes.uint64(at: 24, .little), FileFingerprint(saved: bytes, at: 32) == fingerprint
        else { throw .staleIndex }
        var reader = ByteReader(Array(bytes[..<end]), .little, at: Self.savedHeaderSize - 8)
        var checkpoints: [Checkpoint] = []
        var output = 0
        let total = (header.rowBytes + 1).multipliedReportingOverflow(by: header.size.height)
        guard !total.overflow, count <= end / (Checkpoint.numbers * 8) else { throw .staleIndex }
        for _ in 0..<count {
            guard let checkpoint = Checkpoint(&reader, fileSize: Int(fingerprint.size)),
                checkpoint.output > output, checkpoint.output < total.partialValue
            else { throw .staleIndex }
            output = checkpoint.output
            checkpoints.append(checkpoint)
        }
        guard reader.offset == end else { throw .staleIndex }
        self.init(fileSize: Int(fingerprint.size), checkpoints: checkpoints)
    }
}

extension PNGIndex.Checkpoint {
    fileprivate var savedNumbers: [Int] {
        [
            output, position.bit, position.block, position.blockChunk.file, position.blockChunk.stream,
            chunk.file, chunk.stream, window.count, above.count,
        ]
    }

    /// Reads the saved form; nil where it cannot be right.
    fileprivate init?(_ reader: inout ByteReader, fileSize: Int) {
        var numbers: [Int] = []
        for _ in 0..<Self.numbers {
            guard let number = reader.next(UInt64.self), number < 1 << 48 else { return nil }
            numbers.append(Int(number))
        }
        guard let window = reader.next(count: numbers[7]), let above = reader.next(count: numbers[8]),
            numbers[3] < fileSize, numbers[5] < fileSize, numbers[2] <= numbers[1],
            numbers[4] <= numbers[2] >> 3, numbers[6] <= numbers[1] >> 3, numbers[1] >> 3 <= fileSize
        else { return nil }
        output = numbers[0]
        position = Inflater.Position(
            bit: numbers[1], block: numbers[2],
            blockChunk: ImageDataInput.Chunk(file: numbers[3], stream: numbers[4]))
        chunk = ImageDataInput.Chunk(file: numbers[5], stream: numbers[6])
        (self.window, self.above) = (Array(window), Array(above))
    }
}
