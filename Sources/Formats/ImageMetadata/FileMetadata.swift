internal import Basics
package import Containers
internal import Files
package import ViewportGeometry

/// The metadata of a file that a photo library stores, read without decoding pixels.
package struct FileMetadata: Equatable, Sendable {
    package var format: FileFormat
    /// The size of the stored pixels; nil if the file does not state it.
    package var storedSize: PixelSize<StoredGrid>?
    /// The orientation for display: that of EXIF's IFD0, or the rotation in HEIF, JPEG XL and video.
    package var orientation = Orientation.up
    /// The turn from the file's own orientation to that of the sidecar, which `orientation` is then.
    package var sidecarTurn = Orientation.up
    /// Why the sidecar was not read; nil if it was, or if there is none.
    package var sidecarFault: SidecarFault?
    /// Whether the sidecar states that it is that of a file with another extension, so that nothing of it counts.
    package var isSidecarOfOther = false
    /// The dates that the file and its sidecar state.
    package private(set) var dates = DateChoice()
    /// The location of capture.
    package var location: Location?
    /// Why a position that is stated does not count; nil if it does, or if there is none.
    package var positionFault: String?
    package var make: String?
    package var model: String?
    package var lens: String?
    package var software: String?
    package var exposure = Exposure()
    /// The stored pixels per millimeter of what was scanned or is to be printed; nil if it is unknown or has no meaning.
    package var pixelsPerMillimeter: Double?
    /// The resolution as stated, which copies keep, whether or not it has a meaning.
    package var resolution: Resolution?
    /// The duration of a video or animation in seconds, if stated.
    package var duration: Double?
    /// The number of frames of an animation; 1 for others.
    package var frames = 1
    /// Whether it is a screenshot, by the file's metadata or its name.
    package var isScreenshot = false
    /// Equal for the pictures of one burst.
    package var burstIdentifier: String?
    /// Equal for the picture and the film of a live photo.
    package var livePhotoIdentifier: String?
    package var title: String?
    package var caption: String?
    package var keywords: [String] = []
    /// -1 (rejected) to 5.
    package var rating: Int?
    /// A color label, such as "Red".
    package var label: String?
    /// Who holds the rights, and what is permitted: XMP's `dc:rights`, EXIF's Copyright or IPTC's copyright notice.
    package var rights: String?
    /// Who is to be named: the credit line of XMP or IPTC.
    package var credit: String?
    /// The URL of a license: XMP's `xmpRights:WebStatement` or `cc:license`.
    package var license: String?
    /// The panorama that the picture states to be.
    package var panorama: PanoramaTags?
    /// The film inside of a motion photo.
    package var film: EmbeddedFilm?
    /// Whether XMP states that there is one.
    var announcesFilm = false
    /// The range of the largest embedded JPEG that is smaller than the picture, for previews.
    package var preview: Range<Int>?
    /// The JPEGs that a raw file refers to.
    var embedded: [EmbeddedJPEG] = []
    /// The EXIF metadata: the first block that can be read; that of a raw file is completed by its other ones.
    package private(set) var exif: Exif?
    /// EXIF, XMP and IPTC as they are stored; nil unless they were asked for.
    package var blocks: MetadataBlocks?
    /// Whether XMP and IPTC are passed over.
    private var isOfExifOnly = false
    /// The words of EXIF's tags of Windows, which count where there are no others.
    private var windows = WindowsWords()

    package var kind: FileKind { format.kind }

    /// The date of capture, from the most trusted source available.
    package var date: CaptureDate? {
        get { dates.chosen }
        set { dates.chosen = newValue }
    }

    /// The size for display.
    package var uprightSize: PixelSize<UprightGrid>? { storedSize.map(orientation.uprightSize) }

    package var isAnimated: Bool { frames > 1 && kind == .photo }

    init(_ format: FileFormat) {
        self.format = format
    }
}

extension FileMetadata {
    /// Reads the metadata of a file that a photo library stores.
    ///
    /// Damaged metadata is treated as missing; nothing in the file is trusted. Bytes that cannot be read are missing, too:
    /// whoever has opened the file checks it afterwards, as `InputFile.read` does.
    ///
    /// - Parameters:
    ///   - bytes: The whole file; only the needed pages are read.
    ///   - name: The file's name without folders: a source of dates.
    ///   - sidecar: The bytes of `photo.ext.xmp`, or else of `photo.xmp`, which override the file. Nothing of a sidecar is
    ///     read that is damaged.
    ///   - sharesSidecar: Whether the sidecar is `photo.xmp`, which can state the extension of the one file that it is for.
    ///   - fileTime: The modification time, in seconds since 1970 UTC, to date files that have no other date; nil
    /// leaves
    ///     them undated.
    ///   - assumedZone: The zone of dates without a zone.
    /// - Returns: Nil if the format is not one that a library holds.
    package init?(
        _ bytes: FileBytes, name: String, sidecar: [UInt8]? = nil, sharesSidecar: Bool = false,
        fileTime: Int? = nil,
        assumedZone: AssumedZone? = nil
    ) {
        guard let format = FileFormat(bytes, name: name) else { return nil }
        self.init(format)
        readValidContents(bytes)
        readFilm(bytes)
        readName(name)
        offer(fileTime.flatMap { CaptureDate(fileTime: $0) })
        if let sidecar {
            do throws(SidecarFault) {
                let packet = try XMPPacket(SidecarText(sidecar))
                // Camera Raw names the raw file, beside which the camera's JPEG has the same name.
                let only = sharesSidecar ? packet.first("photoshop:SidecarForExtension") : nil
                let isOwn = only.map { name.lowercased().hasSuffix(".\($0.lowercased())") } ?? true
                if isOwn { readSidecar(packet) } else { isSidecarOfOther = true }
            } catch {
                sidecarFault = error
            }
        }
        if let assumedZone { dates.assume(assumedZone) }
    }

    /// How much is read of what a file states of itself.
    package enum Extent: Sendable {
        /// EXIF, size and orientation: what an image needs that is opened.
        case exif
        /// Also XMP and IPTC.
        case all
        /// All, and the blocks as they are stored.
        case blocks
    }

    /// Reads what a file states of itself, without the date in its name, its film and a sidecar.
    ///
    /// Damaged metadata is treated as missing, as are bytes that cannot be read: whoever has opened the file checks it
    /// afterwards.
    ///
    /// - Returns: Nil if the format is not one that a library holds.
    package init?(contentsOf bytes: FileBytes, name: String, _ extent: Extent = .all) {
        guard let format = FileFormat(bytes, name: name) else { return nil }
        self.init(format)
        isOfExifOnly = extent == .exif
        if extent == .blocks { blocks = MetadataBlocks() }
        readValidContents(bytes)
    }

    private mutating func readValidContents(_ bytes: FileBytes) {
        // What cannot be read is missing: the check of the file reports it.
        try? readContents(bytes)
        title = title ?? windows.title
        caption = caption ?? windows.comment
        if keywords.isEmpty { keywords = windows.keywords }
        // No format has longer sides, and products of these do not overflow.
        if let size = storedSize, size.isEmpty || max(size.width, size.height) > Int(Int32.max) {
            storedSize = nil
        }
    }

    private mutating func readContents(_ bytes: FileBytes) throws(FileError) {
        switch format {
        case .jpeg: try readJPEG(bytes)
        case .png: try readPNG(bytes)
        case .gif: readGIF(bytes)
        case .webp: try readWebP(bytes)
        case .bmp: readBMP(bytes)
        case .tiff, .dng, .cr2, .nef, .arw, .orf, .rw2, .pef, .srw: try readTIFF(bytes)
        case .raf: try readRAF(bytes)
        case .cr3: try readCR3(bytes)
        case .heif, .avif: try readHEIF(bytes)
        case .jxl: try readJXL(bytes)
        case .jp2: try readJP2(bytes)
        case .mp4, .mov: try readMovie(bytes)
        case .avi: try readAVI(bytes)
        case .mkv, .webm: readMatroska(bytes)
        // Nothing is read of the others.
        default: break
        }
    }

    /// Finds the film of files that may have one, so that others are not read again.
    private mutating func readFilm(_ bytes: FileBytes) {
        switch format {
        case .jpeg:
            guard announcesFilm || !JPEGSegment.isImageEnd(bytes.count, in: bytes) else { return }
        case .heif, .avif: break
        default: return
        }
        film = try? EmbeddedFilm.find(in: bytes)
    }
}

/// Readers offer their values in any order; the most trusted ones are kept.
extension FileMetadata {
    mutating func offer(_ candidate: CaptureDate?) { dates.offer(candidate) }

    mutating func offer(_ candidate: Location?) {
        guard let candidate, location.map({ candidate.source < $0.source }) ?? true else { return }
        location = candidate
    }

    /// Keeps the larger preview; ignores ranges outside of the file or without a JPEG.
    ///
    /// - Parameter stated: The size according to the structure that refers to it.
    mutating func offer(
        preview range: Range<Int>?, stated: PixelSize<StoredGrid>? = nil, in bytes: FileBytes
    ) {
        if format.isRaw {
            guard let range, !embedded.contains(where: { $0.range == range }),
                let jpeg = EmbeddedJPEG(range, stated: stated, in: bytes)
            else { return }
            embedded.append(jpeg)
            guard jpeg.isPicture else { return }
        }
        guard let range, bytes.contains(range.count, at: range.lowerBound),
            FileType(bytes.extracting(range)) == .jpeg,
            range.count > preview?.count ?? 0
        else { return }
        preview = range
    }

    /// The pixels per inch that cameras, screens and libvips state where they know none.
    private static let meaningless = [72, 96, 25.4]

    /// Returns the pixels per millimeter of a density that is equal both ways and has a meaning; nil for others.
    ///
    /// - Parameter millimeters: The millimeters of the unit.
    static func density(_ across: Double, _ down: Double, millimeters: Double) -> Double? {
        let density = across / millimeters
        guard density.isFinite, (0.01...100_000).contains(density), abs(across - down) <= across / 100,
            meaningless.allSatisfy({ abs(density * 25.4 - $0) > 0.1 })
        else { return nil }
        return density
    }

    /// Adds the values of an EXIF block; of the blocks of a file that is not raw, only the first one holds.
    mutating func add(_ exif: Exif) {
        guard self.exif == nil || format.isRaw else { return }
        self.exif = self.exif?.completed(by: exif) ?? exif
        orientation = exif.orientation.map(Orientation.init(exif:)) ?? orientation
        make = make ?? exif.make
        model = model ?? exif.model
        lens = lens ?? exif.lens
        software = software ?? exif.software
        exposure = exposure.completed(by: exif.exposure)
        pixelsPerMillimeter = pixelsPerMillimeter ?? exif.pixelsPerMillimeter
        resolution = resolution ?? exif.resolution
        offer(exif.date)
        offer(exif.digitized)
        offer(exif.makerDate)
        offer(exif.gpsDate)
        offer(exif.location)
        isScreenshot = isScreenshot || exif.userComment == "Screenshot"
        burstIdentifier = burstIdentifier ?? exif.apple.burst
        livePhotoIdentifier = livePhotoIdentifier ?? exif.apple.content
        caption = caption ?? exif.caption
        rights = rights ?? exif.copyright
        windows = windows.completed(by: exif.windows)
        rating = rating ?? exif.rating
    }

    /// Reads the EXIF block in a range of the file.
    mutating func readExif(_ range: Range<Int>, in bytes: FileBytes) {
        guard self.exif == nil || format.isRaw, let block = bytes.slice(range), let exif = Exif(block) else {
            return
        }
        add(exif)
        keep(exif: block.extracting(Exif.start(in: block)...).array)
        let base = range.lowerBound + Exif.start(in: block)
        offer(preview: exif.preview.map { ($0.lowerBound + base)..<($0.upperBound + base) }, in: bytes)
    }
}

/// Blocks other than EXIF, of which the first of a file are kept.
extension FileMetadata {
    /// Reads a packet of XMP, which is not even put together where only EXIF is needed.
    mutating func readXMP(_ packet: @autoclosure () -> FileBytes?) {
        guard !isOfExifOnly, let bytes = packet() else { return }
        if blocks != nil, blocks?.xmp == nil { blocks?.xmp = bytes.array }
        add(XMPPacket(bytes))
    }

    /// Reads an IPTC record, or Photoshop's resources with one in them.
    mutating func readIPTC(_ resources: @autoclosure () -> FileBytes?) {
        guard !isOfExifOnly, let bytes = resources(), let range = PhotoshopResources.record(in: bytes) else {
            return
        }
        let record = bytes.extracting(range)
        if blocks != nil, blocks?.iptc == nil { blocks?.iptc = record.array }
        add(IPTCRecord(record))
    }

    /// Keeps the first block of EXIF, from its byte-order mark on.
    mutating func keep(exif block: @autoclosure () -> [UInt8]?) {
        if blocks != nil, blocks?.exif == nil { blocks?.exif = block() }
    }
}

extension FileMetadata {
    /// Returns the name of a camera: the model, after the manufacturer unless it begins with its name.
    package static func camera(make: String?, model: String?) -> String? {
        guard let model else { return make }
        guard let make, let first = make.split(separator: " ").first,
            !model.lowercased().hasPrefix(first.lowercased())
        else { return model }
        return "\(make) \(model)"
    }
}
