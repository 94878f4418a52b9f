internal import CVips
package import ViewportGeometry

/// A window onto an image that computes the pixels it is moved to.
///
/// libvips binds a region to the thread that made it: it lives and dies inside `withRegion`.
@safe package struct VipsRegion: ~Copyable {
    private let region: UnsafeMutablePointer<CVips.VipsRegion>
    private let pixelBytes: Int

    fileprivate init(_ image: VipsImage) throws(VipsError) {
        guard let region = unsafe vips_region_new(image.pointer) else {
            throw VipsError(operation: "region", reason: .failed, log: VipsLibrary.takeLog())
        }
        unsafe self.region = region
        pixelBytes = image.bands * image.format.bytes
    }

    deinit {
        unsafe g_object_unref(region)
    }

    /// Computes the pixels of `rect`; the rows can be read until the next call.
    package func prepare(_ rect: PixelRect<StoredGrid>) throws(VipsError) {
        var area = CVips.VipsRect(
            left: Int32(rect.x), top: Int32(rect.y), width: Int32(rect.width), height: Int32(rect.height))
        guard unsafe vips_region_prepare(region, &area) == 0 else {
            throw VipsError(operation: "read", reason: .failed, log: VipsLibrary.takeLog())
        }
    }

    /// Lends the bytes of one row of a prepared rectangle.
    package func withRow<R, E: Error>(
        _ y: Int, of rect: PixelRect<StoredGrid>, _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R {
        // The region holds `rect` since `prepare`; VIPS_REGION_ADDR is that row's first pixel.
        let start = unsafe UnsafeRawPointer(
            cvips_region_addr(region, Int32(rect.x), Int32(y), pixelBytes)!)
        return try body(unsafe RawSpan(_unsafeStart: start, byteCount: rect.width * pixelBytes))
    }
}

extension VipsImage {
    /// Lends a region; it is made and freed on the calling thread.
    package func withRegion<R>(_ body: (borrowing VipsRegion) throws -> R) throws -> R {
        let region = try VipsRegion(self)
        return try body(region)
    }
}
