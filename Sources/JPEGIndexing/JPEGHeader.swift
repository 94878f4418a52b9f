public import ViewportGeometry

/// What the segments before a JPEG's compressed data say; only JPEGs that can be indexed have one.
///
/// Source: ITU-T T.81.
public struct JPEGHeader: Sendable {
    /// One component of the image, in the order of the frame.
    public struct Component: Hashable, Sendable {
        public let id: UInt8
        public let horizontalSampling: Int
        public let verticalSampling: Int
        let quantization: UInt8
        var dcTable = 0
        var acTable = 0
    }

    /// A segment before the compressed data.
    public struct Segment: Hashable, Sendable {
        /// The second byte of its marker: 0xE1 is APP1.
        public let marker: UInt8
        /// Where it stands in the file, marker and length included.
        public let range: Range<Int>
    }

    public let size: PixelSize<StoredGrid>
    public let components: [Component]
    public let segments: [Segment]
    /// MCUs between restart markers, 0 for none.
    public let restartInterval: Int
    /// 0xC0 baseline or 0xC1 extended sequential.
    let frameMarker: UInt8
    /// Quantisation tables by their number, in zigzag order.
    let quantization: [[UInt16]?]
    let dcCodes: [HuffmanCode?]
    let acCodes: [HuffmanCode?]
    /// The components of the scan, as indices into `components`.
    let scanOrder: [Int]
    /// The first byte of the compressed data.
    let dataStart: Int
    let hasJFIF: Bool
    /// The transform that an Adobe segment names, nil where there is none.
    let adobeTransform: UInt8?
}

/// How much smaller than stored a JPEG is decoded: libjpeg's scaled output, sides rounded up.
public enum JPEGScale: Int, CaseIterable, Hashable, Sendable {
    case full = 1
    case half = 2
    case quarter = 4
    case eighth = 8
}

/// Pixels of a JPEG decoded at a `JPEGScale`.
public enum ReducedGrid: PixelGrid {}
