internal import Containers
internal import Files
internal import Pictures
internal import RemoteFiles
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// A file and the libvips loader that reads it.
struct LoaderFile: Sendable {
    let file: OpenFile
    let loader: String
    let format: ImageFormat
    let options: OpenOptions
    /// The severity that the decoder fails on, by libvips' name; nil to derive it from options and damage.
    private let failOn: String?
    private let scan: DamageScan?
    /// Opens the header of a remote file without a copy; nil for others.
    private let head: RemoteHead?
    /// The file as its decoder has to get it; nil for other formats than GIF.
    private let transparency: GIFTransparency?

    /// - Parameter scan: finds damage that the decoder would not notice; nil for undamaged files.
    init(
        file: OpenFile, loader: String, format: ImageFormat, options: OpenOptions, failOn: String? = nil,
        scan: DamageScan? = nil, head: RemoteHead? = nil
    ) {
        self.file = file
        self.loader = loader
        self.format = format
        self.options = options
        self.failOn = failOn
        self.scan = scan
        self.head = head
        transparency = loader == "VipsForeignLoadNsgifFile" ? GIFTransparency(file) : nil
    }

    /// Returns the damage of a picture that may be shown nevertheless.
    ///
    /// - Throws: `RenderingError` where it must not be shown.
    func refusingDamage() throws(RenderingError) -> FileDamage? {
        if let damage = try scan?.damage(format) {
            guard damage.isWhole || options.allowsTruncated && damage.isShowable else {
                throw RenderingError(damage, of: file)
            }
            return damage
        }
        return options.allowsTruncated ? FileDamage.find(FileBytes(file)) : nil
    }

    /// Opens the page at full resolution and reads only its header.
    ///
    /// - Throws: `RenderingError`; `.noSuchPage` also for loaders that report a missing page as damage.
    func header() throws(RenderingError) -> VipsImage {
        do {
            return try load(readsHeader: true)
        } catch {
            guard options.page > 0, let first = try? load(page: 0, readsHeader: true) else { throw error }
            let count = pages(of: first).count
            guard options.page >= count else { throw error }
            throw .noSuchPage(file: file.path, page: options.page, pages: count)
        }
    }

    /// Opens the file with arguments of the loader and reads only the header.
    ///
    /// - Parameter readsHeader: whether no pixels will be read; reading pixels requires a scan for damage.
    func load(
        _ arguments: [String: VipsArgument] = [:], page: Int? = nil, readsHeader: Bool = false
    ) throws(RenderingError) -> VipsImage {
        // To see its kind, libvips needs a copy, too.
        if head == nil || !readsHeader { try file.copyForDecoder(options) }
        var all = selecting(arguments, page: page)
        var isTolerant = options.allowsTruncated
        if !isTolerant, failOn == nil, !readsHeader { isTolerant = try refusingDamage() != nil }
        if isSequential { all["access"] = .name("sequential") }
        all["fail_on"] = .name(failOn ?? (isTolerant ? "none" : severity(all, readsHeader)))
        if readsHeader, let image = head?.image(all) { return image }
        try file.copyForDecoder(options)
        let bytes = try bytesInMemory()
        let gif = try transparency?.bytes()
        let image: VipsImage
        do throws(VipsError) {
            if let gif { return try VipsImage.load(bytes: gif, with: "VipsForeignLoadNsgifBuffer", all) }
            if let bytes { return try VipsImage.load(bytes: bytes, with: "VipsForeignLoadWebpBuffer", all) }
            image = try VipsImage.load(readPath, with: loader, all)
        } catch {
            throw .decoding(file, log: error.log)
        }
        // A loader that opens the file by name may have opened another file.
        guard !goesByName || FileStatus(file.path) == file.status else { throw .changed(file: file.path) }
        return image
    }

    /// Returns the severity on which the decoder fails: errors, but not warnings, which files of many old cameras cause.
    private func severity(_ arguments: [String: VipsArgument], _ readsHeader: Bool) -> String {
        guard loader == "VipsForeignLoadTiffFile", !readsHeader else { return "error" }
        return TIFFStrictness.severity(of: SelectedPage(arguments, in: file)?.directory)
    }

    /// Whether the loader can only read rows from the top.
    var isSequential: Bool { head?.isSequential ?? VipsImage.isSequential(readPath, with: loader) }

    /// The path for libvips: that of the open file, except for loaders that need the name or files next to it.
    private var readPath: String { goesByName ? file.path : file.descriptorPath }

    private var goesByName: Bool { file.hasPath && VipsImage.needsName(loader) }

    /// The bytes for loaders that map files: a mapped file that is truncated would end the process.
    private func bytesInMemory() throws(RenderingError) -> [UInt8]? {
        guard loader == "VipsForeignLoadWebpFile" else { return nil }
        // Larger files exceed the limit on pixels.
        guard file.count <= 1 << 29, let bytes = try? file.contents() else {
            guard (try? file.check()) != nil else { throw .changed(file: file.path) }
            throw .damaged(file: file.path, detail: "its bytes cannot be read")
        }
        return bytes
    }

    /// The meaning of a file's pages.
    enum Pages {
        /// Separate pictures.
        case pictures(Int)
        /// One picture at several resolutions, each page half the size of the previous one.
        case resolutions(Int)

        var count: Int {
            switch self {
            case .pictures(let count): count
            case .resolutions: 1
            }
        }
    }

    /// Returns whether pages are separate pictures or resolutions of one.
    func pages(of header: VipsImage) -> Pages {
        let count = max(1, head?.tiff?.count ?? header.int("n-pages") ?? 1)
        switch format {
        case .jpeg2000: return .resolutions(count)
        case .tiff where count > 1:
            return isPyramid(header, pages: count) ? .resolutions(count) : .pictures(count)
        default: return .pictures(count)
        }
    }

    /// Returns whether every page has half the size of the previous one, to within the rounding of writers.
    private func isPyramid(_ header: VipsImage, pages: Int) -> Bool {
        guard options.page == 0, pages <= 32 else { return false }
        let areLevels = (1..<pages).allSatisfy { page in
            guard let level = try? load(page: page, readsHeader: true) else { return false }
            let factor = 1 << page
            return abs(level.width - header.width / factor) <= 2
                && abs(level.height - header.height / factor) <= 2
                && level.width >= 1 && level.bands == header.bands
        }
        let first = areLevels ? TIFFBlock(tiff: FileBytes(file))?.main : nil
        let directories = sequence(first: first) { $0?.following }.prefix(pages)
        return areLevels && !directories.contains { $0?.isMask == true }
    }
}

/// The parts of a remote file that are decoded without a copy.
extension LoaderFile {
    /// Whether the file may be copied.
    var canBeCopied: Bool { !file.isRemote || file.count <= options.remote.copyByteCount }

    /// Whether the strips or tiles of a rectangle are read alone.
    var hasParts: Bool { head?.tiff != nil }

    /// Returns the strips or tiles that arguments of the loader select; nil where the file is read as a whole.
    func parts(_ arguments: [String: VipsArgument]) -> TIFFParts? {
        file.isCopied ? nil : head?.tiff?.parts(arguments)
    }

    /// Returns the strips of a fax; nil for all others.
    ///
    /// Where libvips has to fail on warnings of libtiff to notice damage, it would also fail for tags that libtiff does not
    /// know: a TIFF of the strips alone has none.
    func faxParts(_ arguments: [String: VipsArgument]) -> TIFFParts? {
        guard loader == "VipsForeignLoadTiffFile", !file.isRemote, !options.allowsTruncated,
            let page = SelectedPage(selecting(arguments), in: file),
            TIFFStrictness.needsOwnFile(page.directory)
        else { return nil }
        return TIFFParts(of: file, at: page.place)
    }

    /// Returns the JPEGs that the strips or tiles of a TIFF are, whose damage has to be refused; nil for all others.
    func jpegs(_ arguments: [String: VipsArgument]) -> TIFFJPEGs? {
        guard loader == "VipsForeignLoadTiffFile", !options.allowsTruncated else { return nil }
        return SelectedPage(selecting(arguments), in: file).flatMap { TIFFJPEGs($0, of: file) }
    }

    /// Returns arguments of the loader with the page of the options.
    private func selecting(_ arguments: [String: VipsArgument], page: Int? = nil) -> [String: VipsArgument] {
        let page = page ?? options.page
        guard page > 0, arguments["page"] == nil, format != .jpeg2000,
            VipsImage.loader(loader, takes: "page")
        else { return arguments }
        return arguments.merging(["page": .int(page)]) { $1 }
    }

    /// The same file, which is copied to be read.
    var copied: LoaderFile {
        LoaderFile(file: file, loader: loader, format: format, options: options, failOn: failOn, scan: scan)
    }
}

extension LoaderFile: FrameReading {
    func openFrames() throws(RenderingError) -> (strip: VipsImage, isSequential: Bool) {
        (try load(["n": .int(-1)]), isSequential)
    }
}

/// The resolutions of each format, and the loader arguments that select them.
extension LoaderFile {
    typealias Level = (level: PyramidLevel, arguments: [String: VipsArgument])

    /// Returns the levels, level 0 first.
    func levels(of header: VipsImage, pages: Pages) -> [Level] {
        let full: Level = (PyramidLevel(index: 0, size: header.size, of: header.size), [:])
        return [full] + smallerLevels(of: header, pages: pages)
    }

    private func smallerLevels(of header: VipsImage, pages: Pages) -> [Level] {
        let size = header.size
        switch (format, pages) {
        case (.jpeg, _):
            return (1...3).compactMap { shrunk(size, $0, ["shrink": .int(1 << $0)]) }
        case (.webp, .pictures(1)):
            return opened(size, (1...4).map { ["scale": .double(1 / Double(1 << $0))] })
        case (.svg, _), (.pdf, _):
            return drawnLevels(size)
        case (.openslide, _):
            let count = header.string("openslide.level-count").flatMap { Int($0) } ?? 1
            return opened(size, (1..<max(1, count)).map { ["level": .int($0)] })
        case (_, .resolutions(let count)):
            return opened(size, (1..<count).map { ["page": .int($0)] })
        case (.tiff, _):
            let count = min(32, head?.tiff?.countBelow ?? header.int("n-subifds") ?? 0)
            let block = TIFFBlock(tiff: FileBytes(file))
            let places = block?.main?.ints(0x014A) ?? []
            // A map of depths has the aspect of a small form of the picture.
            let masks = places.indices.filter { index in
                block.flatMap { TIFFDirectory($0, at: places[index]) }?.isMask == true
            }
            return opened(size, (0..<count).filter { !masks.contains($0) }.map { ["subifd": .int($0)] })
        default:
            return []
        }
    }

    /// Returns a level whose pixels each cover 2^index; libvips omits a partial last row and column.
    ///
    /// Returns nil where a side has no pixels: libvips would abort the process by an assertion.
    private func shrunk(
        _ size: PixelSize<StoredGrid>, _ index: Int, _ arguments: [String: VipsArgument]
    ) -> Level? {
        let factor = 1 << index
        let shrunk = PixelSize<StoredGrid>(width: size.width / factor, height: size.height / factor)
        guard !shrunk.isEmpty else { return nil }
        var level = PyramidLevel(
            index: index, size: shrunk, downsampleX: Double(factor), downsampleY: Double(factor))
        // The same level as without libvips.
        level.isOverview = index == 3
        return (level, arguments)
    }

    /// Returns levels whose sizes are read from the file, without those that are not smaller or have another aspect.
    private func opened(_ full: PixelSize<StoredGrid>, _ candidates: [[String: VipsArgument]]) -> [Level] {
        var levels: [Level] = []
        for arguments in candidates {
            guard let image = try? load(arguments, readsHeader: true) else { continue }
            let level = PyramidLevel(index: levels.count + 1, size: image.size, of: full)
            let last = levels.last?.level.size ?? full
            guard image.width <= last.width, image.height <= last.height, image.size != last,
                abs(level.downsampleX / level.downsampleY - 1) < 0.05 + 2
                    / Double(min(image.width, image.height))
            else { continue }
            levels.append((level, arguments))
        }
        return levels
    }

    /// Returns the levels of a drawing from 1/64 to 32, up to the limit of its renderer.
    private func drawnLevels(_ size: PixelSize<StoredGrid>) -> [Level] {
        (-5...6).filter { $0 != 0 }.compactMap { index in
            let scale = index < 0 ? Double(1 << -index) : 1 / Double(1 << index)
            let width = Int((Double(size.width) * scale).rounded())
            let height = Int((Double(size.height) * scale).rounded())
            guard min(width, height) >= 1, max(width, height) <= 32767 else { return nil }
            let level = PyramidLevel(
                index: index, size: PixelSize(width: width, height: height),
                downsampleX: Double(size.width) / Double(width),
                downsampleY: Double(size.height) / Double(height))
            return (level, ["scale": .double(scale)])
        }
    }
}
