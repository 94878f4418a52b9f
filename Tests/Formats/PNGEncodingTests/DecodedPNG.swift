import CPNG
import PNGEncoding

/// A PNG decoded by libpng, to verify the encoder.
struct DecodedPNG {
    var width = 0
    var height = 0
    /// The stored color type; 3 is a palette.
    var colorType = 0
    var bitDepth = 0
    var isSRGB = false
    var profileName: String?
    var profile: [UInt8] = []
    var pixelsPerMeter = 0
    /// The pixels, with expanded palettes and 16-bit samples in native order.
    var pixels: [UInt8] = []

    /// Decodes a file; libpng aborts the process if it is invalid.
    init(_ file: [UInt8], channels: Int) {
        // All handles are created, used and destroyed in this closure, in which the array's memory is valid.
        unsafe file.withUnsafeBytes { bytes in
            var source = unsafe Source(next: bytes.baseAddress!, left: bytes.count)
            var reader = unsafe png_create_read_struct(PNG_LIBPNG_VER_STRING, nil, nil, nil)
            var info = unsafe png_create_info_struct(reader)
            // `source` outlives the reader, which is destroyed below.
            unsafe withUnsafeMutablePointer(to: &source) { source in
                unsafe png_set_read_fn(reader, source) { reader, target, count in
                    let source = unsafe png_get_io_ptr(reader).assumingMemoryBound(to: Source.self)
                    guard unsafe count <= source.pointee.left else { unsafe png_error(reader, "too short") }
                    unsafe target!.update(
                        from: source.pointee.next.assumingMemoryBound(to: UInt8.self), count: count)
                    unsafe source.pointee.next += count
                    unsafe source.pointee.left -= count
                }
                unsafe png_read_info(reader, info)
                unsafe readInfo(reader!, info!)
                unsafe readPixels(reader!, info!, channels: channels)
                unsafe png_read_end(reader, nil)
            }
            unsafe png_destroy_read_struct(&reader, &info, nil)
        }
    }

    // The memory outlives the reader that uses the address.
    @safe private struct Source {
        var next: UnsafeRawPointer
        var left: Int
    }

    // The handles are valid while `init` runs.
    private mutating func readInfo(_ reader: png_structp, _ info: png_infop) {
        width = unsafe Int(png_get_image_width(reader, info))
        height = unsafe Int(png_get_image_height(reader, info))
        colorType = unsafe Int(png_get_color_type(reader, info))
        bitDepth = unsafe Int(png_get_bit_depth(reader, info))
        isSRGB = unsafe png_get_valid(reader, info, UInt32(PNG_INFO_sRGB)) != 0
        pixelsPerMeter = unsafe Int(png_get_pixels_per_meter(reader, info))
        var name: png_charp?
        var data: png_bytep?
        var length: png_uint_32 = 0
        var compression: Int32 = 0
        if unsafe png_get_iCCP(reader, info, &name, &compression, &data, &length) != 0, let name = unsafe name
        {
            profileName = unsafe String(cString: name)
            profile = unsafe Array(UnsafeBufferPointer(start: data, count: Int(length)))
        }
    }

    // The handles are valid while `init` runs.
    private mutating func readPixels(_ reader: png_structp, _ info: png_infop, channels: Int) {
        unsafe png_set_expand(reader)
        if bitDepth == 16 { unsafe png_set_swap(reader) }
        // libpng expands a palette of opaque colors without alpha.
        if colorType == 3, channels == 4 { unsafe png_set_add_alpha(reader, 0xFF, PNG_FILLER_AFTER) }
        unsafe png_read_update_info(reader, info)
        let rowBytes = unsafe png_get_rowbytes(reader, info)
        var result = [UInt8](repeating: 0, count: rowBytes * height)
        let rows = height
        // Writes one row after the other within the array's memory.
        unsafe result.withUnsafeMutableBufferPointer { buffer in
            for row in 0..<rows { unsafe png_read_row(reader, buffer.baseAddress! + row * rowBytes, nil) }
        }
        pixels = result
    }
}

/// Generated pixels, the same on every run.
enum TestPixels: String, CaseIterable, Sendable {
    /// Smooth with a little noise, like a photograph.
    case photograph
    /// Random bytes, which deflate stores uncompressed.
    case noise
    /// One color.
    case flat
    /// Few colors in sharp shapes, like a screenshot.
    case shapes
    /// Rows that repeat with a shift.
    case pattern

    /// Returns `count` bytes in rows of `rowBytes`.
    func bytes(_ count: Int, rowBytes: Int, distance: Int) -> [UInt8] {
        var generator = Xorshift(state: 0x9E37_79B9_7F4A_7C15)
        return (0..<count).map { index in
            let x = index % rowBytes
            let y = index / rowBytes
            let channel = x % distance
            switch self {
            case .photograph:
                let smooth = (x / distance + 2 * y) / 3 + 40 * channel
                return UInt8(truncatingIfNeeded: smooth + Int(generator.next() >> 61))
            case .noise: return UInt8(truncatingIfNeeded: generator.next() >> 32)
            case .flat: return UInt8(truncatingIfNeeded: 200 + channel)
            case .shapes:
                let isInside = (x / distance / 7 + y / 5) % 3 == 0
                return isInside ? UInt8(truncatingIfNeeded: 60 * channel + 20) : 255
            case .pattern: return UInt8(truncatingIfNeeded: (x &* 7 &+ y &* 3) & 0x7F)
            }
        }
    }

    func bytes(_ format: PNGFormat) -> [UInt8] {
        let rowBytes = format.width * format.bytesPerPixel
        return bytes(format.height * rowBytes, rowBytes: rowBytes, distance: format.bytesPerPixel)
    }
}

struct Xorshift {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
