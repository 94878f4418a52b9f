internal import Basics
package import Containers

/// What the chunks of a PNG state of its colors.
///
/// The first of these counts that a PNG has: cICP, iCCP, sRGB, gAMA with or without cHRM.
///
/// Source: PNG (third edition), 4.3 and 11.3.2.
package struct PNGColors: Sendable {
    /// cICP; nil where it is missing, invalid or of unknown colors.
    package private(set) var coded: CodedColors?
    private var statesSRGB = false
    private var measured: MeasuredColors?

    /// The chunks that are read.
    private static let mostChunks = 4096

    /// Reads the chunks before the image data.
    package init(_ bytes: FileBytes) {
        var chunks = PNGChunks(bytes)
        var gamma: Double?
        var chromaticities: [(x: Double, y: Double)]?
        for _ in 0..<Self.mostChunks {
            guard let chunk = (try? chunks.next()) ?? nil, chunk.type != "IDAT",
                let body = bytes.slice(chunk.body)
            else { break }
            switch chunk.type {
            case "cICP": if coded == nil { coded = Self.coded(body) }
            case "sRGB": statesSRGB = true
            case "gAMA": gamma = body.uint32(at: 0).map { Double($0) / 100_000 }
            case "cHRM": chromaticities = Self.chromaticities(body)
            case "cLLI", "mDCV": readLight(chunk.type, body)
            default: break
            }
        }
        // Files have 0, and numbers that no display has.
        if let gamma, (0.01...20).contains(gamma) {
            measured = MeasuredColors(exponent: 1 / gamma, chromaticities: chromaticities)
        }
        coded?.peak = contentPeak ?? displayPeak
    }

    /// The brightest light of the picture, and of the display that it was made on, in cd/m².
    private var contentPeak: Double?
    private var displayPeak: Double?

    private mutating func readLight(_ type: FourCC, _ body: FileBytes) {
        let value = body.uint32(at: type == "cLLI" ? 0 : 16).map { Double($0) / 10_000 }
        guard let value, value > 0 else { return }
        if type == "cLLI" { contentPeak = value } else { displayPeak = value }
    }

    private static func coded(_ body: FileBytes) -> CodedColors? {
        guard body.count == 4, let primaries = body.uint8(at: 0), let transfer = body.uint8(at: 1),
            // A PNG has red, green and blue.
            body.uint8(at: 2) == 0, let range = body.uint8(at: 3), range <= 1
        else { return nil }
        var colors = CodedColors(
            primaries: Int(primaries), transfer: Int(transfer), matrix: 0, isFullRange: range == 1)
        colors.showsVideoGamma = true
        return colors.isKnown ? colors : nil
    }

    private static func chromaticities(_ body: FileBytes) -> [(x: Double, y: Double)]? {
        let numbers = (0..<8).compactMap { body.uint32(at: 4 * $0).map { Double($0) / 100_000 } }
        guard numbers.count == 8 else { return nil }
        return (0..<4).map { (x: numbers[2 * $0], y: numbers[2 * $0 + 1]) }
    }

    /// Whether samples from 16 to 235, of 8 bits, are all that is between black and white.
    package var isLimited: Bool { coded?.isFullRange == false }

    /// Returns the profile that counts; nil for sRGB.
    ///
    /// - Parameter embedded: the profile of iCCP that the decoder accepts.
    package func profile(embedded: [UInt8]?, isGray: Bool) -> [UInt8]? {
        if let coded { return coded.profile(isGray: isGray) }
        if let embedded { return embedded }
        return statesSRGB ? nil : measured?.profile(isGray: isGray)
    }
}
