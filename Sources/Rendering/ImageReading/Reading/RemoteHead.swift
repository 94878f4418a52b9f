internal import Containers
internal import Files
internal import Vips

/// Opens the header of a remote file for libvips without a copy of the file.
enum RemoteHead: Sendable {
    /// The pages of a TIFF.
    case tiff(TIFFPages)
    /// HEIF and AVIF, and where their media data lies: libheif 1.15 loads all data of an AV1 picture for its header.
    case heif(OpenFile, media: [Range<Int>])
    /// A WebP whose image data is zeros behind its first bytes.
    case webp([UInt8])

    /// The bytes of files that are brought in one answer rather than in parts.
    private static let leastBytes = 1 << 17

    /// Returns nil for files of this machine or without ranges, for small ones, and for formats that are read whole.
    init?(_ file: OpenFile, _ options: OpenOptions) {
        guard file.isRemote, !file.isCopied, file.sendsRanges, !options.allowsTruncated else { return nil }
        let bytes = FileBytes(file)
        switch FileType(bytes) {
        case .tiff?:
            guard let pages = TIFFPages(file, options) else { return nil }
            self = .tiff(pages)
        case .heif?, .avif?:
            guard file.count > Self.leastBytes, VipsImage.loader("VipsForeignLoadHeifSource", takes: "page")
            else { return nil }
            self = .heif(file, media: Self.mediaData(of: bytes))
        case .webp? where file.count > Self.leastBytes:
            guard let head = WebPHead.bytes(of: bytes) else { return nil }
            self = .webp(head)
        default: return nil
        }
    }

    /// The loader for the file.
    var loader: String {
        switch self {
        case .tiff: "VipsForeignLoadTiffFile"
        case .heif: "VipsForeignLoadHeifFile"
        case .webp: "VipsForeignLoadWebpFile"
        }
    }

    /// Whether the loader can only read rows from the top.
    var isSequential: Bool {
        if case .tiff(let pages) = self { return pages.parts([:])?.tile == nil }
        // They are so for all files of a format.
        return VipsImage.isSequential("/dev/null", with: loader)
    }

    /// Opens the header; nil where the file must be copied for it.
    ///
    /// - Parameter arguments: those of the loader.
    func image(_ arguments: [String: VipsArgument]) -> VipsImage? {
        switch self {
        case .tiff(let pages):
            guard let parts = pages.parts(arguments) else { return nil }
            return try? VipsImage.load(
                bytes: parts.header, with: "VipsForeignLoadTiffBuffer",
                arguments.filter { $0.key != "page" && $0.key != "subifd" })
        case .heif(let file, let media):
            return try? VipsImage.load(
                source: file, with: "VipsForeignLoadHeifSource", arguments, shortening: media)
        case .webp(let head):
            return try? VipsImage.load(bytes: head, with: "VipsForeignLoadWebpBuffer", arguments)
        }
    }

    private static func mediaData(of bytes: FileBytes) -> [Range<Int>] {
        var boxes = BoxList(bytes, in: 0..<bytes.count)
        var media: [Range<Int>] = []
        while let box = (try? boxes.next()) ?? nil {
            if box.type == "mdat" { media.append(box.content) }
        }
        return media
    }

    /// The pages of a TIFF, which its header alone does not tell.
    var tiff: TIFFPages? {
        if case .tiff(let pages) = self { pages } else { nil }
    }
}

/// The pages of a TIFF, and the smaller pictures that belong to the one that is read.
struct TIFFPages: Sendable {
    private let file: OpenFile
    /// The positions of the directories.
    private let offsets: [Int]
    private let page: Int
    /// The positions of the SubIFDs of the page that is read.
    private let below: [Int]

    /// libvips' limit of SubIFDs.
    private static let mostBelow = 32

    /// Returns nil where OpenSlide may take the file, and where a page is not there or not read by parts.
    init?(_ file: OpenFile, _ options: OpenOptions) {
        guard !VipsLibrary.allowsUntrustedLoaders, let block = TIFFBlock(tiff: FileBytes(file)),
            let chain = try? TIFFDirectoryChain(block, in: file),
            chain.offsets.indices.contains(options.page),
            let directory = TIFFDirectory(block, at: chain.offsets[options.page]),
            let entries = try? directory.entries()
        else { return nil }
        (self.file, offsets, page) = (file, chain.offsets, options.page)
        let entry = entries.first { $0.tag == 330 && $0.count <= Self.mostBelow }
        below = entry.flatMap { try? block.numbers($0) } ?? []
        guard parts([:]) != nil else { return nil }
    }

    var count: Int { offsets.count }
    var countBelow: Int { below.count }

    /// Returns the parts of the page that arguments of libvips' loader select; nil where they cannot be read alone.
    func parts(_ arguments: [String: VipsArgument]) -> TIFFParts? {
        var place = offsets[page]
        if case .int(let page)? = arguments["page"] {
            guard offsets.indices.contains(page) else { return nil }
            place = offsets[page]
        }
        if case .int(let index)? = arguments["subifd"] {
            guard below.indices.contains(index) else { return nil }
            place = below[index]
        }
        return TIFFParts(of: file, at: place)
    }
}

/// What libvips reads of a WebP for its header.
enum WebPHead {
    /// The most bytes of a file: larger ones exceed the limit on pixels.
    private static let mostBytes = 1 << 29
    /// The bytes of image data that state its size.
    private static let start = 64
    /// The bytes of metadata that are read.
    private static let mostMetadata = 1 << 20
    /// The chunks that lie so far behind the one before that each takes a request.
    private static let mostJumps = 6

    /// Returns a file of the same length whose image data is zeros behind its first bytes; nil for broken files, and for
    /// animations of so many frames that their headers would take as long as the file.
    static func bytes(of file: FileBytes) -> [UInt8]? {
        guard file.count <= mostBytes, let stated = RIFFChunk.statedLength(of: file), stated <= file.count
        else {
            return nil
        }
        var head = [UInt8](repeating: 0, count: file.count)
        var (left, jumps) = (mostMetadata, 0)
        func copy(_ range: Range<Int>) -> Bool {
            left -= range.count
            guard left >= 0 else { return false }
            head.replaceSubrange(range, with: file.extracting(range).array)
            return true
        }
        guard copy(0..<min(12, file.count)) else { return nil }
        func walk(_ range: Range<Int>) -> Bool {
            var chunks = RIFFChunks(file, in: range)
            while let chunk = (try? chunks.next()) ?? nil {
                guard chunk.isWhole else { return false }
                let isImage = ["VP8 ", "VP8L", "ALPH"].contains(chunk.type)
                if isImage, chunk.body.count > RemoteHead.usualRequest { jumps += 1 }
                guard jumps <= mostJumps else { return false }
                let body = chunk.body
                switch chunk.type {
                case "ANMF":
                    let inner = min(body.lowerBound + 16, body.upperBound)
                    guard copy(chunk.start..<inner), walk(inner..<body.upperBound) else { return false }
                case "XMP ": guard copy(chunk.start..<body.lowerBound) else { return false }
                default:
                    let end = isImage ? min(body.lowerBound + start, body.upperBound) : body.upperBound
                    guard copy(chunk.start..<end) else { return false }
                }
            }
            return true
        }
        guard walk(12..<file.count), (try? file.check()) != nil else { return nil }
        return head
    }
}

extension RemoteHead {
    /// The bytes that a request brings at least.
    fileprivate static let usualRequest = 1 << 14
}
