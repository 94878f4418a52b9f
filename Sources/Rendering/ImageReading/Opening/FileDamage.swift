internal import Basics
internal import Containers
package import Files
internal import ImageMetadata
internal import JPEGCoding
internal import JPEGIndexing
internal import PNGIndexing
internal import Pictures

/// Scans a file for damage that decoders do not notice, once, when the result is first needed.
final class DamageScan: Sendable {
    private let file: OpenFile
    private let found = Once<FileDamage?>()

    init(_ file: OpenFile) { self.file = file }

    /// Returns what is missing of the file; the first caller scans it, and concurrent callers wait.
    ///
    /// - Parameter format: the same in every call.
    /// - Throws: `RenderingError.unavailable` in a cancelled task.
    func damage(_ format: ImageFormat) throws(RenderingError) -> FileDamage? {
        let cancelled = RenderingError(.cancelled, file: file.path)
        return try found.value(cancelled: cancelled) { () throws(RenderingError) in
            let damage = FileDamage.beforeDecoding(file, format)
            // The scan may have ended early.
            guard !Task.isCancelled else { throw cancelled }
            return damage
        }
    }
}

/// What is missing of a file, according to its own structure.
///
/// Only files that failed to decode, or that lack their end, are scanned: damage that no decoder notices is ignored.
struct FileDamage: Equatable {
    /// A clause, such as "rows 97 to 200 are missing".
    let text: String
    /// Whether the decoder can show the rest.
    var isShowable = false
    /// Whether the whole picture can be decoded nevertheless.
    var isWhole = false

    /// A JPEG in which only the end marker is missing.
    static let jpegEnd = FileDamage(
        text: "its end marker is missing; all rows are there", isShowable: true, isWhole: true)

    /// Returns damage that a decoder would not notice, or would reject without need.
    static func beforeDecoding(_ file: OpenFile, _ format: ImageFormat) -> FileDamage? {
        switch format {
        case .jpeg: JPEGDamage.find(file)
        case .gif: missingTrailer(FileBytes(file))
        default: nil
        }
    }

    /// A GIF in which only the last byte is missing.
    private static func missingTrailer(_ bytes: FileBytes) -> FileDamage? {
        // Most files end with it, which saves a walk through all blocks.
        guard bytes[bytes.count - 1] != 0x3B, let gap = FileGap.gif(bytes), gap.isWhole else { return nil }
        return FileDamage(gap)
    }

    /// Returns nil where nothing is missing, or for formats that are not checked here.
    static func find(_ bytes: FileBytes) -> FileDamage? {
        switch FileType(bytes) {
        case .png?: FileGap.png(bytes).map { FileDamage($0) }
        case .gif?: FileGap.gif(bytes).map { FileDamage($0) }
        case .webp?: FileGap.riff(bytes).map { FileDamage($0) }
        default: FileGap.tiff(bytes).map { FileDamage($0) }
        }
    }
}

extension FileDamage {
    fileprivate init(_ gap: FileGap) {
        self.init(text: gap.text, isShowable: gap.isShowable, isWhole: gap.isWhole)
    }
}

extension OpenFile {
    /// Returns what `body` reads from the file, unless the file changed meanwhile.
    ///
    /// - Throws: `RenderingError.changed`, also where `body` fails on a changed file, or what `body` throws.
    func checked<R>(_ body: () throws(RenderingError) -> R) throws(RenderingError) -> R {
        let result: Result<R, RenderingError>
        do throws(RenderingError) {
            result = .success(try body())
        } catch {
            result = .failure(error)
        }
        try RenderingError.naming(path, check)
        return try result.get()
    }

    /// Runs work that throws any error, and throws `RenderingError.changed` where the file changed meanwhile.
    package func checkedRows(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error where !(error is CancellationError) {
            try checkRows()
            throw error
        }
        try checkRows()
    }

    private func checkRows() throws {
        do throws(FileError) {
            try check()
        } catch .cancelled {
            throw CancellationError()
        } catch {
            throw RenderingError(error, file: path)
        }
    }

    /// Lends the rows that a decoder of this package makes; where it cannot go on, those that are left from libvips,
    /// which decides how much of a damaged file is shown.
    ///
    /// Both closures are escaping only because one that is not may not receive another.
    ///
    /// - Parameters:
    ///   - decode: throws `UndecodableData` after the rows that precede it.
    ///   - load: lends all rows; those that were lent before cannot be taken back, but libvips decodes the same.
    func rows(
        _ row: (RawSpan) throws -> Void,
        decoding decode: @escaping (_ row: (RawSpan) throws -> Void) throws -> Void,
        orLoading load: @escaping (_ row: (RawSpan) throws -> Void) throws -> Void
    ) throws {
        var lent = 0
        do {
            try decode { bytes in
                lent += 1
                try row(bytes)
            }
        } catch let error as any UndecodableData {
            // Cancelled decoders end like those of truncated data.
            guard !Task.isCancelled else { throw CancellationError() }
            // A file that changed or cannot be read has other rows: the caller reports that.
            guard (try? check()) != nil else { throw error }
            var skipped = 0
            try load { bytes in
                skipped += 1
                if skipped > lent { try row(bytes) }
            }
        }
    }
}

/// An error of a decoder of this package at data that libvips may decode, or show in part.
protocol UndecodableData: Error {}

extension HEIFPart.Problem: UndecodableData {}
extension JPEGDecodingError: UndecodableData {}
extension JPEGIndexError: UndecodableData {}
extension PNGIndexError: UndecodableData {}

/// A part of a HEIF or TIFF file that is damaged, or has a feature that is left to libvips.
struct UndecodablePart: UndecodableData {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
