#if CommandLine
import Basics
import Batches
import Containers
import Files
import ViewportRendering

/// The HTML that offers the pictures of one image to browsers, in several formats and sizes.
struct PictureElement {
    private let sources: [(format: PictureFormat, outputs: [StoredThumbnail])]

    /// - Parameter outputs: the pictures, at least one.
    init(_ outputs: [StoredThumbnail]) {
        // A browser takes the first source that it knows: those that are smaller come first.
        let order: [PictureFormat] = [.avif, .webp, .jp2, .gif, .tif, .png, .jpg]
        var sources: [(format: PictureFormat, outputs: [StoredThumbnail])] = []
        for format in order {
            let own = outputs.filter { output in
                OutputName.ending(of: output.path).flatMap { PictureFormat(fileExtension: $0) } == format
            }
            if !own.isEmpty { sources.append((format, own.sorted { $0.width < $1.width })) }
        }
        self.sources = sources
    }

    /// A `picture` element with a `source` for each format, and an `img` of the last one, which every browser knows.
    ///
    /// Addresses are the paths of the files, relative to where the program ran.
    var html: String {
        guard let (_, outputs) = sources.last, let largest = outputs.last else { return "" }
        let image =
            "<img src=\"\(address(largest))\"\(outputs.count > 1 ? " srcset=\"\(set(outputs))\" sizes=\"\(sizes)\"" : "")"
            + " width=\"\(largest.width)\" height=\"\(largest.height)\" alt=\"\" loading=\"lazy\">"
        guard sources.count > 1 else { return image }
        let others = sources.dropLast().map { format, outputs in
            "  <source type=\"\(FileType.ofExtension(format.rawValue)?.mediaType ?? "")\" srcset=\"\(set(outputs))\""
                + (outputs.count > 1 ? " sizes=\"\(sizes)\"" : "") + ">"
        }
        return (["<picture>"] + others + ["  \(image)", "</picture>"]).joined(separator: "\n")
    }

    /// As wide as the window, or the largest picture.
    private var sizes: String {
        let greatest = sources.flatMap(\.outputs).map(\.width).max() ?? 0
        return "(max-width: \(greatest)px) 100vw, \(greatest)px"
    }

    private func set(_ outputs: [StoredThumbnail]) -> String {
        guard outputs.count > 1 else { return outputs.map(address).joined() }
        return outputs.map { "\(address($0)) \($0.width)w" }.joined(separator: ", ")
    }

    private func address(_ output: StoredThumbnail) -> String {
        PercentCoding.encode(output.path, keepsSlashes: true)
    }
}
#endif
