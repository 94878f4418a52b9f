/// Why parts of a JPEG cannot be decoded on their own; another way of reading may still be able to.
public enum JPEGIndexError: Error, Hashable, Sendable {
    /// It does not begin as a JPEG.
    case notJPEG
    /// Its coefficients are spread over several scans.
    case progressive
    /// It is baseline, but its components are in scans of their own.
    case severalScans
    case arithmeticCoding
    case lossless
    case hierarchical
    /// Samples of this many bits: 8 can be indexed.
    case samplePrecision(Int)
    /// Its height is not in its header but in a DNL segment.
    case heightInDNL
    /// Sampling factors that do not divide each other, or too many blocks in an MCU.
    case unsupportedSampling
    /// The headers break the standard; the word says where.
    case brokenHeader(String)
    /// The file ends before the image does.
    case truncated
    /// The compressed data cannot be decoded from this row of MCUs on.
    case brokenStream(mcuRow: Int)
    /// The index is of another file or another state of it, or it is damaged.
    case staleIndex
    /// The rectangle has no pixel in the image, or rows that the index does not cover.
    case outside
}

extension JPEGIndexError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notJPEG: "not a JPEG"
        case .progressive: "a progressive JPEG has no part that can be decoded alone"
        case .severalScans: "the JPEG keeps its components in several scans"
        case .arithmeticCoding: "the JPEG is arithmetic-coded"
        case .lossless: "the JPEG is of the lossless process"
        case .hierarchical: "the JPEG is hierarchical"
        case .samplePrecision(let bits): "the JPEG has samples of \(bits) bits, not 8"
        case .heightInDNL: "the JPEG gives its height after its pixels (DNL)"
        case .unsupportedSampling: "the JPEG's sampling factors are not supported"
        case .brokenHeader(let place): "the JPEG's headers are broken: \(place)"
        case .truncated: "the JPEG ends too early"
        case .brokenStream(let row): "the JPEG's data is broken in row \(row) of its blocks"
        case .staleIndex: "the saved index does not belong to this file"
        case .outside: "the rectangle is outside of what the JPEG's index covers"
        }
    }
}
