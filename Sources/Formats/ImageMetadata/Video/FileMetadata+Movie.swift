internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry

extension FileMetadata {
    /// Reads a QuickTime or MP4 file.
    mutating func readMovie(_ bytes: FileBytes) throws(FileError) {
        var boxes = BoxList(bytes, in: 0..<bytes.count)
        var dayAlone: CaptureDate?
        while let box = try boxes.next() {
            switch box.type {
            case "moov":
                let movie = try MovieHeader(bytes, in: box.content)
                add(movie)
                dayAlone = movie.texts.date
                if let packet = movie.texts.xmp { readXMP(bytes.extracting(packet)) }
            case "meta":
                var texts = MovieTexts()
                try texts.readMetadata(bytes, box.content)
                add(texts)
            case "uuid": readUUID(box.content, in: bytes)
            default: break
            }
        }
        // A day is less than the moment that another source states.
        if date == nil { offer(dayAlone) }
    }

    private mutating func add(_ movie: MovieHeader) {
        storedSize = movie.size
        orientation = movie.orientation
        duration = movie.duration
        if let seconds = movie.created {
            offer(
                CaptureDate(
                    secondsSince1970: seconds, zone: movie.texts.zone, source: .quickTimeCreateDate))
        }
        add(movie.texts)
    }

    private mutating func add(_ texts: MovieTexts) {
        // Cameras state in their own boxes what others state in texts.
        if let exif = texts.maker { add(maker: exif) }
        if let date = texts.date, date.hasTime { offer(date) }
        make = make ?? texts.make
        model = model ?? texts.model
        software = software ?? texts["software", "©swr"]
        title = title ?? texts["title", "©nam", "titl"]
        caption = caption ?? texts["description", "©des", "dscp"]
        livePhotoIdentifier = livePhotoIdentifier ?? texts["content.identifier"]
        offer(texts.location)
    }

    /// Adds what the maker of a camera states in a film; its picture is another than the film's.
    mutating func add(maker exif: Exif) {
        offer(exif.date)
        offer(exif.gpsDate)
        offer(exif.location)
        make = make ?? exif.make
        model = model ?? exif.model
        lens = lens ?? exif.lens
        software = software ?? exif.software
    }

    /// Reads a box with a UUID, recognized by its first eight bytes: XMP, and EXIF and IPTC in JPEG 2000.
    mutating func readUUID(_ range: Range<Int>, in bytes: FileBytes) {
        guard let first = bytes.bits(8, at: range.lowerBound), range.count >= 16 else { return }
        let content = (range.lowerBound + 16)..<range.upperBound
        switch first {
        case 0xBE7A_CFCB_97A9_42E8: readXMP(bytes.extracting(content))
        case 0x4A70_6754_6966_6645: readExif(content, in: bytes)
        case 0x33C7_A4D2_B81D_4723: readIPTC(bytes.extracting(content))
        default: break
        }
    }
}

extension CaptureDate {
    /// A moment in UTC, by the local time of a zone if one is known.
    init?(secondsSince1970 seconds: Int, zone: (offset: UTCOffset, source: ZoneSource)?, source: DateSource) {
        guard let zone else {
            self.init(secondsSince1970: seconds, source: source)
            return
        }
        guard let local = WallClock(wholeSeconds: seconds + zone.offset.minutes * 60) else { return nil }
        self.init(local: local, offset: zone.offset, source: source, zoneSource: zone.source)
    }
}
