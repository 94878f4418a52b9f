internal import Platform

/// Lent memory to read.
///
/// Every access checks its bounds, in release builds too. The lifetime is not checked, hence the unsafe initializers:
/// their callers promise that the memory outlives the view.
// The pointer leaves this type only through `address`, which is unsafe to use.
@safe struct UnsafeByteView: @unchecked Sendable {
    private let base: UnsafeRawPointer
    let count: Int

    /// The whole of `buffer`, which must not be empty.
    @unsafe init(_ buffer: UnsafeRawBufferPointer) {
        // Callers never pass empty memory: images have at least one pixel.
        unsafe base = buffer.baseAddress!
        count = buffer.count
    }

    // The caller promises `count` readable bytes at `base`.
    @unsafe fileprivate init(base: UnsafeRawPointer, count: Int) {
        // Kept under the caller's promise.
        unsafe self.base = base
        self.count = count
    }

    @inline(__always)
    private func check(_ offset: Int, _ length: Int) {
        precondition(offset >= 0 && length >= 0 && length <= count &- offset, "bytes outside of the view")
    }

    @inline(__always)
    subscript(_ index: Int) -> UInt8 {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a byte outside of the view")
        // Checked above.
        return unsafe base.load(fromByteOffset: index, as: UInt8.self)
    }

    /// An integer in native byte order at any alignment.
    @inline(__always)
    func load<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: T.Type) -> T {
        check(offset, MemoryLayout<T>.size)
        // Checked above.
        return unsafe base.loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// Three bytes as an integer, the first one lowest.
    @inline(__always)
    func littleEndian24(_ offset: Int) -> UInt32 {
        check(offset, 3)
        // Checked above.
        let low = unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
        let high = unsafe base.load(fromByteOffset: offset &+ 2, as: UInt8.self)
        return UInt32(UInt16(littleEndian: low)) | UInt32(high) << 16
    }

    /// The part from `offset` on.
    @inline(__always)
    func part(_ offset: Int, count length: Int) -> UnsafeByteView {
        check(offset, length)
        // Checked above.
        return unsafe UnsafeByteView(base: base + offset, count: length)
    }

    /// Appends a copy of all bytes.
    func append(to array: inout [UInt8]) {
        // The memory is alive for this call, as the maker promised.
        unsafe array.append(contentsOf: UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The address for C functions that are given `count` too.
    // Its users leave the checks behind.
    @unsafe var address: UnsafeRawPointer { unsafe base }
}

/// Lent memory to write, with the checks of `UnsafeByteView`.
// Two views that overlap are never written by two threads: rows are shared out in strips.
@safe struct UnsafeMutableByteView: @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    let count: Int

    // The caller promises `count` writable bytes at `base`.
    @unsafe fileprivate init(base: UnsafeMutableRawPointer, count: Int) {
        // Kept under the caller's promise.
        unsafe self.base = base
        self.count = count
    }

    @inline(__always)
    private func check(_ offset: Int, _ length: Int) {
        precondition(offset >= 0 && length >= 0 && length <= count &- offset, "bytes outside of the view")
    }

    @inline(__always)
    subscript(_ index: Int) -> UInt8 {
        get {
            check(index, 1)
            // Checked above.
            return unsafe base.load(fromByteOffset: index, as: UInt8.self)
        }
        nonmutating set {
            check(index, 1)
            // Checked above.
            unsafe base.storeBytes(of: newValue, toByteOffset: index, as: UInt8.self)
        }
    }

    /// Sets an integer in native byte order at any alignment.
    @inline(__always)
    func store<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
        check(offset, MemoryLayout<T>.size)
        // Checked above.
        unsafe base.storeBytes(of: value, toByteOffset: offset, as: T.self)
    }

    /// Sets the bytes from `offset` on to a copy of `source`.
    func copy(_ source: UnsafeByteView, at offset: Int) {
        check(offset, source.count)
        // Checked above; source and target never overlap.
        unsafe memcpy(base + offset, source.address, source.count)
    }

    /// The part from `offset` on.
    @inline(__always)
    func part(_ offset: Int, count length: Int) -> UnsafeMutableByteView {
        check(offset, length)
        // Checked above.
        return unsafe UnsafeMutableByteView(base: base + offset, count: length)
    }

    /// The same memory to read.
    var readable: UnsafeByteView {
        // The same life and length.
        unsafe UnsafeByteView(base: base, count: count)
    }

    /// The address for C functions that are given `count` too.
    // Its users leave the checks behind.
    @unsafe var address: UnsafeMutableRawPointer { unsafe base }
}

extension UnsafeMutableByteView {
    /// Sets the first bytes to `row` less `prediction`, byte by byte with wrap-around.
    @inline(never)
    func setDifference(of row: UnsafeByteView, and prediction: UnsafeByteView) {
        let count = row.count
        precondition(prediction.count >= count && self.count >= count, "rows of different lengths")
        let (row, prediction, output) = unsafe (row.address, prediction.address, address)
        var index = 0
        // All three have `count` bytes: checked above.
        while index &+ 32 <= count {
            let value =
                unsafe row.loadUnaligned(fromByteOffset: index, as: SIMD32<UInt8>.self)
                &- prediction.loadUnaligned(fromByteOffset: index, as: SIMD32<UInt8>.self)
            unsafe output.storeBytes(of: value, toByteOffset: index, as: SIMD32<UInt8>.self)
            index &+= 32
        }
        while index < count {
            let value =
                unsafe row.load(fromByteOffset: index, as: UInt8.self)
                &- prediction.load(fromByteOffset: index, as: UInt8.self)
            unsafe output.storeBytes(of: value, toByteOffset: index, as: UInt8.self)
            index &+= 1
        }
    }

    /// Sets the first bytes to the native 16-bit integers of `row`, in big-endian order.
    func setBigEndian(_ row: UnsafeByteView) {
        let count = row.count & ~1
        precondition(self.count >= count, "rows of different lengths")
        let (row, output) = unsafe (row.address, address)
        for offset in stride(from: 0, to: count, by: 2) {
            // Both have `count` bytes: checked above.
            let value = unsafe row.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
            unsafe output.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self)
        }
    }

    /// Sets the first bytes to pixels of three or four samples, with the first and the third exchanged.
    func setSwappingRedAndBlue<S: FixedWidthInteger & BitwiseCopyable>(
        _ row: UnsafeByteView, channels: Int, as type: S.Type
    ) {
        let size = MemoryLayout<S>.size
        let count = row.count / (channels * size) * channels * size
        precondition(self.count >= count, "rows of different lengths")
        let (row, output) = unsafe (row.address, address)
        for pixel in stride(from: 0, to: count, by: channels * size) {
            for channel in 0..<channels {
                let source = channel == 0 ? 2 : channel == 2 ? 0 : channel
                // Both have `count` bytes: checked above.
                let sample = unsafe row.loadUnaligned(fromByteOffset: pixel + source * size, as: S.self)
                unsafe output.storeBytes(
                    of: sample.bigEndian, toByteOffset: pixel + channel * size, as: S.self)
            }
        }
    }
}

/// Owned memory to write; the views that it lends must not outlive it.
// The memory is freed once: the type cannot be copied.
@safe struct ByteBuffer: ~Copyable, @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    let capacity: Int

    /// Memory for `capacity` bytes that are not set yet.
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        // Freed in deinit.
        unsafe base = .allocate(byteCount: self.capacity, alignment: 64)
    }

    // Lent views are not used after this: strips and plans keep their buffers.
    deinit { unsafe base.deallocate() }

    /// A view of `count` bytes to write, which must not outlive `self`.
    func part(_ offset: Int, count: Int) -> UnsafeMutableByteView {
        precondition(
            offset >= 0 && count >= 0 && count <= capacity - offset, "bytes outside of the buffer")
        // Checked above.
        return unsafe UnsafeMutableByteView(base: base + offset, count: count)
    }
}
