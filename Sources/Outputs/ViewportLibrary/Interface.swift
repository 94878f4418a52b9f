// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The functions that viewport.h declares; the compiler checks them against it. All unsafe code here uses what C callers
// pass, for as long as the header says that it is valid.
internal import Basics
public import CViewport
internal import Files
internal import ImageReading
internal import JPEGIndexLibrary
internal import RenderCaching
internal import Thumbnails
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

@c @implementation
public func viewport_open(
    _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<viewport_options>?,
    _ image: UnsafeMutablePointer<OpaquePointer?>?, _ message: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> viewport_status {
    unsafe open(image, Message(message, capacity)) {
        guard let path = unsafe path else { throw CallError.invalid("path is NULL") }
        let text = unsafe PathText.decode(cString: path)
        return try HeldImage(unsafe options?.pointee ?? viewport_options()) { policy in
            try ImageFile.open(text, policy)
        }
    }
}

@c @implementation
public func viewport_open_bytes(
    _ bytes: UnsafeRawPointer?, _ length: Int, _ name: UnsafePointer<CChar>?,
    _ options: UnsafePointer<viewport_options>?, _ image: UnsafeMutablePointer<OpaquePointer?>?,
    _ message: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> viewport_status {
    unsafe open(image, Message(message, capacity)) {
        let name = unsafe name.map { unsafe PathText.decode(cString: $0) } ?? "bytes"
        let bytes = try unsafe copy(bytes, length, "bytes")
        return try HeldImage(unsafe options?.pointee ?? viewport_options()) { policy in
            if policy.allowsUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
            return try ImageFile(bytesOf: bytes, name: name, options: policy.options)
        }
    }
}

@c @implementation
public func viewport_inform(
    _ image: OpaquePointer?, _ information: UnsafeMutablePointer<viewport_information>?
) -> viewport_status {
    guard let file = unsafe held(image)?.file, let information = unsafe information else {
        return VIEWPORT_INVALID_ARGUMENT
    }
    unsafe information.pointee = viewport_information(
        width: Int64(file.uprightSize.width), height: Int64(file.uprightSize.height),
        stored_width: Int64(file.storedSize.width), stored_height: Int64(file.storedSize.height),
        orientation: Int32(file.fileOrientation.rawValue), pages: Int32(clamping: file.pages),
        page: Int32(clamping: file.page), levels: Int32(file.pyramid.levels.count), format: file.ownFormat,
        is_indexable: file.isIndexable ? 1 : 0)
    return VIEWPORT_OK
}

@c @implementation
public func viewport_level_size(
    _ image: OpaquePointer?, _ level: Int32, _ width: UnsafeMutablePointer<Int64>?,
    _ height: UnsafeMutablePointer<Int64>?
) -> viewport_status {
    guard let file = unsafe held(image)?.file, let width = unsafe width, let height = unsafe height else {
        return VIEWPORT_INVALID_ARGUMENT
    }
    let levels = file.pyramid.levels
    guard levels.indices.contains(Int(level)) else { return VIEWPORT_OUTSIDE }
    let size = file.orientation.uprightSize(levels[Int(level)].size)
    unsafe width.pointee = Int64(size.width)
    unsafe height.pointee = Int64(size.height)
    return VIEWPORT_OK
}

@c @implementation
public func viewport_metadata(
    _ image: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?, _ size: Int,
    _ length: UnsafeMutablePointer<Int>?
) -> viewport_status {
    guard let file = unsafe held(image)?.file else { return VIEWPORT_INVALID_ARGUMENT }
    let line = "\(JSONValue.object(file.report()))"
    return unsafe fill(text.map(UnsafeMutableRawPointer.init), size, length, with: Array(line.utf8) + [0])
}

@c @implementation
public func viewport_read(
    _ image: OpaquePointer?, _ region: UnsafePointer<viewport_region>?,
    _ pixels: UnsafePointer<viewport_pixels>?, _ progress: UnsafePointer<viewport_progress>?,
    _ message: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> viewport_status {
    unsafe reporting(Message(message, capacity)) {
        guard let image = unsafe held(image), let region = unsafe region, let pixels = unsafe pixels else {
            throw CallError.invalid("image, region or pixels is NULL")
        }
        let part = try unsafe part(region.pointee, pixels.pointee)
        try image.read(part.viewport, into: part.target, Call(unsafe CallerProgress(progress)))
    }
}

@c @implementation
public func viewport_read_many(
    _ image: OpaquePointer?, _ regions: UnsafePointer<viewport_region>?,
    _ pixels: UnsafePointer<viewport_pixels>?, _ count: Int, _ threads: Int32,
    _ progress: UnsafePointer<viewport_progress>?, _ failed: UnsafeMutablePointer<Int>?,
    _ message: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> viewport_status {
    unsafe failed?.pointee = 0
    return unsafe reporting(Message(message, capacity)) {
        guard let image = unsafe held(image), count >= 0, threads >= 0 else {
            throw CallError.invalid("image is NULL, or count or threads is negative")
        }
        guard count > 0 else { return }
        guard let regions = unsafe regions, let pixels = unsafe pixels else {
            throw CallError.invalid("regions or pixels is NULL")
        }
        let parts = try (0..<count).map { number in
            unsafe failed?.pointee = number
            return try unsafe part(regions[number], pixels[number])
        }
        let call = Call(unsafe CallerProgress(progress))
        guard let failure = try image.read(parts, threads: Processors.threads(threads), call) else { return }
        unsafe failed?.pointee = failure.number
        throw failure.error
    }
}

@c @implementation
public func viewport_thumbnail_size(
    _ image: OpaquePointer?, _ width: Int32, _ height: Int32, _ columns: UnsafeMutablePointer<Int32>?,
    _ rows: UnsafeMutablePointer<Int32>?
) -> viewport_status {
    guard let file = unsafe held(image)?.file, let box = ThumbnailSize(width, height),
        let columns = unsafe columns, let rows = unsafe rows
    else { return VIEWPORT_INVALID_ARGUMENT }
    let size = box.viewport(of: file).size
    unsafe columns.pointee = Int32(size.width)
    unsafe rows.pointee = Int32(size.height)
    return VIEWPORT_OK
}

@c @implementation
public func viewport_read_thumbnail(
    _ image: OpaquePointer?, _ width: Int32, _ height: Int32, _ pixels: UnsafePointer<viewport_pixels>?,
    _ message: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> viewport_status {
    unsafe reporting(Message(message, capacity)) {
        guard let image = unsafe held(image), let pixels = unsafe pixels else {
            throw CallError.invalid("image or pixels is NULL")
        }
        guard let box = ThumbnailSize(width, height) else {
            throw CallError.invalid("the box is \(width) x \(height) pixels")
        }
        try unsafe image.readThumbnail(box, into: PixelTarget(pixels.pointee))
    }
}

@c @implementation
public func viewport_associated_name(
    _ image: OpaquePointer?, _ number: Int32, _ text: UnsafeMutablePointer<CChar>?, _ size: Int,
    _ length: UnsafeMutablePointer<Int>?
) -> viewport_status {
    guard let names = unsafe held(image)?.file.associatedNames else { return VIEWPORT_INVALID_ARGUMENT }
    guard names.indices.contains(Int(number)) else { return VIEWPORT_OUTSIDE }
    let name = Array(names[Int(number)].utf8) + [0]
    return unsafe fill(text.map(UnsafeMutableRawPointer.init), size, length, with: name)
}

@c @implementation
public func viewport_open_associated(
    _ image: OpaquePointer?, _ name: UnsafePointer<CChar>?,
    _ associated: UnsafeMutablePointer<OpaquePointer?>?, _ message: UnsafeMutablePointer<CChar>?,
    _ capacity: Int
) -> viewport_status {
    unsafe open(associated, Message(message, capacity)) {
        guard let image = unsafe held(image), let name = unsafe name else {
            throw CallError.invalid("image or name is NULL")
        }
        return try HeldImage(unsafe String(cString: name), beside: image)
    }
}

@c @implementation
public func viewport_make_index(
    _ image: OpaquePointer?, _ progress: UnsafePointer<viewport_progress>?,
    _ message: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> viewport_status {
    unsafe reporting(Message(message, capacity)) {
        guard let image = unsafe held(image) else { throw CallError.invalid("image is NULL") }
        try image.makeIndex(Call(unsafe CallerProgress(progress)))
    }
}

@c @implementation
public func viewport_save_index(
    _ image: OpaquePointer?, _ buffer: UnsafeMutableRawPointer?, _ size: Int,
    _ length: UnsafeMutablePointer<Int>?
) -> viewport_status {
    guard let image = unsafe held(image) else { return VIEWPORT_INVALID_ARGUMENT }
    do {
        guard let bytes = try image.savedIndex() else { return VIEWPORT_UNSUPPORTED }
        return unsafe fill(buffer, size, length, with: bytes)
    } catch {
        return CallError(error).status
    }
}

@c @implementation
public func viewport_load_index(
    _ image: OpaquePointer?, _ saved: UnsafeRawPointer?, _ length: Int,
    _ message: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> viewport_status {
    unsafe reporting(Message(message, capacity)) {
        guard let image = unsafe held(image) else { throw CallError.invalid("image is NULL") }
        try image.load(index: unsafe copy(saved, length, "saved"))
    }
}

@c @implementation
public func viewport_cancel(_ image: OpaquePointer?) { unsafe held(image)?.cancelAll() }

@c @implementation
public func viewport_close(_ image: OpaquePointer?) {
    guard let image = unsafe image else { return }
    unsafe Unmanaged<HeldImage>.fromOpaque(UnsafeRawPointer(image)).release()
}

// MARK: - What the functions share

/// Stores a new handle, or NULL with the reason.
private func open(
    _ image: UnsafeMutablePointer<OpaquePointer?>?, _ message: Message,
    _ body: @escaping () throws -> HeldImage
) -> viewport_status {
    unsafe image?.pointee = nil
    return reporting(message) {
        guard let image = unsafe image else { throw CallError.invalid("image is NULL") }
        let held = try Call().run(body)
        unsafe image.pointee = OpaquePointer(Unmanaged.passRetained(held).toOpaque())
    }
}

/// Returns the status of a call and writes its message.
private func reporting(_ message: Message, _ body: () throws -> Void) -> viewport_status {
    do {
        try body()
        message.write("")
        return VIEWPORT_OK
    } catch {
        let error = CallError(error)
        message.write(error.sentence)
        return error.status
    }
}

private func held(_ image: OpaquePointer?) -> HeldImage? {
    unsafe image.map { unsafe Unmanaged<HeldImage>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
}

private func part(
    _ region: viewport_region, _ pixels: viewport_pixels
) throws(CallError) -> (viewport: Viewport, target: PixelTarget) {
    let target = try unsafe PixelTarget(pixels)
    guard [region.x, region.y, region.width, region.height].allSatisfy(\.isFinite), region.width > 0,
        region.height > 0, region.columns >= 0, region.rows >= 0
    else {
        throw .invalid(
            "the region \(region.x),\(region.y),\(region.width),\(region.height) as \(region.columns) x "
                + "\(region.rows) pixels is empty or not finite")
    }
    let size = PixelSize<OutputGrid>(
        width: region.columns == 0 ? Viewport.pixels(region.width) : Int(region.columns),
        height: region.rows == 0 ? Viewport.pixels(region.height) : Int(region.rows))
    try target.check(size)
    let rect = Rect<ImageSpace>(x: region.x, y: region.y, width: region.width, height: region.height)
    return (Viewport(imageRect: rect, size: size), target)
}

private func copy(_ bytes: UnsafeRawPointer?, _ length: Int, _ name: String) throws(CallError) -> [UInt8] {
    guard let bytes = unsafe bytes, length >= 0 else {
        throw .invalid("\(name) is NULL, or its length is too large")
    }
    return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: length))
}

/// Copies bytes into a buffer that is large enough, and tells their number.
private func fill(
    _ buffer: UnsafeMutableRawPointer?, _ size: Int, _ length: UnsafeMutablePointer<Int>?, with bytes: [UInt8]
) -> viewport_status {
    guard let length = unsafe length, unsafe buffer != nil || size == 0 else {
        return VIEWPORT_INVALID_ARGUMENT
    }
    unsafe length.pointee = bytes.count
    // Sizes above Int.max are negative here.
    guard size < 0 || bytes.count <= size, let buffer = unsafe buffer else {
        return VIEWPORT_BUFFER_TOO_SMALL
    }
    unsafe buffer.copyMemory(from: bytes, byteCount: bytes.count)
    return VIEWPORT_OK
}

extension ThumbnailSize {
    /// Nil for a box that has no such size.
    fileprivate init?(_ width: Int32, _ height: Int32) {
        guard Self.range.contains(Int(width)), Self.range.contains(Int(height)) else { return nil }
        self.init(width: Int(width), height: Int(height))
    }
}

extension ImageFile {
    /// The layout with the image's own colors and alpha.
    fileprivate var ownFormat: viewport_format {
        if bands - (hasAlpha ? 1 : 0) == 1 { return hasAlpha ? VIEWPORT_RGBA : VIEWPORT_GRAY }
        return hasAlpha ? VIEWPORT_RGBA : VIEWPORT_RGB
    }
}
