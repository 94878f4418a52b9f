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
                resolution = Resolution(Double(across), Double(down), units: 1)
            case "acTL": frames = max(1, body.uint32(at: 0) ?? 1)
            // Programs write it behind the image data, too.
            case "eXIf": readExif(chunk.body, in: bytes)
            case "IDAT": try chunks.passImageData(chunk)
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
        case let name where PNGText.profileNames.contains(name):
            if let profile = rawProfileBytes(entry.value) { readProfile(FileBytes(profile)) }
        case "Creation Time": offer(CaptureDate(FileBytes(entry.value).text, source: .pngCreationTime))
        case "Title": title = title ?? FileBytes(entry.value).text
        case "Description": caption = caption ?? FileBytes(entry.value).text
        case "Software": software = software ?? FileBytes(entry.value).text
        default: break
        }
    }
}

extension FileMetadata {
    /// Reads a profile by its content: programs give EXIF, XMP and IPTC each other's names.
    private mutating func readProfile(_ profile: FileBytes) {
        if profile.has(JPEGWords.packetName) {
            readXMP(profile.extracting(JPEGWords.packetName.utf8.count...))
        } else if let exif = Exif(profile) {
            add(exif)
            keep(exif: profile.extracting(Exif.start(in: profile)...).array)
        } else if PhotoshopResources.record(in: profile) != nil {
            readIPTC(profile)
        } else {
            readXMP(profile)
        }
    }
}

/// A keyword and its text in a PNG.
struct PNGText {
    /// The keywords of metadata in ImageMagick's text form.
    static let profileNames = Set(
        ["exif", "APP1", "app1", "xmp", "iptc", "8bim"].map { "Raw profile type \($0)" })
    /// The most bytes of an inflated text: an XMP packet in hexadecimal digits.
    private static let mostBytes = 1 << 24

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
                let inflated = Inflate.zlib(rest.extracting(1...), limit: Self.mostBytes)
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
            guard let inflated = Inflate.zlib(text, limit: Self.mostBytes) else { return nil }
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
