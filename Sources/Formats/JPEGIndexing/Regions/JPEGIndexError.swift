#if canImport(FoundationEssentials)
public import FoundationEssentials
#elseif canImport(Foundation)
public import Foundation
#endif

/// The reasons why regions of a JPEG cannot be decoded on their own.
///
/// A decoder of whole images may still be able to read the file.
public enum JPEGIndexError: Error, Hashable, Sendable {
    /// The bytes do not begin as a JPEG.
    case notJPEG
    /// The JPEG is progressive: its coefficients are spread over several scans.
    case progressive
    /// The scans of the progressive JPEG leave out coefficients or bits of them.
    case incompleteScans
    /// The JPEG is sequential, but its components are in scans of their own.
    case severalScans
    /// The JPEG is arithmetic-coded.
    case arithmeticCoding
    /// The JPEG uses the lossless process, or is JPEG-LS.
    case lossless
    /// The JPEG is hierarchical.
    case hierarchical
    /// The samples have this many bits instead of 8.
    case samplePrecision(Int)
    /// The height is not in the header but in a DNL segment behind the pixels.
    case heightInDNL
    /// The sampling factors do not divide each other, or an MCU has too many blocks.
    case unsupportedSampling
    /// The header violates the standard in the named part.
    case brokenHeader(String)
    /// The file ends within its header.
    case truncated
    /// The entropy-coded data cannot be decoded from this row of MCUs on.
    case brokenStream(mcuRow: Int)
    /// The saved index is of another file or another state of it, or it is damaged.
    case staleIndex
    /// The rectangle has no pixel in the image, or needs rows that the index does not cover.
    case outside
}

extension JPEGIndexError: CustomStringConvertible {
    /// The reason as a sentence without a period.
    public var description: String {
        switch self {
        case .notJPEG: "not a JPEG"
        case .progressive: "the JPEG is progressive: its blocks are spread over several scans"
        case .incompleteScans: "the progressive JPEG leaves out some of its coefficients"
        case .severalScans: "the JPEG keeps its components in several scans"
        case .arithmeticCoding: "the JPEG is arithmetic-coded"
        case .lossless: "the JPEG is of the lossless process, or JPEG-LS"
        case .hierarchical: "the JPEG is hierarchical"
        case .samplePrecision(let bits): "the JPEG has samples of \(bits) bits, not 8"
        case .heightInDNL: "the JPEG gives its height after its pixels (DNL)"
        case .unsupportedSampling: "the JPEG's sampling factors are not supported"
        case .brokenHeader(let part): "the JPEG's headers are broken: \(part)"
        case .truncated: "the JPEG ends too early"
        case .brokenStream(let row): "the JPEG's data is broken in row \(row) of its blocks"
        case .staleIndex: "the saved index does not belong to this file"
        case .outside: "the rectangle is outside of what the JPEG's index covers"
        }
    }
}

#if !hasFeature(Embedded)
extension JPEGIndexError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}
#endif
