#if Server && Library
internal import Basics
internal import Containers
internal import Files
internal import HTTPTypes
internal import ImageMetadata
internal import NIOCore
internal import PhotoCatalog
internal import TileServing

/// The files of assets, whole or a range of their bytes, as films and downloads need them.
struct FileResponses {
    let services: ServerServices

    /// Returns the path of an asset's file below the server, which ends with the file's name.
    static func address(of asset: Asset, in served: ServedLibrary) -> String {
        "\(served.address)/file/\(asset.id)/\(PercentCoding.encode(asset.name))"
    }

    /// Returns the path of the film inside of an asset's file, which ends with a name for the film.
    static func address(of film: EmbeddedFilm, inside asset: Asset, in served: ServedLibrary) -> String {
        "\(served.address)/motion/\(asset.id)/\(PercentCoding.encode(name(of: film, inside: asset)))"
    }

    private static func name(of film: EmbeddedFilm, inside asset: Asset) -> String {
        "\(asset.file.name.withoutExtension.text).\(film.format.rawValue)"
    }

    /// Returns a file, or the range that the request asks for.
    ///
    /// - Throws: `RouteError` if the file is missing, or the range lies outside of it.
    func file(of asset: Asset, in served: ServedLibrary, _ request: RouteRequest) async throws
        -> RouteResponse
    {
        let file = try await open(asset, in: served)
        return try respond(file, asset.format.type.mediaType, name: asset.name, served, request)
    }

    /// Returns the film inside of a photo's file as if it were a file, without a copy.
    ///
    /// - Throws: `RouteError` if the file is missing or has no film, or the range lies outside of the film.
    func film(inside asset: Asset, in served: ServedLibrary, _ request: RouteRequest) async throws
        -> RouteResponse
    {
        let file = try await open(asset, in: served)
        let film = try await served.threads.downloads.run {
            do throws(EmbeddedFilmError) {
                return try EmbeddedFilm.find(in: FileBytes(file))
            } catch .unreadable {
                throw Self.missing
            } catch {
                throw RouteError(.notFound, "the photo \(error)")
            }
        }
        guard let film else { throw RouteError(.notFound, "there is no film in this photo") }
        return try respond(
            OpenFile(film.range, of: file), film.format.type.mediaType,
            name: Self.name(of: film, inside: asset),
            served, request)
    }

    private func open(_ asset: Asset, in served: ServedLibrary) async throws -> OpenFile {
        try await served.threads.run {
            guard let path = served.file(of: asset) else { throw Self.missing }
            do throws(FileError) {
                return try OpenFile(path)
            } catch {
                throw Self.missing
            }
        }
    }

    private static let missing = RouteError(.notFound, "the file of this photo is not there")

    /// Source: RFC 9110, section 14.
    private func respond(
        _ file: OpenFile, _ mediaType: String, name: String, _ served: ServedLibrary, _ request: RouteRequest
    ) throws(RouteError) -> RouteResponse {
        let status = file.status
        let tag = EntityTag("\(status.size) \(status.modified) \(status.inode) \(file.count)")
        var headers: HTTPFields = [
            .eTag: tag.text, .cacheControl: "private, no-cache", .acceptRanges: "bytes",
            .contentType: mediaType,
            // A picture such as an SVG must not run scripts with the rights of this server's pages.
            .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        ]
        if request.query.split(separator: "&").contains("download") {
            headers[.contentDisposition] = ContentDisposition.attachment(name)
        }
        if tag.matches(request) { return RouteResponse(.notModified, headers: headers) }
        var range = 0..<file.count
        let isCurrent = request[.ifRange].map { $0 == tag.text } ?? true
        if let text = request[.range], isCurrent, let asked = ByteRange(text) {
            guard let found = asked.clamped(to: file.count) else {
                var error = RouteError(.rangeNotSatisfiable, "the file has \(file.count) bytes")
                error.headers = [.contentRange: "bytes */\(file.count)"]
                throw error
            }
            range = found
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.count)"
        }
        let isWhole = headers[.contentRange] == nil
        var response = RouteResponse(
            isWhole ? .ok : .partialContent,
            stream: ByteStream(
                FileReading(file, range, on: served.threads.downloads), length: range.count), mediaType)
        response.headers = headers
        return response
    }
}

/// A range of bytes as a client asks for it.
struct ByteRange: Equatable {
    /// Nil for the last bytes.
    private let first: Int?
    /// Nil for all that follow; the number of bytes if `first` is nil.
    private let last: Int?

    /// Nil for what has to be ignored: other units, several ranges, and malformed ones.
    init?(_ text: String) {
        guard text.hasPrefix("bytes=") else { return nil }
        let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
            .map { $0.trimmed { $0 == " " } }
        guard parts.count == 2 else { return nil }
        let numbers = parts.map { Int(strict: $0) }
        for (part, number) in zip(parts, numbers) where !part.isEmpty && number == nil { return nil }
        (first, last) = (numbers[0], numbers[1])
        if first == nil, last == nil { return nil }
        if let first, let last, last < first { return nil }
    }

    /// Returns the bytes of a file; nil if there are none.
    func clamped(to count: Int) -> Range<Int>? {
        guard let first else {
            let length = min(last ?? 0, count)
            return length > 0 ? (count - length)..<count : nil
        }
        return first < count ? first..<min(count, (last ?? count - 1) + 1) : nil
    }
}

/// A part of a file in pieces; no more than one is in memory.
struct FileReading: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    private let file: OpenFile
    private let range: Range<Int>
    private let executor: BlockingExecutor

    /// The bytes of a piece.
    private static let length = 256 << 10

    init(_ file: OpenFile, _ range: Range<Int>, on executor: BlockingExecutor) {
        self.file = file
        self.range = range
        self.executor = executor
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(file: file, executor: executor, position: range.lowerBound, end: range.upperBound)
    }

    struct Iterator: AsyncIteratorProtocol {
        let file: OpenFile
        let executor: BlockingExecutor
        var position: Int
        let end: Int

        /// - Throws: `FileError.changed` if the file has become shorter or was written.
        mutating func next() async throws -> ByteBuffer? {
            guard position < end else { return nil }
            let (file, part) = (file, position..<Swift.min(end, position + FileReading.length))
            position = part.upperBound
            return try await executor.run {
                let bytes = try file.bytes(part)
                guard file.isUnchanged else { throw FileError.changed }
                return ByteBuffer(bytes: bytes)
            }
        }
    }
}

/// The header that makes browsers store a response.
///
/// Source: RFC 6266.
enum ContentDisposition {
    static func attachment(_ name: String) -> String {
        let name = PathText.shown(name)
        let plain = String(
            name.unicodeScalars.map { scalar in
                scalar.isASCII && scalar.value >= 0x20 && !"\"\\%".unicodeScalars.contains(scalar)
                    ? Character(scalar) : "_"
            })
        return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(PercentCoding.encode(name))"
    }
}

extension HTTPField.Name {
    static let ifRange = HTTPField.Name("If-Range")!
}
#endif
