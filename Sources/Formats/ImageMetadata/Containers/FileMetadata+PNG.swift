internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the chunks of a PNG.
    ///
    /// tIME is ignored: it is the modification time.
    ///
    /// Source: PNG (third edition), section 11; XMP part 3.
    mutating func readPNG(_ bytes: FileBytes) throws(FileError) {
        var chunks = PNGChunks(bytes)
        while let chunk = try chunks.next() {
            guard let body = bytes.slice(chunk.body) else { return }
            switch chunk.type {
            case "IHDR":
                guard let width = body.uint32(at: 0), let height = body.uint32(at: 4) else { return }
                storedSize = PixelSize(width: width, height: height)
            case "pHYs" where body.uint8(at: 8) == 1:
                guard let across = body.uint32(at: 0), let down = body.uint32(at: 4) else { break }
                pixelsPerMillimeter = Self.density(Double(across), Double(down), millimeters: 1000)
            case "acTL": frames = max(1, body.uint32(at: 0) ?? 1)
            case "eXIf": readExif(chunk.body, in: bytes)
            case "tEXt", "zTXt", "iTXt": readText(PNGText(body, type: chunk.type))
            case "IEND": return
            default: break
            }
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

/// A keyword and its text in a PNG.
struct PNGText {
    var keyword: String
    /// Latin-1 or UTF-8.
    var value: [UInt8]

    /// Returns nil if the chunk is damaged.
    ///
    /// Of compressed texts, only profiles are read.
    init?(_ body: FileBytes, type: FourCC) {
        guard let end = body.indices.prefix(80).first(where: { body[$0] == 0 }) else { return nil }
        keyword = String(decoding: body.extracting(0..<end).array, as: UTF8.self)
        let rest = body.extracting((end + 1)...)
        switch type {
        case "tEXt":
            value = rest.array
        case "zTXt":
            guard keyword.hasPrefix("Raw profile type "), rest.uint8(at: 0) == 0,
                let inflated = Inflate.zlib(rest.extracting(1...), limit: 1 << 20)
            else { return nil }
            value = inflated
        default:
            // Compression flag and method, language, translated keyword.
            guard let isCompressed = rest.uint8(at: 0), let language = rest.text(endFrom: 2),
                let translated = rest.text(endFrom: language)
            else { return nil }
            let text = rest.extracting(translated...)
            guard isCompressed == 1 else {
                value = text.array
                return
            }
            guard let inflated = Inflate.zlib(text, limit: 1 << 22) else { return nil }
            value = inflated
        }
    }
}

extension FileBytes {
    /// The offset after the NUL that ends the text at `start`.
    fileprivate func text(endFrom start: Int) -> Int? {
        guard start <= count else { return nil }
        return (start..<count).first { self[$0] == 0 }.map { $0 + 1 }
    }
}
