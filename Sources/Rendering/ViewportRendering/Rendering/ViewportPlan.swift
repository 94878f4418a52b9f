internal import Resampling
internal import TilePyramid
internal import ViewportGeometry
internal import Viewports

/// The stored pixels that a viewport needs, and how they are resampled.
///
/// Plans are made in stored orientation: the upright rectangle is mapped back, that crop is
/// read and scaled, and only the finished picture is turned upright.
struct ViewportPlan {
    /// The part of the picture that the image covers; the rest is background.
    let covered: PixelRect<OutputGrid>
    /// The pixels of that part in stored orientation.
    let axes: SamplingAxes
    /// The pixels of the source to read.
    let storedRect: PixelRect<StoredGrid>
    /// Weights along the stored rows and down them.
    let horizontal: AxisWeights
    let vertical: AxisWeights
    /// Whether pixels are copied one to one.
    let isCopy: Bool

    /// - Parameter source: the pixels of a level or of a larger picture.
    /// - Precondition: the viewport shows a part of the image.
    init(
        _ coverage: Coverage, orientation: Orientation, from source: SamplingAxes, kernel: ResamplingKernel?
    ) {
        covered = coverage.pixels
        axes = SamplingAxes(coverage, orientation: orientation)
        let showsSquares = !coverage.isSubpixel
        let across = AxisPlan(
            from: source.columns, to: axes.columns, kernel: kernel, showsSquares: showsSquares)
        let down = AxisPlan(from: source.rows, to: axes.rows, kernel: kernel, showsSquares: showsSquares)
        horizontal = across.weights
        vertical = down.weights
        isCopy = across.isCopy && down.isCopy
        storedRect = PixelRect(across.range, down.range)
    }
}

/// The positions of a level's or picture's pixels on the stored image, in image points from its stored corner.
struct SamplingAxes: Equatable {
    let columns: SamplingGrid
    let rows: SamplingGrid

    /// All pixels of a level.
    init(_ level: PyramidLevel, sharpeningCompensation: Double = 0) {
        columns = SamplingGrid(
            origin: 0, step: level.downsampleX, count: level.size.width,
            sharpeningCompensation: sharpeningCompensation)
        rows = SamplingGrid(
            origin: 0, step: level.downsampleY, count: level.size.height,
            sharpeningCompensation: sharpeningCompensation)
    }

    /// Creates the axes of the part of a picture that the image covers, in stored orientation.
    init(_ coverage: Coverage, orientation: Orientation) {
        let (x, y) = (coverage.columns, coverage.rows)
        let (width, height) = (Double(coverage.imageSize.width), Double(coverage.imageSize.height))
        let across = orientation.transposes ? y : x
        let down = orientation.transposes ? x : y
        // Whether stored rows and columns run against the axes of the picture.
        let flipsAcross = orientation.transposes ? orientation.flipsY : orientation.flipsX
        let flipsDown = orientation.transposes ? orientation.flipsX : orientation.flipsY
        columns = flipsAcross ? across.mirrored(in: orientation.transposes ? height : width) : across
        rows = flipsDown ? down.mirrored(in: orientation.transposes ? width : height) : down
    }
}

extension Viewport {
    /// The pixels of the picture in image points.
    fileprivate var columns: SamplingGrid {
        SamplingGrid(origin: imageRect.minX, step: imageRect.width / Double(size.width), count: size.width)
    }
    fileprivate var rows: SamplingGrid {
        SamplingGrid(origin: imageRect.minY, step: imageRect.height / Double(size.height), count: size.height)
    }
}

/// The position of the image in a picture.
struct Coverage {
    /// The pixels of the picture that show the image.
    let pixels: PixelRect<OutputGrid>
    /// The same pixels in image points.
    let columns: SamplingGrid
    let rows: SamplingGrid
    let imageSize: PixelSize<UprightGrid>
    /// Whether content moves by fractions of a pixel at every zoom.
    let isSubpixel: Bool

    /// Pixels of the picture per image point; the larger one where the axes differ.
    var scale: Double { max(1 / columns.step, 1 / rows.step) }

    /// Returns nil where no pixel of the picture shows the image.
    init?(_ viewport: Viewport, of size: PixelSize<UprightGrid>) {
        let columns = viewport.columns.samples(showing: size.width)
        let rows = viewport.rows.samples(showing: size.height)
        guard !columns.isEmpty, !rows.isEmpty else { return nil }
        pixels = PixelRect(
            x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
        self.columns = viewport.columns.part(columns)
        self.rows = viewport.rows.part(rows)
        imageSize = size
        isSubpixel = viewport.isSubpixel
    }
}

/// One stored axis of a plan, from the samples of a source to those of a picture.
struct AxisPlan {
    /// The samples of the source that are read.
    let range: Range<Int>
    let weights: AxisWeights
    /// Whether samples are copied one to one.
    let isCopy: Bool

    /// - Parameters:
    ///   - kernel: the kernel; nil to select one by the enlargement.
    ///   - showsSquares: whether pixels that are enlarged eightfold stay squares, unless there is a kernel.
    init(
        from source: SamplingGrid, to output: SamplingGrid, kernel: ResamplingKernel?,
        showsSquares: Bool = true
    ) {
        let phase = source.index(of: output.origin)
        isCopy = abs(output.step / source.step - 1) < 1e-12 && abs(phase - phase.rounded()) < 1e-6
        let enlargement = source.step / output.step
        let kernel =
            isCopy ? .nearest : kernel ?? Self.kernel(enlargement: enlargement, showsSquares: showsSquares)
        if isCopy {
            let first = min(max(Int(phase.rounded()), 0), source.count - 1)
            range = first..<min(first + output.count, source.count)
        } else {
            let reach = AxisWeights.reach(from: source, to: output, kernel: kernel)
            let lower = min(max(reach.lowerBound, 0), source.count - 1)
            range = lower..<min(max(reach.upperBound, lower + 1), source.count)
        }
        weights = AxisWeights(from: source.part(range), to: output, kernel: kernel)
    }

    /// Returns the default kernel.
    private static func kernel(enlargement: Double, showsSquares: Bool) -> ResamplingKernel {
        if enlargement >= 8, showsSquares { return .nearest }
        return enlargement > 1 ? .cubic : .lanczos3
    }
}

extension SamplingGrid {
    /// Returns the samples whose center lies on an image of a length; at least one where any of the image is visible.
    fileprivate func samples(showing length: Int) -> Range<Int> {
        let first = index(of: 0)
        let last = index(of: Double(length))
        guard last > 0, first < Double(count) else { return 0..<0 }
        let lower = Int(max(0, (first - 1e-9).rounded(.toNearestOrAwayFromZero)))
        let upper = Int(min(Double(count), (last + 1e-9).rounded(.toNearestOrAwayFromZero)))
        guard upper > lower else {
            let only = min(max(Int(((first + last) / 2).rounded(.down)), 0), count - 1)
            return only..<(only + 1)
        }
        return lower..<upper
    }
}

extension PixelRect where Grid == StoredGrid {
    /// Creates the rectangle of some columns and rows.
    init(_ columns: Range<Int>, _ rows: Range<Int>) {
        self.init(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }
}
