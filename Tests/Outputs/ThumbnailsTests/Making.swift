import TestSupport
import Thumbnails
import ViewportRendering
import Vips

/// Makes thumbnails of files in a temporary folder.
struct Making {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Writes an image and makes its thumbnails.
    func make(
        _ image: VipsImage, _ sizes: String..., change: (inout ThumbnailRecipe) -> Void = { _ in }
    ) throws -> ThumbnailSet {
        try make(save(image, "photo.png"), sizes, change)
    }

    /// Writes an image in the format of an extension, and returns its path.
    func save(_ image: VipsImage, _ name: String) throws -> String {
        let savers = [
            "jpg": "jpegsave", "png": "pngsave", "tif": "tiffsave", "webp": "webpsave", "gif": "gifsave",
        ]
        let path = folder.path(name)
        try image.save(path, with: savers[name.split(separator: ".").last.map(String.init) ?? ""] ?? "")
        return path
    }

    /// Makes the thumbnails of a file, by default as PNG, so that pixels can be compared.
    func make(
        _ path: String, _ sizes: [String], _ change: (inout ThumbnailRecipe) -> Void = { _ in }
    ) throws -> ThumbnailSet {
        var recipe = ThumbnailRecipe(sizes: try sizes.map { try ThumbnailSize($0) }, format: .png)
        change(&recipe)
        return try ThumbnailMaker(recipe).makeSynchronously(path)
    }
}

extension Thumbnail {
    /// Returns the thumbnail as decoded by libvips.
    func decoded() throws -> VipsImage {
        let loader =
            switch (bytes[0], bytes[1]) {
            case (0xFF, 0xD8): "jpegload_buffer"
            case (0x89, 0x50): "pngload_buffer"
            case (0x52, 0x49): "webpload_buffer"
            default: "heifload_buffer"
            }
        return try VipsImage.load(
            bytes: bytes, with: loader, loader == "webpload_buffer" ? ["n": .int(-1)] : [:])
    }

    /// Returns the samples of the thumbnail.
    func samples() throws -> [UInt8] { try decoded().pixels().copied() }

    var sides: [Int] { [width, height] }
}
