internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// The resolutions of each format, and how its loader is asked for them.
extension LoaderFile {
    typealias Level = (level: PyramidLevel, arguments: [String: VipsArgument])

    /// Level 0 first.
    func levels(of header: VipsImage, pages: Pages) -> [Level] {
        let full: Level = (PyramidLevel(index: 0, size: header.size, of: header.size), [:])
        return [full] + smallerLevels(of: header, pages: pages)
    }

    private func smallerLevels(of header: VipsImage, pages: Pages) -> [Level] {
        let size = header.size
        switch (format, pages) {
        case (.jpeg, _):
            return (1...3).compactMap { shrunk(size, $0, ["shrink": .int(1 << $0)]) }
        case (.webp, .pictures(1)):
            return opened(size, (1...4).map { ["scale": .double(1 / Double(1 << $0))] })
        case (.svg, _), (.pdf, _):
            return drawnLevels(size)
        case (.openslide, _):
            let count = header.string("openslide.level-count").flatMap { Int($0) } ?? 1
            return opened(size, (1..<max(1, count)).map { ["level": .int($0)] })
        case (_, .resolutions(let count)):
            return opened(size, (1..<count).map { ["page": .int($0)] })
        case (.tiff, _):
            let count = min(32, header.int("n-subifds") ?? 0)
            return opened(size, (0..<count).map { ["subifd": .int($0)] })
        default:
            return []
        }
    }

    /// A level whose pixels each cover 2^index; libvips leaves out the last row and column where they are partial.
    ///
    /// Nil where nothing would be left of a side: libvips ends the process by an assertion then.
    private func shrunk(
        _ size: PixelSize<StoredGrid>, _ index: Int, _ arguments: [String: VipsArgument]
    ) -> Level? {
        let factor = 1 << index
        let shrunk = PixelSize<StoredGrid>(width: size.width / factor, height: size.height / factor)
        guard !shrunk.isEmpty else { return nil }
        let level = PyramidLevel(
            index: index, size: shrunk, downsampleX: Double(factor), downsampleY: Double(factor))
        return (level, arguments)
    }

    /// Levels whose sizes only the file knows; those that are no smaller, or of another shape, are left out.
    private func opened(_ full: PixelSize<StoredGrid>, _ candidates: [[String: VipsArgument]]) -> [Level] {
        var levels: [Level] = []
        for arguments in candidates {
            guard let image = try? load(arguments) else { continue }
            let level = PyramidLevel(index: levels.count + 1, size: image.size, of: full)
            let last = levels.last?.level.size ?? full
            guard image.width <= last.width, image.height <= last.height, image.size != last,
                abs(level.downsampleX / level.downsampleY - 1) < 0.05 + 2
                    / Double(min(image.width, image.height))
            else { continue }
            levels.append((level, arguments))
        }
        return levels
    }

    /// A drawing has every resolution; those from 1/64 to 32 are offered, up to what its renderer can hold.
    private func drawnLevels(_ size: PixelSize<StoredGrid>) -> [Level] {
        (-5...6).filter { $0 != 0 }.compactMap { index in
            let scale = index < 0 ? Double(1 << -index) : 1 / Double(1 << index)
            let width = Int((Double(size.width) * scale).rounded())
            let height = Int((Double(size.height) * scale).rounded())
            guard min(width, height) >= 1, max(width, height) <= 32767 else { return nil }
            let level = PyramidLevel(
                index: index, size: PixelSize(width: width, height: height),
                downsampleX: Double(size.width) / Double(width),
                downsampleY: Double(size.height) / Double(height))
            return (level, ["scale": .double(scale)])
        }
    }
}
