internal import ViewportGeometry

extension FileMetadata {
    /// Reads the items of a HEIF or AVIF file.
    ///
    /// Its own rotation replaces EXIF's: the picture is turned once.
    mutating func readHEIF(_ bytes: FileBytes) {
        guard let meta = BoxList.first("meta", in: 0..<bytes.count, of: bytes) else { return }
        let items = HEIFItems(bytes, meta: meta)
        if let exif = items.exif(in: bytes) { readExif(exif, in: bytes) }
        if let xmp = items.xmp, let packet = bytes.slice(xmp) { readXMP(packet) }
        let geometry = items.geometry(in: bytes)
        storedSize = geometry.size
        orientation = geometry.orientation
        // A sequence of pictures has a film beside them.
        guard let range = BoxList.first("moov", in: 0..<bytes.count, of: bytes) else { return }
        let movie = MovieHeader(bytes, in: range)
        guard movie.samples > 1 else { return }
        frames = movie.samples
        duration = movie.duration
    }
}
