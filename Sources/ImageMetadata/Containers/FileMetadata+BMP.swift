internal import Basics
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the size of a bitmap; a negative height says that its rows go down.
    ///
    /// Source: Microsoft, BITMAPCOREHEADER and BITMAPINFOHEADER.
    mutating func readBMP(_ bytes: FileBytes) {
        if bytes.uint32(at: 14, .little) == 12 {
            guard let width = bytes.uint16(at: 18, .little), let height = bytes.uint16(at: 20, .little) else {
                return
            }
            storedSize = PixelSize(width: width, height: height)
        } else {
            guard let width = bytes.int32(at: 18, .little), let height = bytes.int32(at: 22, .little) else {
                return
            }
            storedSize = PixelSize(width: abs(width), height: abs(height))
        }
    }
}
