/// Pictures as sixels: bands of six rows, drawn color by color.
///
/// Source: DEC, VT330/VT340 Programmer Reference Manual, chapter 14.
enum Sixels {
    static func bytes(of rgb: [UInt8], width: Int, height: Int, colors: Int) -> [UInt8] {
        let palette = SixelPalette(of: rgb, colors: min(max(colors, 2), 256))
        let indices = palette.dithered(rgb, width: width, height: height)
        // Pixels are square, and the size clears the picture before.
        var result = Array("\u{1B}P0;1;0q\"1;1;\(width);\(height)".utf8)
        for (number, color) in palette.percentages.enumerated() {
            result += Array("#\(number);2;\(color[0]);\(color[1]);\(color[2])".utf8)
        }
        // A mask of six pixels for each color and column.
        var masks = [UInt8](repeating: 0, count: palette.percentages.count * width)
        for top in stride(from: 0, to: height, by: 6) {
            var isUsed = [Bool](repeating: false, count: palette.percentages.count)
            for row in 0..<min(6, height - top) {
                let start = (top + row) * width
                for x in 0..<width {
                    let color = Int(indices[start + x])
                    isUsed[color] = true
                    masks[color * width + x] |= 1 << UInt8(row)
                }
            }
            for color in isUsed.indices where isUsed[color] {
                result += Array("#\(color)".utf8)
                append(&masks, from: color * width, count: width, to: &result)
                result.append(UInt8(ascii: "$"))
            }
            // The next band instead of the start of this one. Behind the last one, a picture as high as the screen would scroll.
            if top + 6 < height {
                result[result.count - 1] = UInt8(ascii: "-")
            } else {
                result.removeLast()
            }
        }
        return result + Array("\u{1B}\\".utf8)
    }

    /// Appends the masks of a color, repeated ones as a count, and clears them.
    private static func append(
        _ masks: inout [UInt8], from start: Int, count: Int, to result: inout [UInt8]
    ) {
        var x = 0
        while x < count {
            let mask = masks[start + x]
            var end = x
            while end < count, masks[start + end] == mask {
                masks[start + end] = 0
                end += 1
            }
            if mask == 0, end == count { return }
            let (length, sign) = (end - x, mask + 63)
            if length > 3 {
                result += Array("!\(length)".utf8)
                result.append(sign)
            } else {
                for _ in 0..<length { result.append(sign) }
            }
            x = end
        }
    }
}

/// Colors chosen for a picture by median cut, with Floyd and Steinberg's dithering.
struct SixelPalette {
    /// The colors in percent, as sixels have them.
    private(set) var percentages: [[Int]] = []
    /// The colors from 0 to 255, as the terminal shows these percentages.
    private var colors: [[Int]] = []

    /// A color of 5 bits per component with the sums of its pixels.
    private struct Bin {
        var count = 0
        var sums = [0, 0, 0]

        func mean(_ band: Int) -> Int { sums[band] / count }
    }

    init(of rgb: [UInt8], colors most: Int) {
        var boxes = [Self.bins(of: rgb)]
        while boxes.count < most {
            // The box whose pixels are farthest from one color.
            let spreads = boxes.map(Self.spread)
            guard let widest = spreads.indices.max(by: { spreads[$0].weight < spreads[$1].weight }),
                spreads[widest].weight > 0
            else { break }
            let (low, high) = Self.halves(of: boxes[widest], along: spreads[widest].band)
            boxes[widest] = low
            boxes.append(high)
        }
        var known: Set<[Int]> = []
        for box in boxes where !box.isEmpty {
            let count = box.reduce(0) { $0 + $1.count }
            let color = (0..<3).map { band in
                (box.reduce(0) { $0 + $1.sums[band] } * 100 + count * 255 / 2) / (count * 255)
            }
            if known.insert(color).inserted { percentages.append(color) }
        }
        if percentages.isEmpty { percentages = [[0, 0, 0]] }
        colors = percentages.map { $0.map { ($0 * 255 + 50) / 100 } }
    }

    private static func bins(of rgb: [UInt8]) -> [Bin] {
        var counts = [Int](repeating: 0, count: 4 << 15)
        for pixel in stride(from: 0, to: rgb.count, by: 3) {
            let (red, green, blue) = (Int(rgb[pixel]), Int(rgb[pixel + 1]), Int(rgb[pixel + 2]))
            let bin = 4 * ((red >> 3) << 10 | (green >> 3) << 5 | blue >> 3)
            counts[bin] += 1
            counts[bin + 1] += red
            counts[bin + 2] += green
            counts[bin + 3] += blue
        }
        return stride(from: 0, to: counts.count, by: 4).compactMap { bin in
            guard counts[bin] > 0 else { return nil }
            return Bin(count: counts[bin], sums: [counts[bin + 1], counts[bin + 2], counts[bin + 3]])
        }
    }

    /// Returns the component along which a box is cut, and how much that is needed.
    private static func spread(_ box: [Bin]) -> (band: Int, weight: Int) {
        guard box.count > 1 else { return (0, 0) }
        let count = box.reduce(0) { $0 + $1.count }
        var best = (band: 0, weight: 0)
        for band in 0..<3 {
            let mean = box.reduce(0) { $0 + $1.sums[band] } / count
            let weight = box.reduce(0) { sum, bin in
                let distance = bin.mean(band) - mean
                return sum + distance * distance * bin.count
            }
            // Green is seen best, and blue least.
            let weighted = weight * [3, 4, 2][band]
            if weighted > best.weight { best = (band, weighted) }
        }
        return best
    }

    /// Divides a box at the mean of a component, so that neither half is empty.
    private static func halves(of box: [Bin], along band: Int) -> ([Bin], [Bin]) {
        let sorted = box.sorted { $0.mean(band) < $1.mean(band) }
        let mean = box.reduce(0) { $0 + $1.sums[band] } / box.reduce(0) { $0 + $1.count }
        let first = sorted.firstIndex { $0.mean(band) > mean } ?? sorted.count - 1
        let cut = min(max(first, 1), sorted.count - 1)
        return (Array(sorted[..<cut]), Array(sorted[cut...]))
    }

    /// Returns the number of a color for each pixel; errors are carried on to the pixels right and below.
    func dithered(_ rgb: [UInt8], width: Int, height: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: width * height)
        var nearest = [Int16](repeating: -1, count: 1 << 15)
        let flat = colors.flatMap(\.self)
        // Errors in sixteenths, with a pixel left and right of each row.
        var (below, row) = ([Int](repeating: 0, count: 3 * (width + 2)), [Int]())
        for y in 0..<height {
            row = below
            for at in below.indices { below[at] = 0 }
            for x in 0..<width {
                let (pixel, at) = (3 * (y * width + x), 3 * (x + 1))
                let red = Self.sample(rgb[pixel], row[at])
                let green = Self.sample(rgb[pixel + 1], row[at + 1])
                let blue = Self.sample(rgb[pixel + 2], row[at + 2])
                let bin = (red >> 3) << 10 | (green >> 3) << 5 | blue >> 3
                if nearest[bin] < 0 { nearest[bin] = Self.nearest(to: (red, green, blue), in: flat) }
                let color = Int(nearest[bin])
                result[y * width + x] = UInt8(color)
                for band in 0..<3 {
                    let wanted = band == 0 ? red : band == 1 ? green : blue
                    let error = wanted - flat[3 * color + band]
                    row[at + 3 + band] += 7 * error
                    below[at - 3 + band] += 3 * error
                    below[at + band] += 5 * error
                    below[at + 3 + band] += error
                }
            }
        }
        return result
    }

    private static func sample(_ value: UInt8, _ error: Int) -> Int {
        min(max(Int(value) + error / 16, 0), 255)
    }

    private static func nearest(to color: (Int, Int, Int), in flat: [Int]) -> Int16 {
        var best = (number: 0, distance: Int.max)
        for number in 0..<(flat.count / 3) {
            let red = flat[3 * number] - color.0
            let green = flat[3 * number + 1] - color.1
            let blue = flat[3 * number + 2] - color.2
            let distance = 3 * red * red + 4 * green * green + 2 * blue * blue
            if distance < best.distance { best = (number, distance) }
        }
        return Int16(best.number)
    }
}
