internal import ViewportGeometry

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
        if storedSize?.isEmpty == true { storedSize = nil }
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
