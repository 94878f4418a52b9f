import Files
internal import RenderCaching
import ViewportRendering
import Vips

/// What this machine has of what the program uses.
struct MachineReport {
    let cache: CacheFolder

    var findings: [(isGood: Bool, sentence: String)] {
        [libvips, loaders, formats, folder, fonts]
    }

    private var libvips: (Bool, String) {
        do {
            return (true, "libvips is \(try VipsLibrary.version())")
        } catch {
            return (false, "libvips does not start (\(error.log)); install libvips42")
        }
    }

    private var loaders: (Bool, String) {
        let known: [(String, String)] = [
            ("JPEG", "jpegload"), ("PNG", "pngload"), ("TIFF", "tiffload"), ("WebP", "webpload"),
            ("GIF", "gifload"), ("HEIF and AVIF", "heifload"), ("JPEG 2000", "jp2kload"),
            ("JPEG XL", "jxlload"),
            ("SVG", "svgload"), ("PDF", "pdfload"), ("slides", "openslideload"),
        ]
        let there = known.filter { VipsLibrary.hasOperation($0.1) }.map(\.0)
        let missing = known.filter { !VipsLibrary.hasOperation($0.1) }.map(\.0)
        let isGood = ["JPEG", "PNG", "TIFF"].allSatisfy(there.contains)
        return (
            isGood,
            "reads \(there.joined(separator: ", "))"
                + (missing.isEmpty ? "" : "; not \(missing.joined(separator: ", "))")
        )
    }

    private var formats: (Bool, String) {
        let installed = PictureFormat.installed.map(\.rawValue)
        return (installed.contains("jpg"), "writes \(installed.joined(separator: ", "))")
    }

    private var folder: (Bool, String) {
        do throws(FileError) {
            try Folder.make(cache.path)
            try OutputFile.check("\(cache.path)/doctor")
        } catch {
            return (
                false, "\(cache.path): the cache cannot be written; set XDG_CACHE_HOME to a folder that can"
            )
        }
        let free = Folder.freeBytes(at: cache.path) ?? 0
        let used = cache.items().reduce(0) { $0 + $1.bytes }
        let text =
            "\(cache.path): the cache has \(used >> 20) MB of at most \(cache.capacity >> 20), and \(free >> 20) MB are free"
        return (free > 1 << 28, free > 1 << 28 ? text : text + "; make room")
    }

    /// SVGs and PDFs draw their letters with the fonts of the machine.
    private var fonts: (Bool, String) {
        let folders = ["/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts"]
        let isThere = folders.contains { !Folder.names(in: $0).isEmpty }
        return (
            true,
            isThere
                ? "has fonts for drawings"
                : "has no fonts: letters in SVGs will be missing; install fonts-dejavu"
        )
    }
}
