// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The functions that viewport_jpeg_index.h declares; the compiler checks them against it. All unsafe code here uses
// what C callers pass, for as long as the header says that it is valid.
public import CJPEGIndex
internal import Files
internal import JPEGIndexing
internal import ViewportGeometry

@c @implementation
public func vji_open(
    _ source: UnsafePointer<vji_source>?, _ index: UnsafeMutablePointer<OpaquePointer?>?,
    _ message: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> vji_status {
    unsafe open(index, Message(message, capacity)) { () throws(CallError) in
        try unsafe IndexedFile(origin(source), .scan)
    }
}

@c @implementation
public func vji_open_path(
    _ path: UnsafePointer<CChar>?, _ index: UnsafeMutablePointer<OpaquePointer?>?,
    _ message: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> vji_status {
    unsafe open(index, Message(message, capacity)) { () throws(CallError) in
        try unsafe IndexedFile(origin(path), .scan)
    }
}

@c @implementation
public func vji_load(
    _ source: UnsafePointer<vji_source>?, _ saved: UnsafeRawPointer?, _ length: Int,
    _ index: UnsafeMutablePointer<OpaquePointer?>?, _ message: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> vji_status {
    unsafe open(index, Message(message, capacity)) { () throws(CallError) in
        try unsafe IndexedFile(origin(source), .saved(bytes(saved, length)))
    }
}

@c @implementation
public func vji_load_path(
    _ path: UnsafePointer<CChar>?, _ saved: UnsafeRawPointer?, _ length: Int,
    _ index: UnsafeMutablePointer<OpaquePointer?>?, _ message: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> vji_status {
    unsafe open(index, Message(message, capacity)) { () throws(CallError) in
        try unsafe IndexedFile(origin(path), .saved(bytes(saved, length)))
    }
}

@c @implementation
public func vji_size(
    _ index: OpaquePointer?, _ denominator: Int32, _ width: UnsafeMutablePointer<Int32>?,
    _ height: UnsafeMutablePointer<Int32>?
) -> vji_status {
    guard let file = unsafe file(index), let scale = JPEGScale(rawValue: Int(denominator)),
        let width = unsafe width,
        let height = unsafe height
    else { return VJI_INVALID_ARGUMENT }
    // The sides of a JPEG have 16 bits.
    let size = file.header.size(at: scale)
    unsafe width.pointee = Int32(size.width)
    unsafe height.pointee = Int32(size.height)
    return VJI_OK
}

@c @implementation
public func vji_native_format(
    _ index: OpaquePointer?, _ format: UnsafeMutablePointer<vji_format>?
) -> vji_status {
    guard let file = unsafe file(index), let format = unsafe format else { return VJI_INVALID_ARGUMENT }
    unsafe format.pointee = file.header.components.count == 1 ? VJI_GRAY : VJI_RGB
    return VJI_OK
}

@c @implementation
public func vji_read_region(
    _ index: OpaquePointer?, _ region: UnsafePointer<vji_region>?, _ pixels: UnsafePointer<vji_pixels>?,
    _ message: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> vji_status {
    unsafe reporting(Message(message, capacity)) { () throws(CallError) in
        guard let file = unsafe file(index), let region = unsafe region?.pointee,
            let pixels = unsafe pixels?.pointee
        else { throw CallError(VJI_INVALID_ARGUMENT, "index, region or pixels is NULL") }
        guard let scale = JPEGScale(rawValue: Int(region.denominator)) else {
            throw CallError(
                VJI_INVALID_ARGUMENT, "the denominator is \(region.denominator), not 1, 2, 4 or 8")
        }
        guard region.width > 0, region.height > 0 else {
            throw CallError(VJI_INVALID_ARGUMENT, "the region is \(region.width) x \(region.height) pixels")
        }
        let rect = PixelRect<ReducedGrid>(
            x: Int(region.x), y: Int(region.y), width: Int(region.width), height: Int(region.height))
        let target = try unsafe PixelTarget(pixels, rect.width, rect.height)
        let size = file.header.size(at: scale)
        guard rect.x >= 0, rect.y >= 0, rect.maxX <= size.width, rect.maxY <= size.height else {
            throw CallError(
                VJI_OUTSIDE,
                "the region \(rect.width) x \(rect.height) at (\(rect.x), \(rect.y)) is not inside the image of "
                    + "\(size.width) x \(size.height) pixels")
        }
        try file.read(rect, at: scale, bands: target.bands) { y, row in target.write(row, y) }
    }
}

@c @implementation
public func vji_save(
    _ index: OpaquePointer?, _ buffer: UnsafeMutableRawPointer?, _ size: Int,
    _ length: UnsafeMutablePointer<Int>?
) -> vji_status {
    guard let file = unsafe file(index), let length = unsafe length, unsafe buffer != nil || size == 0 else {
        return VJI_INVALID_ARGUMENT
    }
    let bytes = file.saved
    unsafe length.pointee = bytes.count
    // Sizes above Int.max are negative here.
    guard size < 0 || bytes.count <= size, let buffer = unsafe buffer else { return VJI_BUFFER_TOO_SMALL }
    unsafe buffer.copyMemory(from: bytes, byteCount: bytes.count)
    return VJI_OK
}

@c @implementation
public func vji_close(_ index: OpaquePointer?) {
    guard let index = unsafe index else { return }
    unsafe Unmanaged<IndexedFile>.fromOpaque(UnsafeRawPointer(index)).release()
}

// MARK: - What the functions share

/// Stores a new handle, or NULL with the reason.
private func open(
    _ index: UnsafeMutablePointer<OpaquePointer?>?, _ message: Message,
    _ body: () throws(CallError) -> IndexedFile
) -> vji_status {
    unsafe index?.pointee = nil
    return reporting(message) { () throws(CallError) in
        guard let index = unsafe index else { throw CallError(VJI_INVALID_ARGUMENT, "index is NULL") }
        let file = try body()
        unsafe index.pointee = OpaquePointer(Unmanaged.passRetained(file).toOpaque())
    }
}

/// Returns the status of a call and writes its message.
private func reporting(_ message: Message, _ body: () throws(CallError) -> Void) -> vji_status {
    do throws(CallError) {
        try body()
        message.write("")
        return VJI_OK
    } catch {
        message.write(error.reason)
        return error.status
    }
}

private func file(_ index: OpaquePointer?) -> IndexedFile? {
    unsafe index.map { unsafe Unmanaged<IndexedFile>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
}

private func origin(_ source: UnsafePointer<vji_source>?) throws(CallError) -> FileOrigin {
    guard let source = unsafe source else { throw CallError(VJI_INVALID_ARGUMENT, "source is NULL") }
    return unsafe .source(source.pointee)
}

private func origin(_ path: UnsafePointer<CChar>?) throws(CallError) -> FileOrigin {
    guard let path = unsafe path else { throw CallError(VJI_INVALID_ARGUMENT, "path is NULL") }
    return try FileOrigin(path: unsafe PathText.decode(cString: path))
}

private func bytes(_ saved: UnsafeRawPointer?, _ length: Int) throws(CallError) -> [UInt8] {
    guard let saved = unsafe saved, length >= 0 else {
        throw CallError(VJI_INVALID_ARGUMENT, "saved is NULL, or its length is too large")
    }
    return unsafe Array(UnsafeRawBufferPointer(start: saved, count: length))
}

/// The caller's buffer for the pixels of a region, large enough for it.
// Used during the call only.
@safe private struct PixelTarget {
    private let data: UnsafeMutableRawPointer
    private let stride: Int
    private let format: vji_format

    /// Alpha is added to RGB.
    var bands: Int { format == VJI_GRAY ? 1 : 3 }

    init(_ pixels: vji_pixels, _ width: Int, _ height: Int) throws(CallError) {
        guard let data = unsafe pixels.data else {
            throw CallError(VJI_INVALID_ARGUMENT, "pixels.data is NULL")
        }
        format = unsafe pixels.format
        guard [VJI_GRAY, VJI_RGB, VJI_RGBA].contains(format) else {
            throw CallError(VJI_INVALID_ARGUMENT, "pixels.format is \(format.rawValue), not 1, 3 or 4")
        }
        let rowBytes = width * Int(format.rawValue)
        let (stride, size) = unsafe (pixels.stride, pixels.size)
        // Sizes above Int.max are negative here.
        guard stride >= rowBytes else {
            throw CallError(
                VJI_INVALID_ARGUMENT, "pixels.stride is \(stride), but a row has \(rowBytes) bytes")
        }
        let (rows, overflow) = stride.multipliedReportingOverflow(by: height - 1)
        let (needed, overflow2) = rows.addingReportingOverflow(rowBytes)
        guard !overflow, !overflow2, needed <= size else {
            throw CallError(
                VJI_INVALID_ARGUMENT,
                "pixels.size is \(size), too little for \(height) rows of \(stride) bytes")
        }
        unsafe self.data = data
        self.stride = stride
    }

    /// Copies a row of gray or RGB pixels.
    func write(_ row: RawSpan, _ y: Int) {
        let start = unsafe data + y * stride
        unsafe row.withUnsafeBytes { source in
            guard format == VJI_RGBA else {
                return unsafe start.copyMemory(from: source.baseAddress!, byteCount: source.count)
            }
            for pixel in 0..<(source.count / 3) {
                for band in 0..<3 {
                    unsafe start.storeBytes(
                        of: source[3 * pixel + band], toByteOffset: 4 * pixel + band, as: UInt8.self)
                }
                unsafe start.storeBytes(of: 255, toByteOffset: 4 * pixel + 3, as: UInt8.self)
            }
        }
    }
}
