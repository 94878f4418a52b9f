#if CommandLine
import ArgumentParser
import Basics
import Containers
import ViewportRendering

/// `viewport help formats`: what is read, how, and what is written.
struct FormatsTopic: OptionalHelp {
    static let configuration = CommandConfiguration(
        commandName: "formats", abstract: "List the formats that are read and written.",
        usage: "viewport help formats [--json]", discussion: text)

    @Flag(help: "Print one line of JSON.")
    var json = false

    /// Prints the media types for which desktops call the program, for packages.
    @Flag(help: .hidden) var mediaTypes = false

    func run() throws {
        guard mediaTypes else { return try printHelp() }
        for type in FileType.shownMediaTypes { print(type) }
    }

    static var lines: [JSONValue] { [.object(["formats": .array(rows.map(\.json))])] }

    /// A row of the table.
    struct Row: Sendable {
        var format: String
        var crop: String
        var shrink: String
        var index: String
        var metadata: String
        var written: PictureFormat?
    }

    static let rows: [Row] = [
        Row("JPEG", "yes", "1/2 1/4 1/8", "index", "EXIF XMP IPTC", .jpg),
        Row("JPEG, progressive", "yes", "1/2 1/4 1/8", "index", "EXIF XMP IPTC"),
        Row("PNG", "rows above", "no", "index", "EXIF XMP IPTC", .png),
        Row("TIFF in tiles", "yes", "levels", "-", "EXIF XMP IPTC"),
        Row("TIFF in strips", "rows above", "levels", "pyramid", "EXIF XMP IPTC", .tif),
        Row("WebP", "no", "1/2 to 1/16", "pyramid", "EXIF XMP", .webp),
        Row("AVIF", "grid tiles", "embedded", "pyramid", "EXIF XMP", .avif),
        Row("HEIC", "grid tiles", "embedded", "pyramid", "EXIF XMP"),
        Row("camera raw", "as JPEG", "as JPEG", "index", "EXIF XMP IPTC"),
        Row("GIF", "no", "no", "pyramid", "XMP", .gif),
        Row("JPEG 2000 *", "yes", "levels", "-", "EXIF XMP IPTC", .jp2),
        Row("JPEG XL *", "no", "no", "pyramid", "EXIF XMP"),
        Row("SVG, PDF *", "drawn", "any", "pyramid", "-"),
        Row("OpenSlide *", "yes", "levels", "-", "-"),
        Row("other libvips *", "rows above", "no", "-", "-"),
    ]

    private static let header = Row("FORMAT", "CROP", "SHRINK", "CACHE", "METADATA")

    private static var text: String {
        let lines = ([header.line("WRITTEN")] + rows.map { $0.line($0.written?.rawValue ?? "-") })
        return """
            \(lines.joined(separator: "\n"))

            CROP      A part is read without decoding the rest. "rows above": the rows
                      above it are decoded, too, unless there is an index. "grid tiles":
                      the tiles of the part, where the picture is a grid. "as JPEG": the
                      largest embedded JPEG is read. "no": the whole image is decoded.
            SHRINK    Scales that the decoder offers. "levels": those stored in the file.
                      "embedded": a small picture in the file.
            CACHE     What `viewport index` or `render --cache` stores for fast access.
            METADATA  What `info` and `library` read. --keep-metadata writes EXIF, XMP and
                      IPTC to jpg, png and tif, EXIF and XMP to webp and avif.
            WRITTEN   The name for --format, and the file name extension. `thumbnail`
                      writes jpg, png, webp and avif; `pyramid` writes tiles as jpg,
                      png or webp.
            *         Needs --allow-untrusted: libvips does not trust these decoders.

            --page selects a page of PDF or TIFF, a picture of HEIC, or a frame of GIF,
            WebP, PNG or animated AVIF.
            `thumbnail --frames all` keeps animations. Videos get thumbnails if ffmpeg is
            installed. `viewport doctor` lists the decoders of the installed libvips.
            """
    }
}

extension FormatsTopic.Row {
    init(
        _ format: String, _ crop: String, _ shrink: String, _ index: String, _ metadata: String,
        _ written: PictureFormat? = nil
    ) {
        self.init(
            format: format, crop: crop, shrink: shrink, index: index, metadata: metadata, written: written)
    }

    fileprivate var json: JSONValue {
        let isUntrusted = format.hasSuffix(" *")
        return .object([
            "format": .string(isUntrusted ? String(format.dropLast(2)) : format), "crop": .string(crop),
            "shrink": .string(shrink), "cache": .string(index),
            "metadata": .array(
                metadata == "-" ? [] : metadata.split(separator: " ").map { .string(String($0)) }),
            "written": JSONValue(written) { .string($0.rawValue) }, "untrusted": .bool(isUntrusted),
        ])
    }

    /// The columns at fixed widths.
    fileprivate func line(_ written: String) -> String {
        let columns = [(format, 19), (crop, 12), (shrink, 13), (index, 9), (metadata, 15)]
        return columns.map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined() + written
    }
}

/// `viewport help exit-codes`: how commands end.
struct ExitCodesTopic: OptionalHelp {
    static let configuration = CommandConfiguration(
        commandName: "exit-codes", abstract: "List the exit codes of all commands.",
        usage: "viewport help exit-codes [--json]", discussion: text)

    @Flag(help: "Print one line of JSON.")
    var json = false

    static var lines: [JSONValue] {
        let codes = codes.map { code, meaning in
            JSONValue.object(["code": .int(code), "meaning": .string(meaning)])
        }
        return [.object(["exitCodes": .array(codes)])]
    }

    private static var codes: [(Int, String)] {
        [(0, "success")] + Exit.allCases.map { (Int($0.rawValue), $0.meaning) } + Exit.signals
    }

    private static var text: String {
        let lines = codes.map { code, meaning in
            let number = "\(code)"
            return String(repeating: " ", count: 5 - number.count) + number + "  " + meaning
        }
        return """
            \(lines.joined(separator: "\n"))

            Codes from 64 are those of sysexits.h. An error is one sentence on standard
            error that names the file and what to do.
            """
    }
}
#endif
