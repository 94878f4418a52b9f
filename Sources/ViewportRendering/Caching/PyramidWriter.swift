internal import Files
private import Synchronization
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// Writes a level of a source as a tiled pyramid.
///
/// Pixels stay as stored, colours untouched, their profile beside them. zstd 1 after horizontal differences
/// writes seven times as fast as deflate 1 and four times as fast as LZW, to much the same size.
struct PyramidWriter {
    let source: any ImageSource
    let base: PyramidLevel
    let file: String

    /// Writes the pyramid on the calling thread, which it blocks.
    ///
    /// - Parameter goesOn: told the share that is done, on any thread; writing stops soon after it says false.
    /// - Throws: `RenderingError` for the source, `CacheError` for the cache, `CancellationError` when stopped.
    func write(to path: String, goesOn: @escaping @Sendable (Double) -> Bool) throws {
        guard let reader = try source.open(base) as? LoaderLevel else {
            throw CacheError.unsuitable(file: file)
        }
        // Noise does not shrink, and the further levels have a third of level 0's pixels.
        let needed = reader.image.rowBytes * reader.image.height / 3 * 4 + 1 << 20
        if let free = Folder.freeBytes(at: path.deletingLastComponent), free < needed {
            throw CacheError.noRoom(path: path.deletingLastComponent, free: free, needed: needed)
        }
        let stop = Flag()
        let arguments: [String: VipsArgument] = [
            "tile": .bool(true), "tile_width": .int(256), "tile_height": .int(256), "pyramid": .bool(true),
            "bigtiff": .bool(true), "compression": .name("zstd"), "level": .int(1),
            "predictor": .name("horizontal"),
        ]
        do throws(VipsError) {
            let image = try reader.image.withoutMetadata(profile: reader.pixels.profile)
            try image.save(path, with: "tiffsave", arguments) { share in
                let goes = goesOn(share)
                if !goes { stop.value.store(true, ordering: .relaxed) }
                return goes
            }
        } catch {
            if stop.value.load(ordering: .relaxed) { throw CancellationError() }
            throw RenderingError.damaged(file: file, detail: error.log)
        }
    }
}

extension String {
    fileprivate var deletingLastComponent: String {
        lastIndex(of: "/").map { String(self[..<$0]) } ?? "."
    }
}
