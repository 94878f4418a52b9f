import PNGEncoding

let format = PNGFormat(width: 1, height: 1, channels: .rgba, bitDepth: .eight, colorSpace: .sRGB)
let pixel: [UInt8] = [255, 0, 0, 255]
do throws(PNGEncodingError) {
    print(try PNGEncoder(level: .fast).encode(pixel.span, as: format).count)
} catch {
    print(error.errorDescription ?? "")
}
