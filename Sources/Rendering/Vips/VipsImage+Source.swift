internal import CVips
package import Files
private import Synchronization

extension VipsImage {
    /// Opens a file with a loader that reads what it needs, such as "VipsForeignLoadHeifSource"; pixels are decoded on
    /// demand.
    ///
    /// - Parameters:
    ///   - file: read on any thread as long as the image is used.
    ///   - places: where long reads find zeros behind their first bytes.
    package static func load(
        source file: any RandomAccessBytes, with loader: String, _ arguments: [String: VipsArgument] = [:],
        shortening places: [Range<Int>] = []
    ) throws(VipsError) -> VipsImage {
        let operation = try VipsOperation(loader)
        try operation.set("source", .source(VipsSource(file, shortening: places)))
        try operation.set(arguments)
        return try operation.image()
    }
}

/// A source of libvips that reads a file of this package.
// A source is a GObject, whose references are counted atomically; it reads through a box that locks its state.
@safe package final class VipsSource: @unchecked Sendable {
    // Owned: one reference, given back in deinit.
    let pointer: UnsafeMutablePointer<VipsSourceCustom>

    init(_ file: any RandomAccessBytes, shortening places: [Range<Int>]) throws(VipsError) {
        try VipsLibrary.start()
        guard let pointer = unsafe vips_source_custom_new() else {
            throw VipsError(operation: "source_custom", reason: .failed, log: VipsLibrary.takeLog())
        }
        unsafe self.pointer = pointer
        let box = unsafe Unmanaged.passRetained(SourceBox(file, places)).toOpaque()
        // libvips may keep the source longer than this object: the source owns the box.
        unsafe g_object_set_data_full(
            UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self), "viewport-bytes", box
        ) { box in
            if let box = unsafe box { unsafe Unmanaged<SourceBox>.fromOpaque(box).release() }
        }
        // GObject calls handlers by the signatures of their signals, which are those of the closures.
        let read:
            @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int64, gpointer?) -> Int64 = {
                _, buffer, length, box in
                guard let buffer = unsafe buffer, let box = unsafe box, length > 0 else { return 0 }
                let target = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: Int(length))
                return unsafe Unmanaged<SourceBox>.fromOpaque(box).takeUnretainedValue().read(into: target)
            }
        let seek: @convention(c) (UnsafeMutableRawPointer?, Int64, Int32, gpointer?) -> Int64 = {
            _, offset, origin, box in
            guard let box = unsafe box else { return -1 }
            return unsafe Unmanaged<SourceBox>.fromOpaque(box).takeUnretainedValue().seek(offset, origin)
        }
        let object = UnsafeMutableRawPointer(pointer)
        unsafe g_signal_connect_data(
            object, "read", unsafeBitCast(read, to: GCallback.self), box, nil, GConnectFlags(rawValue: 0))
        unsafe g_signal_connect_data(
            object, "seek", unsafeBitCast(seek, to: GCallback.self), box, nil, GConnectFlags(rawValue: 0))
    }

    deinit { unsafe g_object_unref(pointer) }
}

/// Carries a file and the position in it through C.
private final class SourceBox: Sendable {
    private let file: any RandomAccessBytes
    private let shortened: [Range<Int>]
    private let position = Mutex(0)

    /// The bytes that a long read brings of a place that is shortened.
    private static let shortLength = 1 << 12

    init(_ file: any RandomAccessBytes, _ shortened: [Range<Int>]) {
        (self.file, self.shortened) = (file, shortened)
    }

    /// Returns the number of bytes that are read, 0 at the end, or -1 where they cannot be read.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int64 {
        let start = position.withLock { $0 }
        let count = max(0, min(buffer.count, file.count - start))
        guard count > 0 else { return 0 }
        let range = start..<(start + count)
        let isShort = count > 4 * Self.shortLength && shortened.contains { $0.overlaps(range) }
        let length = isShort ? Self.shortLength : count
        do throws(FileError) {
            // The first bytes of the caller's buffer, which outlives the call.
            try unsafe file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]), at: start)
        } catch {
            return -1
        }
        for index in length..<count { unsafe buffer[index] = 0 }
        position.withLock { $0 = start + count }
        return Int64(count)
    }

    /// Returns the new position, or -1 for one that is not in the file.
    ///
    /// - Parameter origin: lseek(2)'s: 0 for the start, 1 for the position, 2 for the end.
    func seek(_ offset: Int64, _ origin: Int32) -> Int64 {
        position.withLock { position in
            let start = origin == 0 ? 0 : origin == 1 ? position : file.count
            let (target, overflow) = start.addingReportingOverflow(Int(offset))
            guard !overflow, target >= 0 else { return -1 }
            position = target
            return Int64(target)
        }
    }
}
