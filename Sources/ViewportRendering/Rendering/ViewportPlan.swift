internal import Resampling
internal import TilePyramid
internal import ViewportGeometry

/// Which stored pixels a viewport needs and how they become its pixels.
///
/// Everything is planned in the orientation of the file: the upright rectangle is mapped back, that crop is
/// read and scaled, and only the finished picture is turned.
struct ViewportPlan {
    /// The part of the picture that the image covers; the rest is background.
    let painted: PixelRect<OutputGrid>
    /// Its pixels of that part, as the file lies.
    let grid: PictureGrid
    /// The pixels to read, of the source.
    let storedRect: PixelRect<StoredGrid>
    /// Weights along the stored rows and down them.
    let horizontal: AxisWeights
    let vertical: AxisWeights
    /// Whether pixels are taken as they are, one for one.
    let isCopy: Bool

    /// - Parameter source: the pixels that it is made from: a level's, or a larger picture's.
    /// - Precondition: the viewport meets the image.
    init(
        _ coverage: Coverage, orientation: Orientation, from source: PictureGrid, kernel: ResamplingKernel?
    ) {
        painted = coverage.painted
        grid = PictureGrid(coverage, orientation: orientation)
        let across = AxisPlan(picture: grid.columns, source: source.columns, kernel: kernel)
        let down = AxisPlan(picture: grid.rows, source: source.rows, kernel: kernel)
        horizontal = across.weights
        vertical = down.weights
        isCopy = across.isCopy && down.isCopy
        storedRect = PixelRect(
            x: across.range.lowerBound, y: down.range.lowerBound,
            width: across.range.count, height: down.range.count)
    }
}

/// Where the pixels of a level or of a picture lie on the stored image, in image points from its stored corner.
struct PictureGrid: Equatable {
    let columns: SamplingGrid
    let rows: SamplingGrid

    /// All pixels of a level.
    init(_ level: PyramidLevel, of source: any ImageSource) {
        let sharpeningCompensation = source.sharpeningCompensation(of: level)
        columns = SamplingGrid(
            origin: 0, step: level.downsampleX, count: level.size.width,
            sharpeningCompensation: sharpeningCompensation)
        rows = SamplingGrid(
            origin: 0, step: level.downsampleY, count: level.size.height,
            sharpeningCompensation: sharpeningCompensation)
    }

    /// The part of a picture that the image covers, before it is turned upright.
    init(_ coverage: Coverage, orientation: Orientation) {
        let x = orientation.transposes ? coverage.y : coverage.x
        let y = orientation.transposes ? coverage.x : coverage.y
        columns = orientation.flipsStoredX ? x.mirrored : x.grid
        rows = orientation.flipsStoredY ? y.mirrored : y.grid
    }
}

extension Orientation {
    /// Whether the stored rows run against the axis of the picture that they lie along.
    fileprivate var flipsStoredX: Bool { transposes ? flipsY : flipsX }
    /// The same for the stored columns.
    fileprivate var flipsStoredY: Bool { transposes ? flipsX : flipsY }
}

/// Where the image lies in a picture.
struct Coverage {
    /// One axis of the painted part: its pixels in image points, and the length of the image along it.
    struct Axis {
        let grid: SamplingGrid
        let length: Double

        /// The same pixels counted from the other end.
        var mirrored: SamplingGrid {
            SamplingGrid(
                origin: length - grid.origin - grid.step * Double(grid.count), step: grid.step,
                count: grid.count)
        }
    }

    let painted: PixelRect<OutputGrid>
    let x: Axis
    let y: Axis

    /// Pixels of the picture per image point, of the axis that has more.
    var scale: Double { max(1 / x.grid.step, 1 / y.grid.step) }

    /// Nil where no pixel of the picture shows the image.
    init?(_ viewport: Viewport, of size: PixelSize<UprightGrid>) {
        let rect = viewport.imageRect
        let stepX = rect.width / Double(viewport.size.width)
        let stepY = rect.height / Double(viewport.size.height)
        let columns = Self.painted(rect.minX, stepX, viewport.size.width, size.width)
        let rows = Self.painted(rect.minY, stepY, viewport.size.height, size.height)
        guard !columns.isEmpty, !rows.isEmpty else { return nil }
        painted = PixelRect(
            x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
        x = Self.axis(rect.minX, stepX, columns, size.width)
        y = Self.axis(rect.minY, stepY, rows, size.height)
    }

    /// The pixels of the picture whose middle shows the image; at least one where any part of it is in sight.
    private static func painted(_ origin: Double, _ step: Double, _ count: Int, _ length: Int) -> Range<Int> {
        let first = -origin / step
        let last = (Double(length) - origin) / step
        guard last > 0, first < Double(count) else { return 0..<0 }
        let lower = Int(max(0, (first - 1e-9).rounded(.toNearestOrAwayFromZero)))
        let upper = Int(min(Double(count), (last + 1e-9).rounded(.toNearestOrAwayFromZero)))
        guard upper > lower else {
            let only = min(max(Int(((first + last) / 2).rounded(.down)), 0), count - 1)
            return only..<(only + 1)
        }
        return lower..<upper
    }

    private static func axis(_ origin: Double, _ step: Double, _ range: Range<Int>, _ length: Int) -> Axis {
        Axis(
            grid: SamplingGrid(
                origin: origin + step * Double(range.lowerBound), step: step, count: range.count),
            length: Double(length))
    }
}

/// One stored axis of a plan, from the samples of a source to those of a picture.
private struct AxisPlan {
    /// The samples of the source that are read.
    let range: Range<Int>
    let weights: AxisWeights
    let isCopy: Bool

    init(picture: SamplingGrid, source: SamplingGrid, kernel: ResamplingKernel?) {
        let (step, count) = (source.step, source.count)
        let phase = (picture.origin - source.origin) / step
        isCopy = abs(picture.step / step - 1) < 1e-12 && abs(phase - phase.rounded()) < 1e-6
        let kernel = isCopy ? .nearest : kernel ?? Self.kernel(enlargement: step / picture.step)
        let reach = AxisWeights.reach(from: source, to: picture, kernel: kernel)
        let lower = min(max(reach.lowerBound, 0), count - 1)
        let upper = min(max(reach.upperBound, lower + 1), count)
        if isCopy {
            let first = min(max(Int(phase.rounded()), 0), count - 1)
            range = first..<min(first + picture.count, count)
        } else {
            range = lower..<upper
        }
        let part = SamplingGrid(
            origin: source.origin + Double(range.lowerBound) * step, step: step, count: range.count,
            sharpeningCompensation: source.sharpeningCompensation)
        weights = AxisWeights(from: part, to: picture, kernel: kernel)
    }

    /// Pixels that are enlarged eightfold are looked at as pixels.
    private static func kernel(enlargement: Double) -> ResamplingKernel {
        if enlargement >= 8 { return .nearest }
        return enlargement > 1 ? .cubic : .lanczos3
    }
}
