internal import Basics
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the chunks of a PNG.
    ///
    /// tIME is not looked at: it is the time of the last change.
    ///
    /// Source: PNG (third edition), section 11; XMP part 3.
    mutating func readPNG(_ bytes: FileBytes) {
        var at = 8
        while let length = bytes.uint32(at: at), let type = bytes.slice(at + 4, 4)?.text {
            let range = (at + 8)..<(at + 8 + length)
            guard let body = bytes.slice(range) else { return }
            switch type {
            case "IHDR":
                guard let width = body.uint32(at: 0), let height = body.uint32(at: 4) else { return }
                storedSize = PixelSize(width: width, height: height)
            case "acTL": frames = max(1, body.uint32(at: 0) ?? 1)
            case "eXIf": readExif(range, in: bytes)
            case "tEXt", "zTXt", "iTXt": readText(PNGText(body, type: type))
            case "IEND": return
            default: break
            }
            at = range.upperBound + 4
        }
    }

    private mutating func readText(_ entry: PNGText?) {
        guard let entry else { return }
        switch entry.keyword {
        case "XML:com.adobe.xmp": readXMP(FileBytes(entry.value))
        case "Raw profile type exif", "Raw profile type APP1":
            guard let block = rawProfileBytes(entry.value), let exif = Exif(block) else { return }
            add(exif)
        case "Raw profile type iptc":
            guard let resources = rawProfileBytes(entry.value),
                let range = IPTCRecord.range(inResources: FileBytes(resources))
            else { return }
            readIPTC(FileBytes(resources).extracting(range))
        case "Creation Time": offer(CaptureDate(FileBytes(entry.value).text, source: .pngCreationTime))
        case "Title": title = title ?? FileBytes(entry.value).text
        case "Description": caption = caption ?? FileBytes(entry.value).text
        case "Software": software = software ?? FileBytes(entry.value).text
        default: break
        }
    }
}
