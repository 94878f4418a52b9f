import Synchronization
package import Vips

/// Generates pictures.
package enum TestImages {
    /// Returns a picture with broad shapes and fine detail, in which no two regions are alike.
    package static func photo(width: Int, height: Int, bands: Int = 3, seed: UInt64 = 1) throws -> VipsImage {
        let recipe = [width, height, bands, Int(truncatingIfNeeded: seed)]
        var bytes = photos.withLock { $0[recipe] } ?? []
        if bytes.isEmpty {
            bytes = photoBytes(width: width, height: height, bands: bands, seed: seed)
            if bytes.count < 2_000_000 { photos.withLock { [bytes] in $0[recipe] = bytes } }
        }
        return try VipsImage.pixels(
            bytes, width: width, height: height, bands: bands, format: .uint8,
            interpretation: bands < 3 ? "b-w" : "srgb")
    }

    /// The bytes of smaller photos that were made before: many tests use the same ones.
    private static let photos = Mutex<[[Int]: [UInt8]]>([:])

    private static func photoBytes(width: Int, height: Int, bands: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        let waves = (0..<24).map { index in
            let scale = Double(index + 1) / Double(max(width, height))
            return (
                x: scale * Double(random.next() % 1000) / 100, y: scale * Double(random.next() % 1000) / 100,
                phase: Double(random.next() % 628) / 100, band: index % 3
            )
        }
        var bytes = [UInt8](repeating: 0, count: width * height * bands)
        // In debug builds, loops over a row of one wave are several times as fast as loops over the waves of a pixel.
        var rows = [[Double]](repeating: [], count: 3)
        var offset = 0
        for y in 0..<height {
            for band in 0..<3 {
                var row = [Double](repeating: 128, count: width)
                for wave in waves where wave.band == band {
                    add(wave.x, wave.y * Double(y), wave.phase, to: &row)
                }
                rows[band] = row
            }
            for x in 0..<width {
                for band in 0..<bands {
                    let grain = Double(random.next() % 9) - 4
                    let isAlpha = band == 3 || bands == 2 && band == 1
                    let value = isAlpha ? Double((x * 255) / max(1, width - 1)) : rows[band][x] + grain
                    bytes[offset] = UInt8(min(max(value, 0), 255))
                    offset += 1
                }
            }
        }
        return bytes
    }

    /// Returns a picture like clouds: finer detail is fainter, as in photographs.
    package static func clouds(width: Int, height: Int, seed: UInt64 = 1) throws -> VipsImage {
        var random = SplitMix64(seed: seed)
        var values = [Double](repeating: 128, count: width * height * 3)
        for spacing in [1, 2, 4, 8, 16, 32, 64] {
            let across = width / spacing + 2
            let lattice = (0..<(across * (height / spacing + 2) * 3)).map { _ in
                (Double(random.next() % 2001) / 1000 - 1) * 1.5 * Double(spacing).squareRoot() * 2
            }
            for y in 0..<height {
                let (row, down) = (y / spacing, Double(y % spacing) / Double(spacing))
                for x in 0..<width {
                    let (column, right) = (x / spacing, Double(x % spacing) / Double(spacing))
                    let corner = (row * across + column) * 3
                    for band in 0..<3 {
                        let above = lattice[corner + band] * (1 - right) + lattice[corner + 3 + band] * right
                        let next = corner + across * 3 + band
                        let below = lattice[next] * (1 - right) + lattice[next + 3] * right
                        values[(y * width + x) * 3 + band] += above * (1 - down) + below * down
                    }
                }
            }
        }
        return try VipsImage.pixels(
            values.map { UInt8(min(max($0, 0), 255)) }, width: width, height: height, bands: 3,
            format: .uint8,
            interpretation: "srgb")
    }

    /// Adds a wave from -18 to 18 without trigonometric functions, which differ between machines.
    private static func add(_ step: Double, _ start: Double, _ phase: Double, to row: inout [Double]) {
        var x = 0
        while x < row.count {
            let position = step * Double(x) + start + phase
            row[x] += 18 * (4 * abs(position - Double(Int(position + 0.5))) - 1)
            x += 1
        }
    }

    /// Returns a picture of one color.
    package static func flat(
        _ samples: [UInt8], width: Int, height: Int, interpretation: String = "srgb"
    ) throws -> VipsImage {
        let bytes = (0..<(width * height)).flatMap { _ in samples }
        return try VipsImage.pixels(
            bytes, width: width, height: height, bands: samples.count, format: .uint8,
            interpretation: interpretation)
    }

    /// Returns a large picture that is fast to generate: a photo in a corner of a uniform background.
    package static func large(width: Int, height: Int) throws -> VipsImage {
        try photo(width: 64, height: 64).embedded(
            x: 0, y: 0, width: width, height: height, background: [90, 120, 30])
    }
}
