import PNGEncoding

let format = PNGFormat(width: 1, height: 1, channels: .rgba, bitDepth: .eight, colorSpace: .sRGB)
let pixel: [UInt8] = [255, 0, 0, 255]
do {
    print(try PNGEncoder(level: .fast).encode(pixel.span, as: format).count)
} catch let error as PNGEncodingError {
    print(error.errorDescription ?? "")
}
