#if Server && Library
internal import Archives
internal import AssetRendering
internal import Basics
internal import Files
internal import HTTPTypes
internal import NIOCore
internal import PhotoCatalog
internal import Synchronization
internal import TileServing
internal import ViewportRendering

/// Lists of chosen photos, kept for a while under names that nobody can guess: they are too long for a URL.
final class ChosenAssets: Sendable {
    private let kept = Mutex<[(name: String, ids: [Asset.ID])]>([])

    /// The number of lists that are kept; the oldest are dropped.
    private static let capacity = 32

    /// Keeps a list and returns its name.
    func keep(_ ids: [Asset.ID]) -> String {
        var random = SystemRandomNumberGenerator()
        let name = (0..<2).map { _ in String(random.next(), radix: 36) }.joined()
        kept.withLock { kept in
            kept.append((name, ids))
            kept.removeFirst(max(0, kept.count - Self.capacity))
        }
        return name
    }

    func ids(named name: Substring) -> [Asset.ID]? {
        kept.withLock { kept in kept.first { $0.name[...] == name }?.ids }
    }
}

/// Archives of chosen photos: the files themselves, or copies of a size without metadata.
struct ArchiveResponses {
    let services: ServerServices

    /// The long sides of the copies.
    static let sizes = [1024, 2048, 4096]

    /// Returns a ZIP archive that is made while it is sent.
    ///
    /// - Throws: `RouteError` if no photo of the list is left, or the size is none of the offered ones.
    func archive(
        of ids: [Asset.ID], in served: ServedLibrary, _ request: RouteRequest
    ) async throws -> RouteResponse {
        var side: Int?
        if let text = request.value("size") {
            guard let number = Int(strict: text), Self.sizes.contains(number) else {
                let sizes = Self.sizes.map { "\($0)" }.joined(separator: ", ")
                throw RouteError(.badRequest, "size= is one of \(sizes)")
            }
            side = number
        }
        let assets = try await served.library.assets(ids).filter { side == nil || $0.isPhoto }
        let names = Self.names(of: assets, side: side)
        let files = try await served.threads.run {
            zip(assets, names).map { asset, name in
                let path = served.file(of: asset)
                return ArchivedFile(
                    asset: asset, name: name, path: path, bytes: path.flatMap { FileStatus($0)?.size })
            }
        }
        let present = files.filter { $0.bytes != nil }
        guard !present.isEmpty else {
            throw RouteError(.notFound, "none of the chosen photos is there any more")
        }
        let missing = files.filter { $0.bytes == nil }.map(\.asset.path)
        let contents: Archive.Contents = side.map { .copies(served.images, side: $0) } ?? .originals
        let archive = Archive(present, missing: missing, contents, on: served.threads.downloads)
        var response = RouteResponse(
            stream: ByteStream(archive, length: archive.byteCount), "application/zip")
        response.headers[.cacheControl] = "no-store"
        let count = present.count
        response.headers[.contentDisposition] = ContentDisposition.attachment(
            "\(served.name) \(count) photo\(count == 1 ? "" : "s").zip")
        return response
    }

    /// The names in the archive: those of the files, with a number where a name repeats in any case or form of accents.
    static func names(of assets: [Asset], side: Int?) -> [String] {
        var taken: Set<String> = []
        return assets.map { asset in
            let base = PathText.shown(asset.file.name.withoutExtension.text)
            let newEnding = side == nil ? PathText.shown(asset.file.ending) : ".jpg"
            var (name, number) = (base + newEnding, 2)
            while !taken.insert(name.lowercased()).inserted {
                name = "\(base) (\(number))\(newEnding)"
                number += 1
            }
            return name
        }
    }
}

/// A file of an archive.
struct ArchivedFile: Sendable {
    var asset: Asset
    var name: String
    var path: String?
    /// Nil if it is not there.
    var bytes: Int?

    fileprivate func entry(isLarge: Bool) -> ZipWriter.Entry {
        let clock = asset.date.map {
            ZipWriter.Clock(
                year: $0.local.year, month: $0.local.month, day: $0.local.day, hour: $0.local.hour,
                minute: $0.local.minute, second: $0.local.second)
        }
        return ZipWriter.Entry(name: name, clock: clock, isLarge: isLarge)
    }
}

/// The bytes of an archive, with one piece of one file in memory.
struct Archive: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    enum Contents: Sendable {
        case originals
        case copies(AssetImages, side: Int)
    }

    private let files: [ArchivedFile]
    /// A text that names the files that are not there; empty if there are none.
    private let note: [UInt8]
    private let contents: Contents
    private let executor: BlockingExecutor

    private static let noteName = "NOT INCLUDED.txt"

    /// - Parameter executor: The threads that read the files.
    init(
        _ files: [ArchivedFile], missing: [String], _ contents: Contents, on executor: BlockingExecutor
    ) {
        self.files = files
        self.executor = executor
        self.contents = contents
        let lines = missing.map { PathText.shown($0) + "\n" }
        note =
            missing.isEmpty
            ? [] : Array("These files are not in the library's folder any more:\n\(lines.joined())".utf8)
    }

    /// The length of the whole archive; nil for copies, which are made on the way.
    var byteCount: Int? {
        guard case .originals = contents else { return nil }
        var records = ZipWriter()
        for file in files {
            let bytes = file.bytes ?? 0
            _ = records.begin(file.entry(isLarge: bytes >= ZipWriter.large))
            records.skip(bytes)
            _ = records.end()
        }
        if !note.isEmpty {
            _ = records.begin(ZipWriter.Entry(name: Self.noteName))
            records.skip(note.count)
            _ = records.end()
        }
        _ = records.finish()
        return records.count
    }

    func makeAsyncIterator() -> Iterator { Iterator(archive: self) }

    struct Iterator: AsyncIteratorProtocol {
        private let archive: Archive
        private var records = ZipWriter()
        private var next = 0
        private var pieces: FileReading.Iterator?
        private var isFinished = false
        /// The names of files of which no copy could be made.
        private var undecodable: [String] = []

        fileprivate init(archive: Archive) {
            self.archive = archive
        }

        /// - Throws: `FileError` if a file disappears or changes on the way: the download breaks off.
        mutating func next() async throws -> ByteBuffer? {
            if pieces != nil {
                if let piece = try await pieces?.next() {
                    let bytes = Array(piece.readableBytesView)
                    records.add(bytes.span)
                    return piece
                }
                pieces = nil
                return ByteBuffer(bytes: records.end())
            }
            guard next < archive.files.count else {
                defer { isFinished = true }
                return isFinished ? nil : ByteBuffer(bytes: end())
            }
            let file = archive.files[next]
            next += 1
            switch archive.contents {
            case .originals: return try await begin(file)
            case .copies(let images, let side): return ByteBuffer(bytes: try await copy(file, images, side))
            }
        }

        private mutating func begin(_ file: ArchivedFile) async throws -> ByteBuffer {
            let (path, bytes) = (file.path ?? "", file.bytes ?? 0)
            if bytes > 0 {
                let open = try await archive.executor.run { try OpenFile(path) }
                guard open.count == bytes else { throw FileError.changed }
                pieces = FileReading(open, 0..<bytes, on: archive.executor).makeAsyncIterator()
            }
            let head = records.begin(file.entry(isLarge: bytes >= ZipWriter.large))
            // An empty file ends where it begins.
            let tail = bytes > 0 ? [] : records.end()
            return ByteBuffer(bytes: head + tail)
        }

        /// A JPEG of the file; what cannot be decoded is named at the end.
        private mutating func copy(
            _ file: ArchivedFile, _ images: AssetImages, _ side: Int
        ) async throws -> [UInt8] {
            let asset = file.asset
            let image = try? await images.images(of: asset, .aspectRatioThumbnail(side: side)).final()?
                .picture
            try Task.checkCancellation()
            guard let image else {
                undecodable.append(file.asset.path)
                return []
            }
            let bytes = try await BlockingExecutor.shared.run {
                try PictureEncoder(.jpg, quality: 88).encodeSynchronously(image)
            }
            let head = records.begin(file.entry(isLarge: false))
            records.add(bytes.span)
            let tail = records.end()
            return head + bytes + tail
        }

        private mutating func end() -> [UInt8] {
            var note = archive.note
            if !undecodable.isEmpty {
                let lines = undecodable.map { PathText.shown($0) + "\n" }
                note += "No picture could be made of these files:\n\(lines.joined())".utf8
            }
            guard !note.isEmpty else { return records.finish() }
            let head = records.begin(ZipWriter.Entry(name: Archive.noteName))
            records.add(note.span)
            let tail = records.end()
            let directory = records.finish()
            return head + note + tail + directory
        }
    }
}
#endif
