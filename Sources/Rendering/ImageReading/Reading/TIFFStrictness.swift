internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry
internal import Vips

/// The severity at which libvips' TIFF loader has to fail, so that no part that libtiff does not decode is shown.
///
/// libvips 8.14 to 8.16 fail at every such part, whatever the severity. Later versions leave tiles black unless they fail
/// on warnings, 8.17.0 and 8.17.1 also strips. Warnings are not the usual severity because libtiff has one for each tag
/// that it does not know, which fails strips, but not tiles. So the installed version is asked, with parts that cannot be
/// decoded.
enum TIFFStrictness {
    /// Returns the severity for a page.
    static func severity(of page: TIFFDirectory?) -> String {
        guard let page else { return "error" }
        if page.has(324) { return tiles }
        // libtiff only warns of damage in faxes.
        return [2, 3, 4].contains(page.int(259)) ? faxes : strips
    }

    /// Whether the strips of a page are decoded from a file without other tags, because libvips has to fail on warnings.
    static func needsOwnFile(_ page: TIFFDirectory) -> Bool {
        !page.has(324) && severity(of: page) == "warning"
    }

    private static let tiles = least(
        failing: undecodable(tags: [(322, 16), (323, 16), (324, 0), (325, 4)]), access: "random")
    private static let strips = least(failing: undecodable(tags: strip), access: "sequential")
    private static let faxes = least(
        failing: undecodable(tags: strip, bits: 1, compression: 3), access: "sequential")
    private static let strip = [(273, 0), (278, 16), (279, 4)]

    /// Returns the least severity at which the pixels of a file are an error, read as this package reads them: without
    /// threads of libvips, which in versions 8.14 and 8.15 lose some errors.
    private static func least(failing file: [UInt8], access: String) -> String {
        let fails = { (severity: String) in
            let image = try? VipsImage.load(
                bytes: file, with: "VipsForeignLoadTiffBuffer",
                ["fail_on": .name(severity), "access": .name(access)])
            let all = PixelRect<StoredGrid>(x: 0, y: 0, width: 16, height: 16)
            return (try? image?.withRegion { region in try region.prepare(all) }) == nil
        }
        return fails("error") ? "error" : "warning"
    }

    /// Returns a gray picture of 16x16 pixels, whose only strip or tile is four bytes that no decoder takes.
    ///
    /// - Parameter tags: those of the part; 0 stands for the place of its data.
    private static func undecodable(
        tags: [(tag: Int, value: Int)], bits: Int = 8, compression: Int = 8
    ) -> [UInt8] {
        let writer = TIFFWriter(.little)
        let usual = [(256, 16), (257, 16), (258, bits), (259, compression), (262, 1), (277, 1)]
        let all = (usual + tags).sorted { $0.0 < $1.0 }
        let end = writer.header.count + writer.size(of: all.count)
        let values = all.map { TIFFValue(tag: $0.0, type: 4, [$0.1 == 0 ? end : $0.1], .little) }
        return writer.block(values) + [0, 0, 0, 0]
    }
}

/// The page of a TIFF that arguments of libvips' loader select.
struct SelectedPage {
    let directory: TIFFDirectory
    /// The position of the directory.
    let place: Int

    /// Returns nil where it cannot be read.
    init?(_ arguments: [String: VipsArgument], in file: OpenFile) {
        guard let block = TIFFBlock(tiff: FileBytes(file)), var place = block.mainOffset,
            var directory = TIFFDirectory(block, at: place)
        else { return nil }
        func step(to next: Int?) -> Bool {
            guard let next, let found = TIFFDirectory(block, at: next) else { return false }
            (place, directory) = (next, found)
            return true
        }
        if case .int(let page)? = arguments["page"] {
            for _ in 0..<max(0, page) {
                guard step(to: directory.next) else { return nil }
            }
        }
        if case .int(let level)? = arguments["subifd"] {
            let places = directory.ints(330)
            guard places.indices.contains(level), step(to: places[level]) else { return nil }
        }
        (self.directory, self.place) = (directory, place)
    }
}
