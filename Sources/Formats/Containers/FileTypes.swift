internal import Basics
package import Files

/// The table of file types, in the order in which they are recognized and listed.
///
/// Sources: the formats' specifications; libvips' loaders; ISO/IEC 14496-12 and 23008-12 for brands; RFC 8794 for EBML;
/// ExifTool's list of file types.
extension FileType {
    package static let all: [FileType] = raws + pictures + videos + others + files + endings

    // The types that code elsewhere treats on their own.
    package static let jpeg = row("jpeg")
    package static let png = row("png")
    package static let webp = row("webp")
    package static let gif = row("gif")
    package static let tiff = row("tiff")
    package static let heif = row("heif")
    package static let avif = row("avif")
    package static let dng = row("dng")
    package static let otherFilm = row("other-video")

    private static func row(_ name: String) -> FileType {
        guard let type = named(name) else { preconditionFailure("the table has no row \(name)") }
        return type
    }

    private static let read: Traits = [.scanned, .listed]
    private static let photo: Traits = [.scanned, .listed, .kept]
    private static let builtIn: Traits = [.scanned, .listed, .kept, .builtIn]

    /// Pictures and drawings with formats of their own.
    private static let pictures: [FileType] = [
        FileType(
            "jpeg", "JPEG", "a JPEG picture", .picture, [.bytes([0xFF, 0xD8])], ["jpg", "jpeg", "jpe"],
            read: ["jfif", "jps", "mpo"], media: "image/jpeg", loader: "jpeg", builtIn),
        FileType(
            "png", "PNG", "a PNG picture", .picture, [.bytes(PNGChunk.signature)], ["png"], read: ["apng"],
            media: "image/png", loader: "png", builtIn.union(.lossless)),
        // A raw format of this structure is one of `raws`, which are recognized before.
        FileType(
            "tiff", "TIFF", "a TIFF picture", .picture,
            [.text("II*\0"), .text("MM\0*"), .text("II+\0"), .text("MM\0+")], ["tif", "tiff"],
            media: "image/tiff", loader: "tiff", builtIn.union(.lossless)),
        FileType(
            "webp", "WebP", "a WebP picture", .picture, [.riff("WEBP")], ["webp"], media: "image/webp",
            loader: "webp", builtIn.union(.decodedWhole)),
        FileType(
            "gif", "GIF", "a GIF picture", .picture, [.text("GIF8")], ["gif"], media: "image/gif",
            loader: "gif", builtIn.union([.decodedWhole, .lossless])),
        // AVIFs have the brands of HEIF, too.
        FileType(
            "heif", "HEIF and AVIF", "a HEIF picture", .picture, [.rule { isHEIF($0) && !isAVIF($0) }],
            ["heic", "heif", "hif"], media: "image/heic", desktop: ["image/heif"], loader: "heif",
            photo.union([.decodedWhole, .decodedTwice])),
        FileType(
            "avif", "AVIF", "an AVIF picture", .picture, [.rule(isAVIF)], ["avif"], media: "image/avif",
            loader: "heif", photo.union([.decodedWhole, .decodedTwice])),
        FileType(
            "jp2", "JPEG 2000", nil, .picture,
            [
                .text("\0\0\0\u{0C}jP  "), .bytes([0xFF, 0x4F, 0xFF, 0x51]),
                .brands(["jp2 ", "jpx ", "jpm "]),
            ],
            ["jp2", "j2k"], read: ["jpx", "jpf"], media: "image/jp2", loader: "jp2k", photo.union(.untrusted)),
        FileType(
            "jxl", "JPEG XL", nil, .picture,
            [.bytes([0xFF, 0x0A]), .text("\0\0\0\u{0C}JXL "), .brands(["jxl "])], ["jxl"],
            media: "image/jxl", loader: "jxl", photo.union([.untrusted, .decodedWhole, .decodedTwice])),
        // Text: a drawing or a sidecar.
        FileType(
            "xmp", "XMP", nil, .sidecar, [.rule { $0.ending == "xmp" && $0.bytes.contains(0x3C) }], ["xmp"]),
        FileType(
            "svg", "SVG", "an SVG", .document, [.rule(isSVG)], ["svg"], media: "image/svg+xml", loader: "svg",
            read.union([.untrusted, .drawn, .lossless])),
        FileType(
            "pdf", "PDF", "a PDF", .document, [.text("%PDF-")], ["pdf"], media: "application/pdf",
            loader: "pdf", read.union([.untrusted, .drawn, .lossless])),
        FileType(
            "openslide", "slides", "a slide", .picture, [], ["svs", "ndpi", "scn", "mrxs", "vms", "bif"],
            loader: "openslide", read.union(.untrusted)),
    ]

    /// Raw formats of cameras; those with makers begin like any TIFF.
    private static let raws: [FileType] = [
        // libvips reads it as the TIFF that it begins like.
        raw(
            "cr2", [.rule { $0.bytes.has("II*\0") && $0.bytes.has("CR", at: 8) }],
            desktop: ["image/x-canon-cr2"], builtIn),
        raw("cr3", [.brands(["crx "])], desktop: ["image/x-canon-cr3"]),
        raw(
            "nef", read: ["nrw"], desktop: ["image/x-nikon-nef", "image/x-nikon-nrw"], makers: ["NIKON"]),
        raw("arw", read: ["sr2"], desktop: ["image/x-sony-arw", "image/x-sony-sr2"], makers: ["SONY"]),
        // Told by its version's tag.
        raw("dng", desktop: ["image/x-adobe-dng"]),
        raw("raf", [.text("FUJIFILMCCD-RAW ")], desktop: ["image/x-fuji-raf"]),
        raw("orf", [.text("IIRO"), .text("IIRS"), .text("MMOR")], desktop: ["image/x-olympus-orf"]),
        raw("rw2", [.text("IIU\0")], desktop: ["image/x-panasonic-rw2"]),
        raw("pef", desktop: ["image/x-pentax-pef"], makers: ["PENTAX", "RICOH"]),
        raw("srw", makers: ["SAMSUNG"]),
    ]

    private static func raw(
        _ name: String, _ signatures: [Signature] = [], read: [String] = [], desktop: [String] = [],
        makers: [String] = [], _ traits: Traits = photo
    ) -> FileType {
        FileType(
            name, name.uppercased(), nil, .raw, signatures, [name], read: read, desktop: desktop,
            makers: makers,
            traits)
    }

    private static let videos: [FileType] = [
        FileType(
            "mov", "QuickTime", "a QuickTime film", .video,
            [.rule(isQuickTime), .firstBox(["moov", "mdat", "wide", "free", "skip", "pnot"])], ["mov"],
            read: ["qt"], media: "video/quicktime", [.scanned, .kept]),
        // Any other file of boxes with brands.
        FileType(
            "mp4", "MP4", "an MP4 film", .video, [.text("ftyp", at: 4)], ["mp4"],
            read: ["m4v", "3gp", "3g2", "f4v"],
            media: "video/mp4", [.scanned, .kept]),
        FileType(
            "avi", "AVI", "an AVI film", .video, [.riff("AVI ")], ["avi"], read: ["divx"],
            media: "video/x-msvideo",
            [.scanned, .kept]),
        FileType(
            "webm", "WebM", "a WebM film", .video, [.rule { isEBML($0) && isWebM($0) }], ["webm"],
            media: "video/webm",
            [.scanned, .kept]),
        FileType(
            "mkv", "Matroska", "a Matroska film", .video, [.rule(isEBML)], ["mkv"], media: "video/x-matroska",
            [.scanned, .kept]),
    ]

    /// Pictures without formats of their own, most of which libvips reads by ImageMagick.
    private static let others: [FileType] = [
        // Text can begin with the same two letters.
        magick(
            "bmp", "a bitmap", [.rule { $0.bytes.has("BM") && $0.bytes.uint32(at: 6) == 0 }], ["bmp"],
            media: "image/bmp", [.scanned, .kept]),
        FileType(
            "svgz", "SVGZ", "a compressed SVG", .document, [.bytes([0x1F, 0x8B])], ["svgz"], loader: "svg",
            read.union([.untrusted, .drawn])),
        loaded("exr", "an OpenEXR file", [.bytes([0x76, 0x2F, 0x31, 0x01])], ["exr"], "openexr"),
        loaded("hdr", "a Radiance picture", [.text("#?RADIANCE"), .text("#?RGBE")], ["hdr"], "rad"),
        loaded("fits", "a FITS file", [.text("SIMPLE  =")], ["fits", "fit"], "fits"),
        loaded(
            "v", "a libvips image", [.bytes([0xB6, 0xA6, 0xF2, 0x08]), .bytes([0x08, 0xF2, 0xA6, 0xB6])],
            ["v"], "vips"),
        loaded("mat", "a MATLAB file", [.text("MATLAB 5.0")], [], "mat"),
        magick("psd", "a Photoshop file", [.text("8BPS")], ["psd"], .scanned),
        magick("dds", "a DirectDraw surface", [.text("DDS ")]),
        magick("sgi", "an SGI picture", [.bytes([0x01, 0xDA])]),
        magick("xpm", "an XPM picture", [.text("/* XPM */")]),
        magick("xbm", "an XBM picture", [.text("#define ")]),
        magick("ras", "a Sun raster", [.bytes([0x59, 0xA6, 0x6A, 0x95])]),
        magick("xcf", "a GIMP picture", [.text("gimp xcf")]),
        magick("miff", "an ImageMagick picture", [.text("id=ImageMagick")]),
        magick("dpx", "a DPX film frame", [.text("SDPX"), .text("XPDS")]),
        magick("mng", "an MNG picture", [.bytes([0x8A, 0x4D, 0x4E, 0x47])]),
        magick("jng", "a JNG picture", [.bytes([0x8B, 0x4A, 0x4E, 0x47])]),
        magick("vicar", "a VICAR picture", [.text("LBLSIZE=")]),
        magick("viff", "a Khoros picture", [.bytes([0xAB, 0x01])]),
        loaded(
            "pnm", "a PNM picture", [.rule(isPNM)], ["ppm", "pgm", "pbm", "pnm", "pfm"], "ppm"),
        magick("pcx", "a PCX picture", [.rule(isPCX)]),
        magick("ico", "an icon", [.rule { isIcon($0, kind: 1) }], ["ico"], .scanned),
        magick("cur", "a cursor", [.rule { isIcon($0, kind: 2) }]),
        magick("tga", "a TGA picture", [.rule(isTGA)], ["tga"], .scanned),
    ]

    private static func loaded(
        _ name: String, _ phrase: String, _ signatures: [Signature], _ extensions: [String], _ loader: String
    ) -> FileType {
        FileType(
            name, name.uppercased(), phrase, .picture, signatures, extensions, loader: loader,
            [.scanned, .untrusted])
    }

    private static func magick(
        _ name: String, _ phrase: String, _ signatures: [Signature], _ extensions: [String] = [],
        media: String? = nil, _ traits: Traits = []
    ) -> FileType {
        FileType(
            name, name.uppercased(), phrase, .picture, signatures, extensions, media: media, loader: "magick",
            traits.union(.untrusted))
    }

    /// Files that are no pictures.
    private static let files: [FileType] = [
        FileType("aae", "AAE", nil, .sidecar, [], ["aae"]),
        FileType("thm", "THM", nil, .sidecar, [], ["thm"]),
        // Small copies of films, by GoPro and DJI.
        FileType("proxy", "proxies", nil, .sidecar, [], ["lrv", "lrf"]),
        FileType("viewport", "a sidecar", nil, .other, [.text("VPIX")]),
        FileType(
            "zip", "ZIP", nil, .other, [.text("PK\u{03}\u{04}"), .text("PK\u{05}\u{06}")], ["zip"],
            media: "application/zip"),
        FileType("xml", "XML", nil, .other, [.rule { $0.firstLetter == "<" }], ["xml"]),
        FileType("json", "JSON", nil, .other, [.rule { $0.firstLetter == "{" }], ["json"]),
    ]

    /// Folders of cards in which everything but photos and films is the camera's own: of the Design rule for Camera File
    /// systems (MISC), of AVCHD, XAVC and XDCAM, and of Canon and Sony.
    static let cameraFolders: Set<FilePath> = [
        "AVCHD", "AVF_INFO", "BDMV", "CANONMSC", "M4ROOT", "MISC", "MP_ROOT", "PRIVATE", "XDROOT",
    ]

    /// The folders of cards in which photos and films are; sources: the Design rule for Camera File systems, AVCHD, XAVC.
    package static let pictureFolders: Set<FilePath> = ["DCIM", "AVCHD", "M4ROOT", "XDROOT", "MP_ROOT"]

    /// Types that are told only by their extensions: nothing here reads what is in them.
    private static let endings: [FileType] = [
        FileType("other-raw", "raw", nil, .raw, [], ["3fr", "srf", "x3f"], [.scanned, .kept]),
        FileType(
            "rare-raw", "raw", nil, .raw, [],
            [
                "ari", "bay", "cap", "crw", "dcr", "dcs", "drf", "eip", "erf", "fff", "gpr", "iiq", "insp",
                "k25",
                "kdc", "mdc", "mef", "mos", "mrw", "ori", "ptx", "pxn", "raw", "rwl", "rwz",
            ], .kept),
        FileType(
            "other-video", "video", "a film", .video, [.rule(isOtherFilm)],
            ["m2ts", "mpeg", "mpg", "mts", "wmv"], [.scanned, .kept]),
        FileType(
            "rare-video", "video", nil, .video, [],
            [
                "360", "asf", "braw", "crm", "dv", "flv", "insv", "m2t", "m2v", "mod", "mpe", "mxf",
                "ogv", "r3d", "rm", "rmvb", "tod", "vob",
            ], .kept),
        // Canon's catalogs, DPOF's orders, Nikon's and Sony's lists, AVCHD's indexes, DJI's positions and previews.
        FileType(
            "camera", "files of cameras", nil, .camera, [],
            [
                "bdm", "bnp", "cpi", "ctg", "dat", "ind", "inp", "int", "moi", "mpl", "mrk", "nav",
                "obs",
                "pgi", "sav", "srt", "tdt", "tid",
            ]),
        // Names of files that an output folder is unlikely to have.
        FileType("stream", "stream", nil, .other, [], ["ts", "y4m"]),
        FileType("archive", "archive", nil, .other, [], ["tar", "gz", "tgz", "7z", "rar"]),
        FileType("page", "page", nil, .other, [], ["html"]),
    ]
}

extension FileType {
    /// Whether a HEIF or AVIF file has a brand that all versions of libheif know.
    package static func hasUsualImageBrand(_ file: FileBytes) -> Bool {
        let known: Set<FourCC> = ["heic", "heix", "mif1", "avif"]
        return Head(file, ending: "").brands.contains(where: known.contains)
    }

    /// Returns the first box of a HEIF or AVIF file.
    package static func imageBrands(isAVIF: Bool) -> [UInt8] {
        let brand: FourCC = isAVIF ? "avif" : "heic"
        return Box.bytes("ftyp", brand.bytes, [0, 0, 0, 0], FourCC("mif1").bytes, brand.bytes)
    }
}

extension FileBytes {
    /// Whether it begins with a codestream of JPEG 2000 or JPEG XL without boxes.
    package var isCodestream: Bool { uint32(at: 0) == 0xFF4F_FF51 || uint16(at: 0) == 0xFF0A }

    /// Whether it begins with the brands of an ISO base media file.
    package var hasBrands: Bool { has("ftyp", at: 4) }
}

/// The rules of signatures that are more than bytes.
extension FileType {
    private static func isAVIF(_ head: Head) -> Bool {
        let brands: Set<FourCC> = ["avif", "avis", "avio", "MA1A", "MA1B"]
        return head.brands.contains(where: brands.contains)
    }

    private static func isHEIF(_ head: Head) -> Bool {
        let brands: Set<FourCC> = [
            "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "mif2", "mif3", "msf1",
            "miaf", "1pic",
        ]
        return head.brands.contains(where: brands.contains)
    }

    /// QuickTime's brand comes first, or is the first of those that the file is compatible with.
    private static func isQuickTime(_ head: Head) -> Bool { head.brands.prefix(2).contains("qt") }

    private static func isEBML(_ head: Head) -> Bool { head.bytes.uint32(at: 0) == 0x1A45_DFA3 }

    /// The document type is in the first bytes of the file.
    private static func isWebM(_ head: Head) -> Bool {
        Array(head.bytes.prefix(64)).firstIndex(of: "webm") != nil
    }

    /// MPEG streams and transport streams, also with the times of Blu-ray, Windows Media and Flash; nothing reads them.
    private static func isOtherFilm(_ head: Head) -> Bool {
        let bytes = head.bytes
        return [0x1BA, 0x1B3, 0x3026_B275].contains(bytes.uint32(at: 0)) || bytes.has("FLV\u{01}")
            || [0, 4].contains { start in
                bytes.count > 188 + start
                    && stride(from: start, to: min(bytes.count, 600), by: 188 + start).allSatisfy {
                        bytes[$0] == 0x47
                    }
            }
    }

    private static func isSVG(_ head: Head) -> Bool {
        head.firstLetter == "<" && head.bytes.firstIndex(of: "<svg") != nil
    }

    private static func isPNM(_ head: Head) -> Bool {
        let bytes = head.bytes
        return bytes.count > 2 && bytes[0] == 0x50 && bytes[2] <= 0x20
            && ((0x31...0x37).contains(bytes[1]) || bytes[1] | 0x20 == 0x66)
    }

    // Formats with no signature or a short one: the whole header must be plausible.

    private static func isPCX(_ head: Head) -> Bool {
        let bytes = head.bytes
        return bytes.count >= 18 && bytes[0] == 0x0A && bytes[1] <= 5 && bytes[2] == 1
            && [1, 2, 4, 8].contains(bytes[3])
    }

    private static func isIcon(_ head: Head, kind: UInt8) -> Bool {
        let bytes = head.bytes
        return bytes.count >= 18 && bytes.starts(with: [0, 0, kind, 0]) && bytes[4] > 0 && bytes[5] == 0
            && bytes[9] == 0
    }

    private static func isTGA(_ head: Head) -> Bool {
        let (bytes, file) = (head.bytes, head.file)
        guard bytes.count >= 18 else { return false }
        if file.count >= 44, file.has("TRUEVISION-XFILE", at: file.count - 18) { return true }
        let isMapped = bytes[1] == 1
        return bytes[1] <= 1 && [1, 2, 3, 9, 10, 11].contains(bytes[2])
            && isMapped == [1, 9].contains(bytes[2]) && [8, 15, 16, 24, 32].contains(bytes[16])
            && bytes[12] | bytes[13] != 0 && bytes[14] | bytes[15] != 0
    }
}
