internal import CJPEGIndex
internal import Files
internal import JPEGCoding
internal import JPEGIndexing
internal import ViewportGeometry

/// The reason why a call fails: its status and a sentence without a period.
struct CallError: Error {
    let status: vji_status
    let reason: String

    init(_ status: vji_status, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    init(_ error: JPEGIndexError) {
        let status =
            switch error {
            case .notJPEG, .progressive, .incompleteScans, .severalScans, .arithmeticCoding, .lossless,
                .hierarchical,
                .samplePrecision, .heightInDNL, .unsupportedSampling:
                VJI_UNSUPPORTED
            case .brokenHeader, .truncated, .brokenStream: VJI_DAMAGED
            case .staleIndex: VJI_STALE_INDEX
            case .outside: VJI_OUTSIDE
            }
        self.init(status, error.description)
    }
}

/// What a handle refers to: a file, its header and its index.
final class IndexedFile: Sendable {
    /// How a handle gets its index.
    enum IndexOrigin {
        case scan
        case saved([UInt8])
    }

    let header: JPEGHeader
    private let origin: FileOrigin
    private let identity: FileFingerprint
    private let reader: JPEGRegionReader

    init(_ origin: FileOrigin, _ indexOrigin: IndexOrigin) throws(CallError) {
        self.origin = origin
        (header, identity, reader) = try origin.reading { bytes, modified throws(CallError) in
            let header = try Self.indexing { () throws(JPEGIndexError) in try JPEGHeader(bytes) }
            guard [1, 3].contains(header.components.count) else {
                throw CallError(
                    VJI_UNSUPPORTED,
                    "the JPEG has \(header.components.count) components, not 1 (gray) or 3 (color)")
            }
            let identity = try Self.identity(bytes, modified)
            let reader = try Self.indexing { () throws(JPEGIndexError) in
                let index =
                    switch indexOrigin {
                    case .scan: try JPEGIndex(bytes, header: header, threads: origin.threads)
                    case .saved(let saved): try JPEGIndex(saved: saved, for: identity, header: header)
                    }
                return try JPEGRegionReader(header: header, index: index, optimizesForRandomAccess: true)
            }
            return (header, identity, reader)
        }
        try checkDecoding()
    }

    /// The index as bytes.
    var saved: [UInt8] { reader.index.saved(for: identity, header: header) }

    /// Decodes a region that is inside of the image, and lends its rows from the top.
    ///
    /// Large regions are decoded in bands, so that little more than the caller's buffer is in memory.
    func read(
        _ rect: PixelRect<ReducedGrid>, at scale: JPEGScale, bands: Int,
        row: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(CallError) {
        try origin.reading { bytes, _ throws(CallError) in
            let height = header.bandHeight(width: rect.width, at: scale)
            for y in stride(from: rect.y, to: rect.maxY, by: height) {
                let band = PixelRect<ReducedGrid>(
                    x: rect.x, y: y, width: rect.width, height: min(height, rect.maxY - y))
                try readBand(band, at: scale, bands: bands, of: bytes) { row(y - rect.y + $0, $1) }
            }
        }
    }

    private func readBand(
        _ band: PixelRect<ReducedGrid>, at scale: JPEGScale, bands: Int, of bytes: any RandomAccessBytes,
        row: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(CallError) {
        // The decoder derives the scale from the size of its result. A few pixels at a corner have the same size at
        // several scales; with their neighbors they have not.
        var rect = band
        if scale != .full {
            if rect.x > 0 { (rect.x, rect.width) = (rect.x - 1, rect.width + 1) }
            if rect.y > 0 { (rect.y, rect.height) = (rect.y - 1, rect.height + 1) }
        }
        let region = try Self.indexing { () throws(JPEGIndexError) in
            try reader.region(rect, at: scale, of: bytes)
        }
        let decoded: DecodedJPEG
        do throws(JPEGDecodingError) {
            decoded = try JPEGDecoder().decode(region.jpeg, denominator: scale.rawValue, bands: bands)
        } catch {
            throw CallError(isTooSmall(for: scale) ? VJI_UNSUPPORTED : VJI_DAMAGED, error.description)
        }
        let (left, top) = (region.crop.x + band.x - rect.x, region.crop.y + band.y - rect.y)
        for y in 0..<band.height {
            decoded.withRow(top + y, columns: left..<(left + band.width)) { row(y, $0) }
        }
    }

    /// Whether the whole image is too small for its scale to follow from the size of the result.
    private func isTooSmall(for scale: JPEGScale) -> Bool {
        scale != .full && max(header.size.width, header.size.height) < 8
    }

    /// Decodes one pixel: libjpeg-turbo refuses some sampling factors that the index allows.
    private func checkDecoding() throws(CallError) {
        do throws(CallError) {
            try read(PixelRect(x: 0, y: 0, width: 1, height: 1), at: .full, bands: 3) { _, _ in }
        } catch {
            guard error.status == VJI_DAMAGED, try isReadable() else { throw error }
            throw CallError(VJI_UNSUPPORTED, error.reason)
        }
    }

    /// Whether the compressed data of the first pixel can be read.
    private func isReadable() throws(CallError) -> Bool {
        try origin.reading { bytes, _ throws(CallError) in
            let rect = PixelRect<ReducedGrid>(x: 0, y: 0, width: 1, height: 1)
            return (try? reader.region(rect, at: .full, of: bytes)) != nil
        }
    }

    private static func indexing<R>(_ body: () throws(JPEGIndexError) -> R) throws(CallError) -> R {
        do throws(JPEGIndexError) {
            return try body()
        } catch {
            throw CallError(error)
        }
    }

    private static func identity(
        _ bytes: any RandomAccessBytes, _ modified: Int64
    ) throws(CallError) -> FileFingerprint {
        do throws(FileError) {
            return try FileFingerprint(bytes, modified: modified)
        } catch {
            throw CallError(VJI_READ_FAILED, error.description)
        }
    }
}

/// Where the bytes of a handle come from.
// The caller keeps a source valid, and its function may be called by several threads.
@safe enum FileOrigin: @unchecked Sendable {
    case file(OpenFile)
    case source(vji_source)

    /// Opens the file at a path.
    init(path: String) throws(CallError) {
        do throws(FileError) {
            self = .file(try OpenFile(path))
        } catch {
            throw CallError(VJI_READ_FAILED, "\(PathText.shown(path)) \(error)")
        }
    }

    /// The threads that an index is made with: a caller's function is called by the caller's thread only.
    var threads: Int {
        switch self {
        case .file: 2
        case .source: 1
        }
    }

    /// Lends the bytes and their modification number; a failure to read them replaces the error that it causes.
    func reading<R>(
        _ body: (_ bytes: any RandomAccessBytes, _ modified: Int64) throws(CallError) -> R
    ) throws(CallError) -> R {
        switch self {
        case .file(let file):
            let result = Self.result { () throws(CallError) in try body(file, Int64(file.status.modified)) }
            do throws(FileError) {
                try file.check()
            } catch {
                throw CallError(VJI_READ_FAILED, "\(PathText.shown(file.path)) \(error)")
            }
            return try result.get()
        case .source(let source):
            guard let bytes = unsafe CallerBytes(source) else {
                throw CallError(VJI_INVALID_ARGUMENT, "the source has no read function or a negative size")
            }
            let result = Self.result { () throws(CallError) in try body(bytes, unsafe source.modified) }
            if let reason = bytes.failureReason { throw CallError(VJI_READ_FAILED, reason) }
            return try result.get()
        }
    }

    private static func result<R>(_ body: () throws(CallError) -> R) -> Result<R, CallError> {
        do throws(CallError) {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }
}
