internal import Basics
package import Batches
internal import Containers
internal import Digests
package import Files
internal import PNGEncoding
internal import Synchronization
internal import Vips

/// The thumbnail cache that desktop programs share.
///
/// Source: Thumbnail Managing Standard, freedesktop.org.
package final class FreedesktopStore: ThumbnailStore {
    /// A folder of the cache.
    package enum Flavor: String, CaseIterable, Sendable {
        case normal, large
        case xLarge = "x-large"
        case xxLarge = "xx-large"

        /// The side of the square box of its thumbnails.
        package var side: Int {
            switch self {
            case .normal: 128
            case .large: 256
            case .xLarge: 512
            case .xxLarge: 1024
            }
        }

        /// Creates the flavor of a size; nil if the cache has no folder for it.
        package init?(_ size: ThumbnailSize) {
            guard let flavor = Self.allCases.first(where: { size == ThumbnailSize($0.side) }) else {
                return nil
            }
            self = flavor
        }
    }

    /// The sizes where none is given: those that every file manager shows.
    package static let usualSizes = [Flavor.normal, .large].map { ThumbnailSize($0.side) }

    private let folder: String
    private let flavors: [Flavor]
    private let retriesFailed: Bool
    /// The folder of recorded failures, one per program and version.
    private let failFolder: String
    private let areFoldersReady = Mutex(false)

    /// - Parameters:
    ///   - folder: the cache: `thumbnails` in the user's cache folder.
    ///   - program: its name and version, such as "viewport-0.2.0".
    ///   - retriesFailed: whether files that failed in an earlier run are tried again.
    package init(_ folder: String, _ flavors: [Flavor], program: String, retriesFailed: Bool = false) {
        self.folder = folder
        failFolder = "fail/\(program)"
        self.flavors = flavors
        self.retriesFailed = retriesFailed
    }

    package func store(for recipe: ThumbnailRecipe) -> (any ThumbnailStore)? { nil }

    package var naming: OutputNaming? { nil }

    package func outputs(of item: BatchItem) -> [String] {
        let name = Self.name(of: FileURI.of(item))
        return flavors.map { "\(folder)/\($0.rawValue)/\(name)" }
    }

    /// Returns the MD5 of the URI, with ".png".
    static func name(of uri: String) -> String {
        MD5.hash(uri).hexadecimal + ".png"
    }

    package func existing(
        _ item: BatchItem, _ outputs: [String], _ source: FileStatus
    ) -> KeptThumbnails? {
        var kept = KeptThumbnails(outputs: [])
        for (flavor, path) in zip(flavors, outputs) {
            guard let file = try? InputFile.contents(path), Self.isValid(file, item, source), file.count > 24
            else {
                return nil
            }
            // The first eight bytes of IHDR's data.
            var chunks = PNGChunks(FileBytes(file))
            guard let start = ((try? chunks.next()) ?? nil)?.body.lowerBound,
                let width = file.uint32(at: start), let height = file.uint32(at: start + 4)
            else { return nil }
            kept.outputs.append(StoredThumbnail(ThumbnailSize(flavor.side), width, height, file, path))
        }
        return kept
    }

    /// Whether a thumbnail of any program matches the current file.
    private static func isValid(_ file: [UInt8], _ item: BatchItem, _ source: FileStatus) -> Bool {
        let texts = PNGText.read(file).map(\.text)
        func value(_ keyword: String) -> String? { texts.first { $0.keyword == keyword }?.value }
        guard value("Thumb::URI") == FileURI.of(item),
            value("Thumb::MTime") == "\(seconds(source))"
        else { return false }
        return value("Thumb::Size").map { $0 == "\(source.size)" } ?? true
    }

    private static func seconds(_ source: FileStatus) -> Int { source.modified / 1_000_000_000 }

    package func prepare(_ item: BatchItem, _ outputs: [String], _ source: FileStatus) throws(BatchFailure) {
        let path = ProcessEnvironment.absolutePath(item.file)
        guard FilePath(path).below(FilePath(ProcessEnvironment.absolutePath(folder))) == nil else {
            throw BatchFailure(
                "is-thumbnail", "\(item.path): is a thumbnail of the cache; give the original file")
        }
        do throws(FileError) {
            try makeFolders()
        } catch {
            throw BatchFailure(writing: error, folder)
        }
        guard !retriesFailed, let marker = try? InputFile.contents(marker(of: item)),
            Self.isValid(marker, item, source)
        else { return }
        throw BatchFailure(
            "failed-before",
            "\(item.path): failed in an earlier run and has not changed"
        )
    }

    private func makeFolders() throws(FileError) {
        let isFirst = areFoldersReady.withLock { isReady in
            defer { isReady = true }
            return !isReady
        }
        for name in flavors.map(\.rawValue) + [failFolder] {
            // Every thread creates the folder: a later one can be faster.
            try Folder.make("\(folder)/\(name)")
            if isFirst { TemporaryName.sweep("\(folder)/\(name)") }
        }
    }

    package func write(
        _ made: [Thumbnail], placeholder: String?, of item: BatchItem, to outputs: [String],
        _ source: FileStatus
    ) throws(BatchFailure) -> [StoredThumbnail] {
        var stored: [StoredThumbnail] = []
        for (thumbnail, path) in zip(made, outputs) {
            let file = PNGText.adding(
                Self.texts(of: item, source), to: try Self.standardPNG(thumbnail.bytes))
            do throws(FileError) {
                try PartFile.write(file, to: path, mode: 0o600)
            } catch {
                throw BatchFailure(writing: error, path)
            }
            stored.append(StoredThumbnail(thumbnail.size, thumbnail.width, thumbnail.height, file, path))
        }
        // The file succeeded now: its recorded failure is removed.
        Folder.remove(marker(of: item))
        return stored
    }

    private static func texts(of item: BatchItem, _ source: FileStatus) -> [PNGText] {
        [
            PNGText("Thumb::URI", FileURI.of(item)),
            PNGText("Thumb::MTime", "\(seconds(source))"), PNGText("Thumb::Size", "\(source.size)"),
            PNGText("Software", "viewport"),
        ]
    }

    private func marker(of item: BatchItem) -> String {
        let uri = FileURI.of(item)
        return "\(folder)/\(failFolder)/\(Self.name(of: uri))"
    }

    /// Records a failure as an image of one pixel, as the standard requires.
    package func note(_ failure: BatchFailure, of item: BatchItem, _ source: FileStatus) {
        let format = PNGFormat(
            width: 1, height: 1, channels: .rgba, bitDepth: .eight, colorSpace: .sRGB)
        let pixel: [UInt8] = [0, 0, 0, 0]
        guard let png = try? PNGEncoder().encode(pixel.span, as: format) else { return }
        // A failure that cannot be recorded is found again by the next run.
        try? PartFile.write(
            PNGText.adding(Self.texts(of: item, source), to: png), to: marker(of: item), mode: 0o600)
    }
}

extension FileURI {
    /// Returns the URI of the file as it was named: links are kept, as in file managers.
    fileprivate static func of(_ item: BatchItem) -> String {
        of("/" + BatchRoot("/", isForManifest: false).relative(item.file))
    }
}

extension FreedesktopStore {
    /// Converts to the PNG that the standard requires: 8 bits, not interlaced, with alpha.
    static func standardPNG(_ png: [UInt8]) throws(BatchFailure) -> [UInt8] {
        do throws(VipsError) {
            let image = try VipsImage.load(bytes: png, with: "pngload_buffer").converted(to: "srgb")
            let full = image.hasAlpha ? image : try image.joined(constant: 255)
            return try full.saved(with: "pngsave_buffer", ["strip": .bool(true)])
        } catch {
            throw BatchFailure("cannot-encode", "the thumbnail cannot be written as png (\(error.log))")
        }
    }
}

/// The URI of a file in the freedesktop.org thumbnail cache.
enum FileURI {
    /// Returns "file:///home/jens/photos/me.png": an absolute path, percent-encoded.
    ///
    /// The unescaped characters are those of GLib's `g_filename_to_uri`, so that desktops compute the same name.
    static func of(_ path: String) -> String {
        "file://"
            + PathText.bytes(path).map { byte in
                let scalar = Unicode.Scalar(byte)
                guard plain.contains(scalar) else {
                    return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
                }
                return String(scalar)
            }.joined()
    }

    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.!~*'()/&=:@+$,".unicodeScalars)
}
