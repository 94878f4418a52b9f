internal import Platform

/// A read-only view of borrowed memory.
///
/// Every access checks its bounds, in release builds too. The lifetime is not checked: callers of the unsafe
/// initializers ensure that the memory outlives the view.
// The pointer leaves this type only through `address`, which is unsafe to use.
@safe struct UnsafeByteView: @unchecked Sendable {
    private let base: UnsafeRawPointer
    let count: Int

    /// Creates a view of `buffer`, which must not be empty.
    @unsafe init(_ buffer: UnsafeRawBufferPointer) {
        // Callers never pass empty memory: images have at least one pixel.
        unsafe base = buffer.baseAddress!
        count = buffer.count
    }

    // The caller ensures `count` readable bytes at `base`.
    @unsafe fileprivate init(base: UnsafeRawPointer, count: Int) {
        // The caller ensures it.
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

    /// Loads an integer in native byte order at any alignment.
    @inline(__always)
    func load<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: T.Type) -> T {
        check(offset, MemoryLayout<T>.size)
        // Checked above.
        return unsafe base.loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// Loads three bytes as a little-endian integer.
    @inline(__always)
    func littleEndian24(_ offset: Int) -> UInt32 {
        check(offset, 3)
        // Checked above.
        let low = unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
        let high = unsafe base.load(fromByteOffset: offset &+ 2, as: UInt8.self)
        return UInt32(UInt16(littleEndian: low)) | UInt32(high) << 16
    }

    /// Returns a view of `length` bytes from `offset`.
    @inline(__always)
    func part(_ offset: Int, count length: Int) -> UnsafeByteView {
        check(offset, length)
        // Checked above.
        return unsafe UnsafeByteView(base: base + offset, count: length)
    }

    /// Appends a copy of all bytes.
    func append(to array: inout [UInt8]) {
        // The creator of the view ensures that the memory is valid.
        unsafe array.append(contentsOf: UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The address, for C functions that also receive `count`.
    // Accesses through it are not checked.
    @unsafe var address: UnsafeRawPointer { unsafe base }
}

/// A writable view of borrowed memory, with the checks of `UnsafeByteView`.
// Two threads never write to overlapping views: each strip of rows has one thread.
@safe struct UnsafeMutableByteView: @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    let count: Int

    // The caller ensures `count` writable bytes at `base`.
    @unsafe fileprivate init(base: UnsafeMutableRawPointer, count: Int) {
        // The caller ensures it.
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

    /// Stores an integer in native byte order at any alignment.
    @inline(__always)
    func store<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
        check(offset, MemoryLayout<T>.size)
        // Checked above.
        unsafe base.storeBytes(of: value, toByteOffset: offset, as: T.self)
    }

    /// Copies `source` to `offset`.
    func copy(_ source: UnsafeByteView, at offset: Int) {
        check(offset, source.count)
        // Checked above; source and target never overlap.
        unsafe memcpy(base + offset, source.address, source.count)
    }

    /// Returns a view of `length` bytes from `offset`.
    @inline(__always)
    func part(_ offset: Int, count length: Int) -> UnsafeMutableByteView {
        check(offset, length)
        // Checked above.
        return unsafe UnsafeMutableByteView(base: base + offset, count: length)
    }

    /// A read-only view of the same memory.
    var readable: UnsafeByteView {
        // The same memory and length.
        unsafe UnsafeByteView(base: base, count: count)
    }

    /// The address, for C functions that also receive `count`.
    // Accesses through it are not checked.
    @unsafe var address: UnsafeMutableRawPointer { unsafe base }
}

extension UnsafeMutableByteView {
    /// Writes `row` minus `prediction`, byte by byte with wraparound.
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

    /// Writes the native 16-bit integers of `row` in big-endian order.
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

    /// Writes pixels of three or four samples in big-endian order, with the first and third samples swapped.
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

/// Owned, writable memory; its views must not outlive it.
// The type cannot be copied, so the memory is freed once.
@safe struct ByteBuffer: ~Copyable, @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    let capacity: Int

    /// Allocates `capacity` uninitialized bytes.
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        // Freed in deinit.
        unsafe base = .allocate(byteCount: self.capacity, alignment: 64)
    }

    // Views are not used after this: strips and plans keep their buffers.
    deinit { unsafe base.deallocate() }

    /// Returns a writable view of `count` bytes, which must not outlive `self`.
    func part(_ offset: Int, count: Int) -> UnsafeMutableByteView {
        precondition(
            offset >= 0 && count >= 0 && count <= capacity - offset, "bytes outside of the buffer")
        // Checked above.
        return unsafe UnsafeMutableByteView(base: base + offset, count: count)
    }
}
