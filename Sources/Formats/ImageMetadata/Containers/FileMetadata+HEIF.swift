internal import Containers
internal import Files
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the items of a HEIF or AVIF file.
    ///
    /// Its rotation replaces EXIF's, so that the picture is rotated once.
    mutating func readHEIF(_ bytes: FileBytes) throws(FileError) {
        guard let items = HEIFItems(bytes) else { return }
        if let exif = items.exif(in: bytes) { readExif(exif, in: bytes) }
        if let xmp = items.xmp, let packet = bytes.slice(xmp) { readXMP(packet) }
        let picture = items.primary.flatMap { items[$0] }
        storedSize = picture?.storedSize
        orientation = picture?.orientation ?? .up
        // Image sequences also have a movie box.
        guard let range = try BoxList.first("moov", in: 0..<bytes.count, of: bytes) else { return }
        let movie = try MovieHeader(bytes, in: range)
        guard movie.samples > 1 else { return }
        frames = movie.samples
        duration = movie.duration
    }
}
