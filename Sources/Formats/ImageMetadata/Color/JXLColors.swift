internal import Basics
package import Containers

/// What a JPEG XL states of its colors.
package struct JXLColors: Sendable {
    private let coded: CodedColors?

    package init(_ bytes: FileBytes) {
        func content(_ type: FourCC) -> Range<Int>? {
            (try? BoxList.first(type, in: 0..<bytes.count, of: bytes)) ?? nil
        }
        // Parts have numbers.
        let codestream =
            bytes.isCodestream ? 0..<bytes.count : content("jxlc") ?? content("jxlp")?.dropFirst(4)
        coded = codestream.flatMap { JXLHeader(bytes.extracting($0))?.colors }
    }

    /// Returns the profile that counts.
    ///
    /// libjxl's profile of PQ does not state the light of the brightest sample, "intensity_target".
    ///
    /// - Parameter embedded: the profile of the decoder.
    package func profile(embedded: [UInt8]?, isGray: Bool) -> [UInt8]? {
        guard let coded, coded.transfer == 16, coded.peak != nil,
            let profile = embedded.flatMap(ICCProfile.init), profile.highDynamicRange?.transfer == .pq
        else { return embedded }
        return coded.profile(isGray: isGray) ?? embedded
    }
}
