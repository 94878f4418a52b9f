internal import Basics
package import ViewportGeometry

/// The metadata that a library stores of a file, read from its bytes without decoding a pixel.
package struct FileMetadata: Equatable, Sendable {
    package var format: FileFormat
    /// The pixels as they are stored; nil where the file does not say.
    package var storedSize: PixelSize<StoredGrid>?
    /// How they are turned to be seen: IFD0's orientation, or the rotation that HEIF, JPEG XL and films have of
    /// their own.
    package var orientation = Orientation.up
    /// When it was taken, from the most trusted source there is.
    package var date: CaptureDate?
    /// Where it was taken.
    package var location: Location?
    package var make: String?
    package var model: String?
    package var lens: String?
    package var software: String?
    /// Of films and animations that say it, in seconds.
    package var duration: Double?
    /// The pictures of an animation; 1 of everything else.
    package var frames = 1
    /// Whether it shows a screen: the file's own word, or its name.
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
    /// Where in the file the largest embedded JPEG lies that is smaller than the picture, for a quick look.
    package var preview: Range<Int>?

    package var kind: FileKind { format.kind }

    /// The size as it is seen.
    package var uprightSize: PixelSize<UprightGrid>? { storedSize.map(orientation.uprightSize) }

    package var isAnimated: Bool { frames > 1 && kind == .photo }

    init(_ format: FileFormat) {
        self.format = format
    }
}

extension FileMetadata {
    /// Reads everything that a library stores of a file.
    ///
    /// What is broken reads as missing; nothing is ever trusted.
    ///
    /// - Parameters:
    ///   - bytes: the whole file; only what is needed of it is touched.
    ///   - name: the file's name, without folders: the last guess of a date.
    ///   - sidecar: the bytes of `photo.ext.xmp`, or else of `photo.xmp`; they win over the file.
    ///   - fileTime: the time of the last change, in seconds since 1970 UTC, where it dates files that have no other
    ///     date; nil leaves them undated.
    ///   - assumedZone: the zone of dates that name none.
    /// - Returns: nil where the file is nothing that a library holds.
    package init?(
        _ bytes: FileBytes, name: String, sidecar: [UInt8]? = nil, fileTime: Int? = nil,
        assumedZone: AssumedZone? = nil
    ) {
        guard let format = FileFormat(bytes, name: name) else { return nil }
        self.init(format)
        readContents(bytes)
        // No format has longer sides, and products of these are safe.
        if let size = storedSize, size.isEmpty || max(size.width, size.height) > Int(Int32.max) {
            storedSize = nil
        }
        readName(name)
        offer(fileTime.flatMap { CaptureDate(fileTime: $0) })
        if let sidecar { readSidecar(FileBytes(sidecar)) }
        if let assumedZone { assume(assumedZone) }
    }

    private mutating func readContents(_ bytes: FileBytes) {
        switch format {
        case .jpeg: readJPEG(bytes)
        case .png: readPNG(bytes)
        case .gif: readGIF(bytes)
        case .webp: readWebP(bytes)
        case .bmp: readBMP(bytes)
        case .tiff, .dng, .cr2, .nef, .arw, .orf, .rw2, .pef, .srw: readTIFF(bytes)
        case .raf: readRAF(bytes)
        case .cr3: readCR3(bytes)
        case .heif, .avif: readHEIF(bytes)
        case .jxl: readJXL(bytes)
        case .jp2: readJP2(bytes)
        case .mp4, .mov: readMovie(bytes)
        case .avi: readAVI(bytes)
        case .mkv, .webm: readMatroska(bytes)
        case .svg, .pdf, .xmp: break
        }
    }

    private mutating func assume(_ zone: AssumedZone) {
        guard let date, date.offset == nil, let offset = zone.offset(date.local) else { return }
        self.date?.offset = offset
        self.date?.zoneSource = .assumed(zone.name)
    }
}

/// Readers offer what they find, in any order; what is trusted most stays.
extension FileMetadata {
    mutating func offer(_ candidate: CaptureDate?) {
        guard let candidate, date.map({ candidate.source < $0.source }) ?? true else { return }
        date = candidate
    }

    mutating func offer(_ candidate: Location?) {
        guard let candidate, location.map({ candidate.source < $0.source }) ?? true else { return }
        location = candidate
    }

    /// The larger preview stays; one that does not lie in the file or begins like no JPEG is none.
    mutating func offer(preview range: Range<Int>?, in bytes: FileBytes) {
        guard let range, bytes.contains(range.count, at: range.lowerBound),
            bytes.uint16(at: range.lowerBound) == 0xFFD8,
            range.count > preview?.count ?? 0
        else { return }
        preview = range
    }

    mutating func add(_ exif: Exif) {
        orientation = exif.orientation.map(Orientation.init(exif:)) ?? orientation
        make = make ?? exif.make
        model = model ?? exif.model
        lens = lens ?? exif.lens
        software = software ?? exif.software
        offer(exif.date)
        offer(exif.gpsDate)
        offer(exif.location)
        isScreenshot = isScreenshot || exif.userComment == "Screenshot"
        burstIdentifier = burstIdentifier ?? exif.apple.burst
        livePhotoIdentifier = livePhotoIdentifier ?? exif.apple.content
        caption = caption ?? exif.caption
        rating = rating ?? exif.rating
    }

    /// Reads an EXIF block that lies at a range of the file.
    mutating func readExif(_ range: Range<Int>, in bytes: FileBytes) {
        guard let block = bytes.slice(range), let exif = Exif(block) else { return }
        add(exif)
        let base = range.lowerBound + Exif.start(in: block)
        offer(preview: exif.preview.map { ($0.lowerBound + base)..<($0.upperBound + base) }, in: bytes)
    }
}
