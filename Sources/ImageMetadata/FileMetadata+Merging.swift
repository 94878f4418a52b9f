internal import Basics
internal import ViewportGeometry

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
