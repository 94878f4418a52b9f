public import ViewportGeometry

extension JPEGHeader {
    /// The size of the whole image at a scale.
    public func size(at scale: JPEGScale) -> PixelSize<ReducedGrid> {
        PixelSize(
            width: (size.width + scale.rawValue - 1) / scale.rawValue,
            height: (size.height + scale.rawValue - 1) / scale.rawValue)
    }

    /// The pixels of one MCU, the smallest piece that can be taken out.
    public var mcuSize: PixelSize<StoredGrid> {
        PixelSize(width: 8 * maximumHorizontal, height: 8 * maximumVertical)
    }

    /// The MCUs of a row.
    var mcusPerRow: Int { (size.width + mcuSize.width - 1) / mcuSize.width }

    /// The rows of MCUs.
    var mcuRows: Int { (size.height + mcuSize.height - 1) / mcuSize.height }

    var mcuCount: Int { mcusPerRow * mcuRows }

    // A single component is stored block by block, whatever its factors say (T.81, A.2.2).
    var maximumHorizontal: Int { isInterleaved ? components.reduce(1) { max($0, $1.horizontalSampling) } : 1 }
    var maximumVertical: Int { isInterleaved ? components.reduce(1) { max($0, $1.verticalSampling) } : 1 }
    var isInterleaved: Bool { components.count > 1 }

    /// The blocks of a component in one MCU, across and down.
    func blocks(of component: Int) -> (across: Int, down: Int) {
        isInterleaved
            ? (components[component].horizontalSampling, components[component].verticalSampling) : (1, 1)
    }

    /// The side of the square that libjpeg's IDCT makes of a component's block at a scale: 1, 2, 4 or 8.
    ///
    /// Subsampled components are reduced less, as far as it comes out even in both directions. Source:
    /// libjpeg-turbo, jdmaster.c, jpeg_core_output_dimensions and jpeg_calc_output_dimensions.
    func blockSide(of component: Int, at scale: JPEGScale) -> Int {
        let least = 8 / scale.rawValue
        let (across, down) = blocks(of: component)
        var side = least
        while side < 8, maximumHorizontal * least % (across * side * 2) == 0,
            maximumVertical * least % (down * side * 2) == 0
        {
            side *= 2
        }
        return side
    }

    /// Whether pixels depend on the neighboring MCUs at a scale: then a margin of one MCU is needed.
    ///
    /// That is so where libjpeg-turbo upsamples by interpolation: factors of 2 that the reduced IDCT has left.
    /// Source: libjpeg-turbo, jdsample.c, jinit_upsampler.
    func needsMargin(at scale: JPEGScale) -> Bool {
        guard scale != .eighth else { return false }
        let least = 8 / scale.rawValue
        return components.indices.contains { component in
            let (across, down) = blocks(of: component)
            let side = blockSide(of: component, at: scale)
            let horizontal = across * side / least
            let vertical = down * side / least
            let half = (horizontal * 2 == maximumHorizontal, vertical * 2 == maximumVertical)
            return half.0 && (half.1 || vertical == maximumVertical)
                || half.1 && horizontal == maximumHorizontal
        }
    }
}
