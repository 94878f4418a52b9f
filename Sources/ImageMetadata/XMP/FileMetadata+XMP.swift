extension FileMetadata {
    /// Reads the XMP packet of the file itself: what EXIF says wins.
    mutating func readXMP(_ bytes: FileBytes) {
        let packet = XMPPacket(bytes)
        offer(packet, [.xmpDateTimeOriginal, .xmpDateCreated, .xmpCreateDate, .xmpDateTimeDigitized])
        offer(packet.gpsDate)
        offer(packet.location(.xmp))
        make = make ?? packet.first("tiff:Make")
        model = model ?? packet.first("tiff:Model")
        lens = lens ?? packet.lens
        software = software ?? packet.first("xmp:CreatorTool")
        isScreenshot = isScreenshot || packet.first("exif:UserComment") == "Screenshot"
        burstIdentifier = burstIdentifier ?? packet.first("GCamera:BurstID")
        // Words for people are XMP's before all others.
        title = packet.first("dc:title") ?? title
        caption = packet.first("dc:description") ?? caption
        keywords = packet.keywords.isEmpty ? keywords : packet.keywords
        rating = packet.rating ?? rating
    }

    /// Reads the sidecar: it wins over the file.
    mutating func readSidecar(_ bytes: FileBytes) {
        let packet = XMPPacket(bytes)
        let inFile = date
        offer(
            packet,
            [.sidecarDateTimeOriginal, .sidecarDateCreated, .sidecarCreateDate, .sidecarDateTimeDigitized])
        // Many programs copy the date into the sidecar and leave its zone in the file.
        if let inFile, let date, date.offset == nil, date.local.wholeSeconds == inFile.local.wholeSeconds {
            self.date?.offset = inFile.offset
            self.date?.zoneSource = inFile.zoneSource
        }
        offer(packet.location(.sidecar))
        title = packet.first("dc:title") ?? title
        caption = packet.first("dc:description") ?? caption
        keywords = packet.keywords.isEmpty ? keywords : packet.keywords
        rating = packet.rating ?? rating
    }

    private mutating func offer(_ packet: XMPPacket, _ sources: [DateSource]) {
        let names = [
            "exif:DateTimeOriginal", "photoshop:DateCreated", "xmp:CreateDate", "exif:DateTimeDigitized",
        ]
        for (name, source) in zip(names, sources) {
            offer(CaptureDate(packet.first(name), source: source))
        }
    }
}

extension XMPPacket {
    fileprivate var lens: String? { first("exifEX:LensModel") ?? first("aux:Lens") }
    fileprivate var keywords: [String] { all("dc:subject") }

    fileprivate var rating: Int? {
        first("xmp:Rating").flatMap { Double($0) }.flatMap { (-1...5).contains($0) ? Int($0) : nil }
    }

    /// XMP has the day in the time stamp.
    fileprivate var gpsDate: CaptureDate? {
        guard var date = CaptureDate(first("exif:GPSTimeStamp"), source: .gpsDateTime), date.hasTime else {
            return nil
        }
        if date.offset == nil {
            date.offset = .utc
            date.zoneSource = .definition
        }
        return date
    }

    fileprivate func location(_ source: LocationSource) -> Location? {
        guard let latitude = first("exif:GPSLatitude").flatMap({ Self.degrees($0, "N", "S") }),
            let longitude = first("exif:GPSLongitude").flatMap({ Self.degrees($0, "E", "W") })
        else { return nil }
        let belowSea = first("exif:GPSAltitudeRef") == "1"
        return Location(
            latitude: latitude, longitude: longitude,
            altitude: first("exif:GPSAltitude").flatMap(Self.fraction).map { belowSea ? -$0 : $0 },
            accuracy: first("exif:GPSHPositioningError").flatMap(Self.fraction), source: source)
    }

    /// "52,30.5N" or "52,30,30N" in degrees; nil without its hemisphere.
    private static func degrees(_ text: String, _ positive: Character, _ negative: Character) -> Double? {
        guard let hemisphere = text.last, hemisphere == positive || hemisphere == negative else { return nil }
        let parts = text.dropLast().split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard (2...3).contains(parts.count) else { return nil }
        var degrees = 0.0
        for (part, unit) in zip(parts, [1.0, 60, 3600]) {
            guard let part, part.isFinite, part >= 0 else { return nil }
            degrees += part / unit
        }
        return hemisphere == negative ? -degrees : degrees
    }

    /// "1234/10" or "123.4".
    private static func fraction(_ text: String) -> Double? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
        guard let above = parts.first ?? nil, parts.count <= 2 else { return nil }
        let below = parts.count == 2 ? parts[1] : 1
        guard let below, below != 0, (above / below).isFinite else { return nil }
        return above / below
    }
}
