internal import Basics

extension FileMetadata {
    /// Reads a QuickTime or MP4 film.
    mutating func readMovie(_ bytes: FileBytes) {
        var boxes = BoxList(bytes, in: 0..<bytes.count)
        while let box = boxes.next() {
            switch box.type {
            case BoxList.code("moov"):
                let movie = MovieHeader(bytes, in: box.content)
                add(movie)
                if let packet = movie.xmp { readXMP(bytes.extracting(packet)) }
            case BoxList.code("uuid"): readUUID(box.content, in: bytes)
            default: break
            }
        }
    }

    private mutating func add(_ movie: MovieHeader) {
        storedSize = movie.size
        orientation = movie.orientation
        duration = movie.duration
        if let seconds = movie.created {
            offer(CaptureDate(secondsSince1970: seconds, source: .quickTimeCreateDate))
        }
        func text(_ key: String, _ short: String) -> String? {
            movie.texts["com.apple.quicktime.\(key)"] ?? movie.texts[short]
        }
        if let date = CaptureDate(text("creationdate", "©day"), source: .quickTimeCreationDate), date.hasTime
        {
            offer(date)
        }
        make = text("make", "©mak")
        model = text("model", "©mod")
        software = text("software", "©swr")
        title = text("title", "©nam")
        caption = text("description", "©des")
        livePhotoIdentifier = text("content.identifier", "")
        if var place = text("location.ISO6709", "©xyz").flatMap({ Location(iso6709: $0, source: .quickTime) })
        {
            place.accuracy = text("location.accuracy.horizontal", "").flatMap { Double($0) }
                .flatMap { $0.isFinite ? $0 : nil }
            offer(place)
        }
    }

    /// Reads a box that is named by 16 bytes, of which the first eight tell it: XMP, and EXIF and IPTC of JPEG 2000.
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
