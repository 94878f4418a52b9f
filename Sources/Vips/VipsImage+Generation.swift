internal import CVips

/// Images whose pixels come from Swift, a row at a time.
extension VipsImage {
    /// Computes one row of an 8-bit image: its number from the top, and its bytes from the left end on.
    package typealias RowGenerator = @Sendable (_ y: Int, _ row: inout MutableSpan<UInt8>) -> Void

    /// An 8-bit image whose rows are computed when libvips asks for them, and forgotten once it used them.
    ///
    /// - Parameter generate: runs on libvips' threads, several at a time and in any order.
    package static func generated(
        width: Int, height: Int, bands: Int, interpretation: String, _ generate: @escaping RowGenerator
    ) throws(VipsError) -> VipsImage {
        try VipsLibrary.start()
        guard let pointer = unsafe vips_image_new() else {
            throw VipsError(operation: "image_new", reason: .failed, log: VipsLibrary.takeLog())
        }
        let image = unsafe VipsImage(owning: pointer)
        let space = unsafe vips_enum_from_nick("viewport", vips_interpretation_get_type(), interpretation)
        guard space >= 0 else {
            throw VipsError(
                operation: "generate", reason: .badArgument("interpretation"), log: VipsLibrary.takeLog())
        }
        unsafe vips_image_init_fields(
            pointer, Int32(width), Int32(height), Int32(bands), VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
            VipsInterpretation(rawValue: space), 1, 1)
        // No images come in: an empty list that ends in nil. Whole rows suit every saver.
        var inputs: [UnsafeMutablePointer<CVips.VipsImage>?] = unsafe [nil]
        guard unsafe vips_image_pipeline_array(pointer, VIPS_DEMAND_STYLE_FATSTRIP, &inputs) == 0 else {
            throw VipsError(operation: "generate", reason: .failed, log: VipsLibrary.takeLog())
        }
        // The image owns the box and lets go of it when it is freed, after its last region.
        let box = unsafe Unmanaged.passRetained(RowBox(generate)).toOpaque()
        unsafe g_object_set_data_full(
            UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self), "viewport-rows", box
        ) { box in
            if let box = unsafe box { unsafe Unmanaged<RowBox>.fromOpaque(box).release() }
        }
        guard unsafe vips_image_generate(pointer, nil, generateRows, nil, box, nil) == 0 else {
            throw VipsError(operation: "generate", reason: .failed, log: VipsLibrary.takeLog())
        }
        return image
    }
}

/// Carries a Swift closure through C.
private final class RowBox: Sendable {
    let generate: VipsImage.RowGenerator

    init(_ generate: @escaping VipsImage.RowGenerator) {
        self.generate = generate
    }
}

/// Fills the part of the image that a region asks for: libvips' VipsGenerateFn.
private func generateRows(
    _ region: UnsafeMutablePointer<CVips.VipsRegion>?, _ sequence: UnsafeMutableRawPointer?,
    _ box: UnsafeMutableRawPointer?, _ unused: UnsafeMutableRawPointer?,
    _ stop: UnsafeMutablePointer<gboolean>?
) -> Int32 {
    guard let region = unsafe region, let box = unsafe box else { return -1 }
    let rows = unsafe Unmanaged<RowBox>.fromOpaque(box).takeUnretainedValue()
    let (area, image) = unsafe (region.pointee.valid, region.pointee.im)
    let bands = Int(unsafe vips_image_get_bands(image))
    let width = Int(unsafe vips_image_get_width(image)) * bands
    let isWhole = Int(area.width) * bands == width
    for y in area.top..<(area.top + area.height) {
        // The region owns `width` bytes from here, or as many as `area` is wide.
        guard let start = unsafe cvips_region_addr(region, area.left, y, bands) else { return -1 }
        if isWhole {
            var row = unsafe MutableSpan<UInt8>(
                _unsafeStart: start.assumingMemoryBound(to: UInt8.self), count: width)
            rows.generate(Int(y), &row)
            continue
        }
        // Tiles are cut from the whole row: a generator knows only rows.
        var whole = [UInt8](repeating: 0, count: width)
        var row = whole.mutableSpan
        rows.generate(Int(y), &row)
        unsafe whole.withUnsafeBytes { bytes in
            let part = unsafe bytes.baseAddress! + Int(area.left) * bands
            unsafe start.copyMemory(from: part, byteCount: Int(area.width) * bands)
        }
    }
    return 0
}
